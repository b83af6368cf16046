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
// # Contract
//
// The caller owns every Set it opens and closes it. Errors about an event are
// *OpenError and wrap the errno; errors about the text of an event list are
// *ParseError. A value that was not counted is never zero: see Reading.State.
package perfctr
