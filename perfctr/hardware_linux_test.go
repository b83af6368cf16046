package perfctr

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// needPMU skips where instructions cannot be counted.
func needPMU(t *testing.T) {
	t.Helper()
	if s := Probe([]Event{one(t, Host(), "instructions")}, Command())[0]; s.Status != Yes || s.Event.Domain != DomainAll {
		// No environment promises a PMU: most virtual machines have none.
		t.Skip("unmet need: counting instructions in all modes: " + s.Reason)
	}
}

// countTurns counts one run of the child for each turn, and returns the reading
// that each event has in its own turn.
func countTurns(t *testing.T, p *Packing, name string) []Reading {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	out := make([]Reading, len(p.Events))
	for turn := range p.Turns {
		s, err := Open(p, turn, Command())
		if err != nil {
			t.Fatal(err)
		}
		if text, err := childCommand(name).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		r, err := s.Read()
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		for i := range r {
			if r[i].State != OtherTurn {
				out[i] = r[i]
			}
		}
	}
	return out
}

// TestHardware: user and kernel mode add up to both.
func TestHardware(t *testing.T) {
	needPMU(t)
	p := packHost(t, "cycles,instructions,instructions:u,instructions:k", Command())
	r := countTurns(t, p, "member")
	for i, e := range p.Events {
		t.Logf("%-20s %+v", e, r[i])
		if e.Sum == 0 && r[i].Multiplexed() || r[i].State != Counted {
			t.Errorf("%s: %+v", e, r[i])
		}
	}
	if len(p.Events) != 4 {
		return // a hybrid processor: the modes stand further down
	}
	all, both := float64(r[1].Raw), float64(r[2].Raw+r[3].Raw)
	if abs(all-both) > 0.02*all {
		t.Errorf("instructions %v, in user and kernel mode together %v", all, both)
	}
}

// TestHardwareTurns: more events than a PMU holds take turns, and each runs the
// whole time in its own; multiplexed, they do not.
func TestHardwareTurns(t *testing.T) {
	needPMU(t)
	const n = 24
	list := strings.TrimSuffix(strings.Repeat("instructions,", n), ",")
	p := packHost(t, list, Command())
	if p.Turns < 2 {
		t.Fatalf("%d events of one kind fit a PMU: %+v", n, p.Groups)
	}
	t.Logf("%d turns: %q", p.Turns, p.Advice(Host(), 0))
	for i, r := range countTurns(t, p, "member") {
		if r.State != Counted || p.Events[i].Sum == 0 && !p.Events[i].Part && r.Share() != 1 {
			t.Errorf("event %d: %+v", i, r)
		}
	}
	m, err := Pack(Probe(p.Events, Command()), PackOptions{Multiplex: true})
	if err != nil {
		t.Fatal(err)
	}
	less := 0
	for _, r := range countTurns(t, m, "member") {
		if r.State == NotCounted || r.Multiplexed() {
			less++
		}
	}
	if m.Turns != 1 || less == 0 {
		t.Errorf("multiplexed: %d turns, %d of %d counters ran for a part of the time", m.Turns, less, n)
	}
}

// TestHardwareByName: what sysfs calls by name is what the generic event counts.
func TestHardwareByName(t *testing.T) {
	needPMU(t)
	s := Host()
	if len(s.corePMUs()) != 1 {
		t.Skip("unmet need: one kind of core")
	}
	name := ""
	for _, n := range []string{"inst_retired", "instructions"} {
		if s.pmuFile(s.core(), "events/"+n) != "" {
			name = fmt.Sprintf("%s/%s/", s.core(), n)
		}
	}
	if name == "" {
		t.Skip("unmet need: a named event for instructions")
	}
	p := packHost(t, "{instructions,"+name+"}", Command())
	r := countTurns(t, p, "member")
	t.Logf("instructions %+v, %s %+v", r[0], name, r[1])
	if r[0].State != Counted || r[0].Raw != r[1].Raw {
		t.Errorf("instructions %+v, %s %+v", r[0], name, r[1])
	}
}

// TestHardwareCounters: the PMU has some, of a size.
func TestHardwareCounters(t *testing.T) {
	needPMU(t)
	for _, p := range PMUs() {
		t.Logf("%s: %d counters of %d bits", p.Name, p.Counters, p.Width)
	}
}
