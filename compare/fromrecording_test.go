package compare

import (
	"math"
	"testing"
	"time"

	"microcost/workload/recording"
)

// session returns a session in random blocks of two variants.
func session(id int, boot string, events ...recording.Event) recording.Session {
	return recording.Session{
		ID:       id,
		Variants: []recording.Variant{{Label: "A"}, {Label: "B"}},
		Events:   events,
		Plan:     recording.Plan{Schedule: recording.RandomBlocks},
		Env:      recording.Env{BootID: boot},
	}
}

func whole(raw uint64) *recording.Count {
	return &recording.Count{Raw: raw, Enabled: time.Second, Running: time.Second}
}

func TestFromRecording(t *testing.T) {
	rec := &recording.Recording{
		Sessions: []recording.Session{session(7, "x",
			recording.Event{Name: "elapsed", Source: "run", Unit: "ns", Support: recording.Supported},
			recording.Event{Name: "task-clock", Source: "kernel", Unit: "ns", Support: recording.Supported},
			recording.Event{Name: "instructions", Source: "kernel", Support: recording.Supported, Domain: "u"},
			recording.Event{Name: "cycles", Source: "kernel", Support: recording.Supported, Domain: "u"},
			recording.Event{Name: "branch-misses", Source: "kernel", Support: recording.NotSupported, Reason: "no PMU"},
			recording.Event{Name: "max-rss", Source: "run", Scale: 1024, Support: recording.Supported},
			recording.Event{Name: "faults:u", Source: "kernel", Support: recording.Supported},
			recording.Event{Name: "steal", Source: "run", Unit: "ns", Support: recording.Supported},
		)},
	}
	add := func(variant, block int, warm, failed bool, counts ...*recording.Count) {
		rec.Samples = append(rec.Samples, recording.Sample{
			Session: 7, Variant: variant, Block: block, WarmUp: warm, Failed: failed, Counts: counts,
		})
	}
	half := &recording.Count{Raw: 500, Enabled: 10 * time.Second, Running: 5 * time.Second}
	never := &recording.Count{Raw: 0, Enabled: time.Second}
	add(0, -1, true, false, whole(9))
	add(0, 0, false, false, &recording.Count{Raw: 2e9}, whole(1e9), half, whole(500), nil, whole(3), never, whole(1e9))
	add(1, 0, false, true, whole(9))
	add(1, 0, false, false, &recording.Count{Raw: 4e9}, whole(1e9), whole(900), whole(300), nil, whole(4), never, whole(1e9))

	got, err := FromRecording(rec)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		m    Metric
		x, y float64
	}{
		{Metric{Name: "elapsed", Unit: Nanoseconds, Better: LowerBetter, Resolution: 1}, 2e9, 4e9},
		{Metric{Name: "task-clock", Unit: Nanoseconds, Better: LowerBetter, Resolution: 1}, 1e9, 1e9},
		{Metric{Name: "CPUs utilized", Unit: Ratio, Derived: true}, .5, .25},
		{Metric{Name: "instructions", Better: LowerBetter, Resolution: 1, Integer: true, Domain: "u"}, 1000, 900},
		{Metric{Name: "IPC", Unit: Ratio, Better: HigherBetter, Domain: "u", Derived: true}, 2, 3},
		{Metric{Name: "cycles", Better: LowerBetter, Resolution: 1, Integer: true, Domain: "u"}, 500, 300},
		{Metric{Name: "branch-misses", Better: LowerBetter, Resolution: 1, Integer: true, Absent: "<not supported>", Reason: "no PMU"}, math.NaN(), math.NaN()},
		{Metric{Name: "max-rss", Unit: Bytes, Better: LowerBetter, Resolution: 4096}, 3072, 4096},
		{Metric{Name: "faults:u", Better: LowerBetter, Resolution: 1, Integer: true, Absent: "<not counted>", Reason: notCounted}, math.NaN(), math.NaN()},
	}
	if len(got.Metrics) != len(want) {
		t.Fatalf("metrics: %+v", got.Metrics)
	}
	for i, w := range want {
		if got.Metrics[i] != w.m {
			t.Errorf("metric %d is %+v, want %+v", i, got.Metrics[i], w.m)
		}
		for j, x := range []float64{w.x, w.y} {
			if g := got.Values[i][j]; g != x && !(math.IsNaN(g) && math.IsNaN(x)) {
				t.Errorf("%s of run %d is %v, want %v", w.m.Name, j, g, x)
			}
		}
	}
	if s := got.Share; s == nil || s[3] == nil || s[3][0] != .5 || s[4][0] != .5 || s[0] != nil {
		t.Errorf("shares: %v", s)
	}
	if d := got.Disturbed; len(d) != 2 || d[0] != .5 || d[1] != .25 {
		t.Errorf("disturbed: %v", d)
	}
	if got.RunCost != 3e9 {
		t.Errorf("a run costs %v", got.RunCost)
	}
	if r := got.Runs[1]; r != (Run{Variant: 1}) {
		t.Errorf("run: %+v", r)
	}
	rates := Rates(got)
	if rates[3][0] != 1000 || rates[3][1] != 900 || !math.IsNaN(rates[0][0]) || !math.IsNaN(rates[4][0]) {
		t.Errorf("rates: %v", rates)
	}
}

