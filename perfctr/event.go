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

// Domain says in which mode of the processor an event counts.
type Domain string

const (
	DomainAll    Domain = ""  // user and kernel mode together: the default
	DomainUser   Domain = "u" // user mode only
	DomainKernel Domain = "k" // kernel mode only
)

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
)

// Reading is what one counter said of one run.
type Reading struct {
	State   State
	Raw     uint64        // the count, in the event's unit before Event.Scale
	Enabled time.Duration // summed over all tasks that were counted
	Running time.Duration // at most Enabled; less means multiplexed
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
