package perfctr

import "time"

// Source says who produces an event's value.
type Source uint8

const (
	// SourceKernel is a counter opened with perf_event_open(2).
	SourceKernel Source = iota
	// SourceRun is measured around the run by whoever runs it: the clock and
	// what wait4(2) says (elapsed, user, system, max-rss).
	SourceRun
)

// Unit is the base unit in which an event's value is stored. Scaling for
// people happens in the report only.
type Unit string

const (
	UnitCount       Unit = ""
	UnitNanoseconds Unit = "ns"
	UnitBytes       Unit = "bytes"
	UnitJoules      Unit = "Joules"
)

// Domain says in which mode of the processor an event counts: the letters of
// perf's modifiers, in the order u, k, h. User and kernel mode together is the
// default and is written as nothing.
type Domain string

const (
	DomainAll        Domain = ""  // user and kernel mode together: the default
	DomainUser       Domain = "u" // user mode only
	DomainKernel     Domain = "k" // kernel mode only
	DomainHypervisor Domain = "h" // hypervisor mode only
)

// An Event is one thing that can be counted: the name people know it by and
// what perf_event_open(2) has to be told. Events are comparable values; they
// come from Parse or DefaultEvents and are changed only by Probe, which may
// have to take kernel mode away.
type Event struct {
	// Name is what perf prints, with modifiers: "cycles", "cycles:u",
	// "sched:sched_wakeup". Aliases are resolved to the name of perf's own
	// table ("cs" is "context-switches"), so that recordings of the same event
	// always agree on its name.
	Name string
	// Spec is the text that Parse turns into this event again. It differs from
	// Name when the user named a PMU event himself (cpu/event=0xc0,name=x/).
	Spec string

	Source Source
	Unit   Unit    // of the value, after Scale
	Scale  float64 // value = raw count * Scale; 0 means 1
	Domain Domain  // the modes that are really counted

	// PMU names the device that counts the event, as sysfs does ("cpu",
	// "cpu_core", "power"); "software" and "tracepoint" for those. Empty for
	// SourceRun and for a sum.
	PMU string
	// CPUs limits the event to these CPUs, in sysfs notation ("0-7"): those of
	// one kind of core of a hybrid processor, or those on which an uncore PMU
	// is read. Empty: any.
	CPUs string
	// Uncore is set for a PMU that counts a whole package or system. It cannot
	// be attached to a task.
	Uncore bool

	Attr Attr

	// Group numbers the braces that the event stood in, from 1; 0 is none.
	Group int

	// Sum is the number of events directly behind this one whose readings it
	// adds up, each of them on its own PMU (hybrid processors, several memory
	// controllers); 0 for an ordinary event. A sum has no counter of its own.
	Sum int
	// Part is set on an event that a sum before it adds up.
	Part bool
}

// String returns the event as Parse takes it.
func (e Event) String() string { return e.Spec }

// Value converts a raw count to the event's unit.
func (e Event) Value(raw float64) float64 {
	if e.Scale == 0 {
		return raw
	}
	return raw * e.Scale
}

// State says whether a Reading holds a count.
type State uint8

const (
	// Counted: the counter ran for at least part of the time.
	Counted State = iota
	// NotCounted: the counter was open but never ran ("<not counted>").
	NotCounted
	// NotSupported: this machine or this user cannot count the event
	// ("<not supported>").
	NotSupported
	// OtherTurn: the event's group was not open in this run; it has its turn
	// in another block.
	OtherTurn
	// ByRun: the event is of SourceRun; whoever runs the workload fills it in.
	ByRun
)

// String returns the words that perf uses, where it has some.
func (s State) String() string {
	switch s {
	case Counted:
		return "counted"
	case NotCounted:
		return "<not counted>"
	case NotSupported:
		return "<not supported>"
	case OtherTurn:
		return "other turn"
	case ByRun:
		return "by run"
	}
	return "unknown state"
}

// Reading is what one counter said of one run.
type Reading struct {
	State   State
	Raw     uint64        // the count, in the event's unit before Event.Scale
	Enabled time.Duration // summed over all tasks that were counted
	Running time.Duration // at most Enabled; less means multiplexed
}

// Multiplexed reports whether the counter ran for only a part of the time for
// which it was enabled, so that Raw is not the whole count.
func (r Reading) Multiplexed() bool {
	return r.State == Counted && r.Running < r.Enabled
}

// Share is the part of the enabled time for which the counter ran, 0 to 1.
func (r Reading) Share() float64 {
	if r.Enabled <= 0 {
		return 0
	}
	return float64(r.Running) / float64(r.Enabled)
}

// Scaled extrapolates the count to the whole enabled time, as perf stat does.
// It is an estimate whenever Share is below 1. Zero when the counter never ran:
// look at State first.
func (r Reading) Scaled() float64 {
	if r.Running <= 0 {
		return 0
	}
	return float64(r.Raw) * (float64(r.Enabled) / float64(r.Running))
}