// TestFromRecordingParts: what one kind of core counted is not scaled up, and says
// which share of the time was spent there.
func TestFromRecordingParts(t *testing.T) {
	rec := &recording.Recording{Sessions: []recording.Session{session(0, "x",
		recording.Event{Name: "cycles", Source: "kernel", Support: recording.Supported},
		recording.Event{Name: "cpu_atom/cycles/", Source: "kernel", Support: recording.Supported, Part: true},
		recording.Event{Name: "cpu_core/cycles/", Source: "kernel", Support: recording.Supported, Part: true},
	)}}
	count := func(raw uint64, running time.Duration) *recording.Count {
		return &recording.Count{Raw: raw, Enabled: 10, Running: running}
	}
	for v := range 2 {
		rec.Samples = append(rec.Samples, recording.Sample{Variant: v, Counts: []*recording.Count{count(100, 10), count(30, 4), count(70, 6)}})
	}
	got, err := FromRecording(rec)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{100, 30, 70} {
		if got.Values[k][0] != want || got.Metrics[k].Part != (k > 0) {
			t.Errorf("%s: %v, want %v", got.Metrics[k].Name, got.Values[k][0], want)
		}
	}
	if got.Share[0] != nil || got.Share[1][0] != 0.4 || got.Share[2][0] != 0.6 {
		t.Errorf("shares: %v", got.Share)
	}
	c, err := Compare(got, DefaultOptions)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range c.Warnings {
		if w.Kind == WarnMultiplexed {
			t.Errorf("a warning about turns: %+v", w)
		}
	}
}

