package workload

import (
	"time"

	"microcost/perfctr"
	"microcost/workload/recording"
)

// outside is what is known of a run without any counter: the clock, and what
// wait4(2) says of the command and the children that it waited for.
type outside struct {
	elapsed, user, system time.Duration
	maxRSS                uint64            // bytes; 0 is not known
	own                   map[string]uint64 // what a built-in workload says of itself, by event
	windowed              bool              // nothing was run: the clock is all there is
}

// turnOf is the turn of the PMU's groups in a block. It depends on the block
// alone, so that all variants of a block are counted alike.
func turnOf(p *perfctr.Packing, block int) int {
	return max(block, 0) % p.Turns
}

// counts are one run's values in the order of the events.
func counts(p *perfctr.Packing, readings []perfctr.Reading, o outside) []*recording.Count {
	list := make([]*recording.Count, len(readings))
	values := make([]recording.Count, len(readings)) // one allocation for all
	for i, r := range readings {
		c := &values[i]
		switch r.State {
		case perfctr.Counted, perfctr.NotCounted:
			*c = recording.Count{Raw: r.Raw, Enabled: r.Enabled, Running: r.Running}
		case perfctr.ByRun:
			raw, ok := o.value(p.Events[i].Name)
			if !ok {
				continue
			}
			// A clock is always running: for as long as the run took.
			*c = recording.Count{Raw: raw, Enabled: o.elapsed, Running: o.elapsed}
		default:
			continue // another turn, or not supported: no value
		}
		list[i] = c
	}
	return list
}

// value is what is known of an event of perfctr.SourceRun.
func (o outside) value(event string) (raw uint64, ok bool) {
	switch event {
	case "elapsed":
		return uint64(o.elapsed), true
	case "user":
		return uint64(o.user), !o.windowed
	case "system":
		return uint64(o.system), !o.windowed
	case "max-rss":
		return o.maxRSS, o.maxRSS > 0
	}
	raw, ok = o.own[event]
	return raw, ok
}

// Events is what a recording keeps of the events, from the answers of the probe.
func Events(supports []perfctr.Support) []recording.Event {
	list := make([]recording.Event, len(supports))
	for i, s := range supports {
		e := recording.Event{
			Name: s.Event.Name, Source: "kernel", Unit: string(s.Event.Unit), Scale: s.Event.Scale,
			Domain: string(s.Event.Domain), Support: recording.Supported, Reason: s.Reason,
			Part: s.Event.Part && !s.Event.Uncore,
		}
		if s.Event.Source == perfctr.SourceRun {
			e.Source = "run"
		}
		switch s.Status {
		case perfctr.Yes:
		case perfctr.NotPermitted:
			e.Support = recording.NotPermitted
		default:
			e.Support = recording.NotSupported
		}
		list[i] = e
	}
	return list
}
