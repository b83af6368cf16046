package perfctr

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// A Kind is a chapter of the list of events.
type Kind string

// The kinds, in the order in which they are listed.
const (
	KindRun        Kind = "measured around the run"
	KindHardware   Kind = "hardware event"
	KindSoftware   Kind = "software event"
	KindCache      Kind = "hardware cache event"
	KindPMU        Kind = "PMU event"
	KindTracepoint Kind = "tracepoint"
)

// A Listing is one line of the list of events.
type Listing struct {
	Name    string // as Parse takes it
	Aliases []string
	Kind    Kind
	Support Support
}

// A PMU is a device that counts.
type PMU struct {
	Name   string
	Type   uint32
	CPUs   string // as in sysfs; empty: all, or not said
	Uncore bool
	Events []string // that sysfs names
	// Width is the size of a counter in bits, 0 when the kernel does not say
	// (perf_event_mmap_page.pmc_width, where user space may read counters: always
	// on x86, on ARM where the sysctl kernel.perf_user_access is 1).
	Width int
	// Counters is how many events of one kind were seen to be counted at the same
	// time, 0 when none were. What the NMI watchdog and other users hold is not
	// among them.
	Counters int
}

// listings enumerates what there is, by kind, without asking the kernel. Only
// names and aliases that contain match, or that it matches as a pattern, are
// listed. The error is about tracepoints, when those could not be listed; the rest
// is there all the same.
func (s *System) listings(match string) ([]Listing, error) {
	match = strings.ToLower(match)
	var out []Listing
	add := func(kind Kind, event Event, aliases ...string) {
		for _, name := range append([]string{event.Spec}, aliases...) {
			if name = strings.ToLower(name); strings.Contains(name, match) || glob(match, name) {
				out = append(out, Listing{Name: event.Spec, Aliases: aliases, Kind: kind, Support: Support{Event: event}})
				return
			}
		}
	}
	for _, kind := range []Kind{KindRun, KindHardware, KindSoftware} {
		for _, g := range generics() {
			if g.kind() == kind {
				add(kind, s.generic(g, modifiers{})[0], g.aliases...)
			}
		}
	}
	for _, id := range cacheIDs() {
		add(KindCache, s.onCores(cacheEvent(id), modifiers{})[0])
	}
	for _, pmu := range s.pmus() {
		for _, name := range s.pmuEvents(pmu) {
			// An event that wants a value (event=?) does not parse as it is.
			spec := pmu + "/" + name + "/"
			if events, err := s.Parse(spec); err == nil {
				add(KindPMU, events[0])
			} else {
				add(KindPMU, Event{Name: spec, Spec: spec, PMU: pmu})
			}
		}
	}
	names, err := s.tracepointNames()
	for _, n := range names {
		add(KindTracepoint, Event{Name: n, Spec: n, PMU: pmuTracepoint, Attr: Attr{Type: typeTracepoint}})
	}
	return out, err
}

func (g generic) kind() Kind {
	switch {
	case g.source == SourceRun:
		return KindRun
	case g.typ == typeSoftware:
		return KindSoftware
	}
	return KindHardware
}

// tracepointNames lists all tracepoints as subsystem:name, without reading the
// two thousand files that hold their numbers.
func (s *System) tracepointNames() ([]string, error) {
	dir, err := s.tracefs()
	if err != nil {
		return nil, errTracefs(err)
	}
	subsystems, err := list(s.Root, dir)
	if err != nil {
		return nil, errTracefs(err)
	}
	var names []string
	for _, sub := range subsystems {
		inside, err := fs.ReadDir(s.Root, path.Join(dir, sub))
		if err != nil || sub == "ftrace" { // ftrace's own records have no counters
			continue
		}
		for _, e := range inside {
			if e.IsDir() {
				names = append(names, sub+":"+e.Name())
			}
		}
	}
	return names, nil
}

// errTracefs says what to do about a tracefs that cannot be read.
func errTracefs(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return errors.New("tracepoints are not listed: tracefs may be read by root only: run as root, or let others in with " +
			"`mount -o remount,mode=755 /sys/kernel/tracing`")
	}
	return errors.New("tracepoints are not listed: tracefs is not mounted: `mount -t tracefs tracefs /sys/kernel/tracing` as root")
}
