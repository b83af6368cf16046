package perfctr

import (
	"fmt"
	"strings"
	"testing"
)

// packed packs a list on a fixture whose PMUs hold size counters each, and
// describes the groups.
func packed(t *testing.T, sys, list string, size int, multiplex bool) string {
	t.Helper()
	events, err := fixture(t, sys).Parse(list)
	if err != nil {
		t.Fatal(err)
	}
	p := &Packing{Events: events, Multiplexed: multiplex}
	for range events {
		p.supported = append(p.supported, true)
	}
	p.pack(func(members []int) Status {
		if len(members) > size {
			return No
		}
		return Yes
	})
	var b strings.Builder
	for _, g := range p.Groups {
		turn := fmt.Sprint("turn ", g.Turn)
		if g.Turn == Always {
			turn = "always"
		}
		var names []string
		for _, i := range g.Members {
			names = append(names, p.Events[i].Name)
		}
		if g.Fits != Yes {
			turn += ", does not fit"
		}
		fmt.Fprintf(&b, "%s: %s\n", turn, strings.Join(names, " "))
	}
	fmt.Fprintf(&b, "%d turns", p.Turns)
	return b.String()
}

func TestPack(t *testing.T) {
	check := func(sys, list string, size int, multiplex bool, want string) {
		t.Helper()
		want = strings.TrimSpace(strings.ReplaceAll(want, "\t", ""))
		if got := packed(t, sys, list, size, multiplex); got != want {
			t.Errorf("%s: %q in groups of %d:\n%s\nwant\n%s", sys, list, size, got, want)
		}
	}
	check("intel", "elapsed,task-clock,cycles,instructions,cs,branches", 3, false, `
		always: task-clock context-switches
		always: cycles instructions branches
		1 turns`)
	check("intel", "cycles,instructions,branches,branch-misses,cache-references,cs", 2, false, `
		always: context-switches
		turn 0: cycles instructions
		turn 1: branches branch-misses
		turn 2: cache-references
		3 turns`)
	check("intel", "cycles,instructions,branches", 2, true, `
		always: cycles instructions
		always: branches
		1 turns`)
	// A group of the user's stays together, whatever it costs in turns.
	check("intel", "cycles,{branches,branch-misses},instructions", 2, false, `
		turn 0: cycles
		turn 1: branches branch-misses
		turn 2: instructions
		3 turns`)
	check("intel", "{cycles,instructions,branches},cs", 2, false, `
		always: context-switches
		always, does not fit: cycles instructions branches
		1 turns`)
	check("intel", "{cycles,cs},{faults,task-clock}", 2, false, `
		always: page-faults task-clock
		always: cycles context-switches
		1 turns`)
	// Pinned and exclusive are about a whole group.
	check("intel", "cycles:D,instructions,branches,cs:D", 4, false, `
		always: context-switches:D
		turn 0: cycles:D
		turn 1: instructions branches
		2 turns`)
	// Each PMU has its own groups; they do not compete.
	check("intel-hybrid", "cycles,instructions,power/energy-pkg/", 1, false, `
		turn 0: cpu_atom/cycles/
		turn 1: cpu_atom/instructions/
		turn 0: cpu_core/cycles/
		turn 1: cpu_core/instructions/
		always: power/energy-pkg/
		2 turns`)
	check("intel-hybrid", "{cycles,instructions}", 2, false, `
		always: cpu_atom/cycles/ cpu_atom/instructions/
		always: cpu_core/cycles/ cpu_core/instructions/
		1 turns`)
}

// TestPackManySoftware checks that no group becomes larger than the kernel can
// read.
func TestPackManySoftware(t *testing.T) {
	p := &Packing{}
	for range 2*MaxGroup + 1 {
		p.Events = append(p.Events, Event{Name: "x:y", Attr: Attr{Type: typeTracepoint}})
		p.supported = append(p.supported, true)
	}
	p.pack(nil)
	if len(p.Groups) != 3 || len(p.Groups[0].Members) != MaxGroup || len(p.Groups[2].Members) != 1 {
		t.Errorf("%d groups", len(p.Groups))
	}
}

