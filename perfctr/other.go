//go:build !linux

package perfctr

// prepared is empty where nothing can be opened.
type prepared struct{}

// A Set is the counters of one run, open. There are none on this system.
type Set struct{}

// Probe says that no event of the kernel can be counted on this system.
func Probe(events []Event, target Target) []Support {
	out := make([]Support, len(events))
	for i, e := range events {
		out[i] = Support{Event: e, Status: No, Err: ErrNotSupported,
			Reason: "counting needs Linux: perf_event_open(2) is its own"}
		if e.Source == SourceRun {
			out[i] = Support{Event: e, Status: Yes}
		}
	}
	return out
}

// Pack returns ErrNotSupported.
func Pack(supports []Support, options PackOptions) (*Packing, error) {
	return nil, ErrNotSupported
}

// Open returns ErrNotSupported.
func Open(p *Packing, turn int, target Target) (*Set, error) { return nil, ErrNotSupported }

// Enable returns ErrNotSupported.
func (s *Set) Enable() error { return ErrNotSupported }

// Disable returns ErrNotSupported.
func (s *Set) Disable() error { return ErrNotSupported }

// Read returns ErrNotSupported.
func (s *Set) Read() ([]Reading, error) { return nil, ErrNotSupported }

// Close has nothing to close.
func (s *Set) Close() error { return nil }

// A Hold keeps nothing on this system.
type Hold struct{}

// KeepReady returns ErrNotSupported.
func KeepReady(p *Packing) (*Hold, error) { return nil, ErrNotSupported }

// Close has nothing to close.
func (h *Hold) Close() error { return nil }

// List lists what is measured around a run; nothing else is on this system.
func List(match string, target Target) ([]Listing, error) {
	all, _ := (&System{}).listings(match)
	for i := range all {
		all[i].Support = Probe([]Event{all[i].Support.Event}, target)[0]
	}
	return all, ErrNotSupported
}

// PMUs lists nothing on this system.
func PMUs() []PMU { return nil }
