// Package perfctr names, opens and reads the kernel's performance counters.
//
// It knows what perf stat knows: which events exist, what they are called,
// which of them this machine and this user may count, and how to read them
// without inventing anything. It starts no process, repeats nothing, judges
// nothing and prints nothing.
//
// # Words
//
// An event is one thing that can be counted, by its perf name ("cycles",
// "sched:sched_wakeup"). A counter is an event opened by perf_event_open(2).
// A group is a set of counters that the kernel schedules together or not at
// all. Inherit means that tasks born later by the counted task are counted
// too. Enabled is the time for which a counter wanted to count, running the
// time for which it did; they differ when more groups are open than the PMU
// holds (multiplexing). A reading is what one counter said: the raw count with
// both times. Scaled is the raw count extrapolated to the enabled time; it is
// an estimate and is never stored in place of the raw count.
//
// A turn is one of the sets of groups that are not open in the same run because
// the PMU does not hold all of them. A PMU is a device that counts, as sysfs
// lists them under /sys/bus/event_source/devices. A target is what is counted: a
// command, a process, CPUs, a control group. Ready is a kernel that need not
// patch itself when a counter is opened (see KeepReady).
//
// # Flow
//
//	events, err := perfctr.Parse("cycles,sched:sched_wakeup") // or DefaultEvents
//	events = perfctr.Narrow(events, cpus)                      // when pinned
//	supports := perfctr.Probe(events, perfctr.Command())
//	packing, err := perfctr.Pack(supports, perfctr.PackOptions{})
//	hold, err := perfctr.KeepReady(packing) // once; hold.Close at the end
//	...
//	set, err := perfctr.Open(packing, turn, perfctr.Command()) // for each run
//	// start the command from this thread, wait for it
//	readings, err := set.Read() // in the order of packing.Events
//	set.Close()
//
// The thread is locked (runtime.LockOSThread) from before Open until after the
// command was started. Only Open, Read and Close are on the path of a run: they
// read no files and make no choices.
//
// # Contract
//
// The caller owns every Set and Hold it opens and closes it. Errors about an event are
// *OpenError and wrap the errno; errors about the text of an event list are
// *ParseError. A value that was not counted is never zero: see Reading.State.
package perfctr
