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
		{Metric{Name: "faults:u", Better: LowerBetter, Resolution: 1, Integer: true, Absent: "<not counted>"}, math.NaN(), math.NaN()},
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