// TestFromRecordingTurns: a counter that was open and never ran is told from one
// that was open in no run; of what other tools did only the first can be said, and
// of what their files lack that they do.
func TestFromRecordingTurns(t *testing.T) {
	events := []recording.Event{
		{Name: "cycles", Source: "kernel", Support: recording.Supported},
		{Name: "branches", Source: "kernel", Support: recording.Supported},
		{Name: "refs", Source: "kernel", Support: recording.NotSupported, Reason: "no PMU"},
	}
	never := &recording.Count{Enabled: time.Second}
	for tool, want := range map[string][3]string{
		"microcost 0.1.0": {notCounted, noTurn, "no PMU"},
		"perf stat":       {notCounted, notCounted, "no PMU"},
		"perf stat text":  {fileSays, "the file (perf stat text) does not have it for single runs", "no PMU"},
	} {
		s := session(0, "x", events...)
		if s.Tool = tool; tool == "perf stat text" {
			s.Tool, s.Imported = "microcost 0.1.0", tool
		}
		got, err := FromRecording(&recording.Recording{Sessions: []recording.Session{s}, Samples: []recording.Sample{
			{Counts: []*recording.Count{never, nil, nil}}, {Variant: 1, Counts: []*recording.Count{never, nil, nil}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		for i, reason := range want {
			if m := got.Metrics[i]; m.Absent == "" || m.Reason != reason {
				t.Errorf("%s: %s is %s, %q; want %q", tool, m.Name, m.Absent, m.Reason, reason)
			}
		}
	}
}

// TestFromRecordingSessions: labels and boots join sessions, and only random
// blocks are blocks.
func TestFromRecordingSessions(t *testing.T) {
	elapsed := recording.Event{Name: "elapsed", Source: "run", Support: recording.Supported}
	faults := recording.Event{Name: "faults", Source: "kernel", Support: recording.NotPermitted, Reason: "paranoid"}
	counted := faults
	counted.Support, counted.Reason = recording.Supported, ""
	rec := &recording.Recording{Sessions: []recording.Session{
		session(0, "x", elapsed, faults),
		session(1, "x", counted, elapsed),
		session(2, "", elapsed),
		session(3, "", elapsed),
	}}
	rec.Sessions[1].Variants = []recording.Variant{{Label: "B"}, {Label: "A"}, {Label: "B"}}
	rec.Sessions[2].Plan.Schedule = recording.Sequential
	for s, v := range [][2]int{{0, 1}, {0, 2}, {0, 1}, {0, 1}} {
		for b, x := range v {
			c := []*recording.Count{whole(uint64(10*s + x))}
			rec.Samples = append(rec.Samples, recording.Sample{Session: s, Variant: x, Block: b, Position: b, Counts: c})
		}
	}
	got, err := FromRecording(rec)
	if err != nil {
		t.Fatal(err)
	}
	want := []Run{
		{0, 0, 0, 0, 0}, {1, 0, 0, 1, 1},
		{1, 1, 0, 0, 0}, {2, 1, 0, 1, 1},
		{0, 2, 1, -1, 0}, {1, 2, 1, -1, 0},
		{0, 3, 2, 0, 0}, {1, 3, 2, 1, 1},
	}
	if len(got.Variants) != 3 || got.Variants[2] != "B (2)" {
		t.Errorf("variants %q", got.Variants)
	}
	for i, w := range want {
		if got.Runs[i] != w {
			t.Errorf("run %d: %+v, want %+v", i, got.Runs[i], w)
		}
	}
	if m := got.Metrics[1]; m.Absent != "" || len(got.Metrics) != 2 || got.Values[1][2] != 10 {
		t.Errorf("%+v %v", got.Metrics, got.Values)
	}

	for _, c := range []struct {
		name string
		edit func(*recording.Recording)
	}{
		{"session", func(r *recording.Recording) { r.Samples[0].Session = 9 }},
		{"variant", func(r *recording.Recording) { r.Samples[0].Variant = 2 }},
		{"counts", func(r *recording.Recording) { r.Samples[0].Counts = make([]*recording.Count, 3) }},
		{"no sample", func(r *recording.Recording) { r.Samples = nil }},
		{"no session", func(r *recording.Recording) { r.Sessions = nil }},
	} {
		bad := *rec
		bad.Samples = append([]recording.Sample(nil), rec.Samples...)
		c.edit(&bad)
		if _, err := FromRecording(&bad); err == nil {
			t.Errorf("%s: no error", c.name)
		}
	}
}

func TestSplitModifier(t *testing.T) {
	for _, c := range [][3]string{
		{"cycles", "cycles", ""}, {"cycles:u", "cycles", "u"}, {"cycles:ukhpp", "cycles", "ukhpp"},
		{"sched:sched_switch", "sched:sched_switch", ""}, {"sched:sched_switch:u", "sched:sched_switch", "u"}, {"cpu/event=0x3c/", "cpu/event=0x3c/", ""},
	} {
		if base, mod := splitModifier(c[0]); base != c[1] || mod != c[2] {
			t.Errorf("%q is %q and %q", c[0], base, mod)
		}
	}
}