func TestNarrow(t *testing.T) {
	check := func(sys, list string, cpus []int, want string) {
		t.Helper()
		events, err := fixture(t, sys).Parse(list)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range Narrow(events, cpus) {
			names = append(names, e.Name+"@"+e.PMU)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s on %v: %s, want %s", list, cpus, got, want)
		}
	}
	check("intel-hybrid", "cycles,cs", []int{0, 1}, "cycles@cpu_core context-switches@software")
	check("intel-hybrid", "cycles,cs", []int{16}, "cycles@cpu_atom context-switches@software")
	check("intel-hybrid", "cycles", []int{15, 16}, "cycles@ cpu_atom/cycles/@cpu_atom cpu_core/cycles/@cpu_core")
	check("intel-hybrid", "cycles", nil, "cycles@ cpu_atom/cycles/@cpu_atom cpu_core/cycles/@cpu_core")
	check("intel-hybrid", "cycles", []int{99}, "cycles@ cpu_atom/cycles/@cpu_atom cpu_core/cycles/@cpu_core")
	check("intel", "cycles,imc/cas_count_read/", []int{3}, "cycles@cpu imc/cas_count_read/@ uncore_imc_0/cas_count_read/@uncore_imc_0 uncore_imc_1/cas_count_read/@uncore_imc_1")
}

func TestAddSums(t *testing.T) {
	events := []Event{{Sum: 2}, {Part: true}, {Part: true}}
	check := func(a, b, want Reading) {
		t.Helper()
		r := []Reading{{State: OtherTurn}, a, b}
		addSums(events, r)
		if r[0] != want {
			t.Errorf("%+v and %+v: %+v, want %+v", a, b, r[0], want)
		}
	}
	// 70 of 100 ns on one kind of core and 30 on the other: counted all the time.
	check(Reading{Counted, 700, 100, 70}, Reading{Counted, 90, 100, 30}, Reading{Counted, 790, 100, 100})
	check(Reading{Counted, 700, 100, 100}, Reading{NotCounted, 0, 100, 0}, Reading{Counted, 700, 100, 100})
	check(Reading{Counted, 700, 100, 50}, Reading{Counted, 90, 100, 25}, Reading{Counted, 790, 100, 75})
	check(Reading{NotCounted, 0, 100, 0}, Reading{NotCounted, 0, 100, 0}, Reading{NotCounted, 0, 100, 0})
	check(Reading{State: OtherTurn}, Reading{State: OtherTurn}, Reading{State: OtherTurn})
}

func TestReading(t *testing.T) {
	r := Reading{Counted, 100, 40, 10}
	if r.Share() != 0.25 || r.Scaled() != 400 || !r.Multiplexed() {
		t.Errorf("a quarter: share %v, scaled %v, multiplexed %v", r.Share(), r.Scaled(), r.Multiplexed())
	}
	if r := (Reading{State: NotCounted, Enabled: 40}); r.Share() != 0 || r.Scaled() != 0 || r.Multiplexed() {
		t.Errorf("not counted: %+v", r)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"cycles", "instructions", "sched:sched_wakeup", "sched:sched_wakeup_new"}
	for name, want := range map[string]string{"cylces": "cycles", "INSTRUCTIONS": "instructions", "sched_wakeup": "sched:sched_wakeup", "zzz": ""} {
		got := append(nearest(name, known), "")[0]
		if got != want {
			t.Errorf("nearest to %q: %q, want %q", name, got, want)
		}
	}
}

func TestAdvice(t *testing.T) {
	p := &Packing{Events: []Event{{Name: "cycles"}, {Name: "branches"}, {Name: "cs"}}, Turns: 2, Groups: []Group{
		{Members: []int{2}, Turn: Always, Fits: Yes, PMU: "software"},
		{Members: []int{0}, Turn: 0, Fits: Yes, PMU: "cpu"}, {Members: []int{1}, Turn: 1, Fits: No, PMU: "cpu"}}}
	s := fixture(t, "trace")
	got := strings.Join(p.Advice(s, 0), "\n")
	for _, want := range []string{"branches did not run when tried", "the PMU cpu does not hold all events at once: they take turns in 2 groups"} {
		if !strings.Contains(got, want) {
			t.Errorf("advice %q does not say %q", got, want)
		}
	}
	if strings.Contains(got, "watchdog") {
		t.Errorf("advice %q is about a watchdog that is off", got)
	}
	if strings.Contains(got, "no run") {
		t.Errorf("advice %q knows how many runs are planned", got)
	}
	if got := strings.Join(p.Advice(s, 1), "\n"); !strings.Contains(got, "of 2 turns 1 get no run") {
		t.Errorf("advice for one run: %q", got)
	}
	if got := strings.Join(p.Advice(s, 2), "\n"); strings.Contains(got, "no run") {
		t.Errorf("advice for two runs: %q", got)
	}
	p.Groups, p.Turns = p.Groups[:2], 1
	p.Groups[1].Turn = Always
	if got := p.Advice(s, 0); len(got) > 0 {
		t.Errorf("advice where all is well: %q", got)
	}
}
