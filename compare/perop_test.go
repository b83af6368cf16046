package compare

import (
	"slices"
	"testing"

	"microcost/workload/recording"
)

// What an operation costs is taken run by run, beside the total that it comes
// from, and the number of operations stays a metric of its own.
func TestMetricsPerOperation(t *testing.T) {
	event := func(name, unit string) recording.Event {
		return recording.Event{Name: name, Source: "run", Unit: unit, Support: recording.Supported}
	}
	sample := func(run int, raw ...uint64) recording.Sample {
		s := recording.Sample{Run: run}
		for _, x := range raw {
			s.Counts = append(s.Counts, &recording.Count{Raw: x, Enabled: 1, Running: 1})
		}
		return s
	}
	rec := &recording.Recording{
		Sessions: []recording.Session{{
			Variants: []recording.Variant{{Label: "A"}},
			Events:   []recording.Event{event("elapsed", "ns"), event("instructions:k", ""), event("page-faults", ""), event(OperationsEvent, "")},
		}},
		Samples: []recording.Sample{sample(1, 5000, 300, 7, 100), sample(2, 9000, 500, 7, 200), sample(3, 1, 1, 7, 0)},
	}
	table, err := FromRecording(rec)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range table.Metrics {
		names = append(names, m.Name)
	}
	want := []string{"elapsed", "ns/op", "instructions:k", "instructions/op:k", "page-faults", OperationsEvent}
	if !slices.Equal(names, want) {
		t.Fatalf("metrics %q, want %q", names, want)
	}
	for column, values := range map[int][]float64{1: {50, 45}, 3: {3, 2.5}, 5: {100, 200}} {
		if got := table.Values[column][:2]; !slices.Equal(got, values) {
			t.Errorf("%s: %v, want %v", names[column], got, values)
		}
	}
	if x := table.Values[1][2]; x == x {
		t.Errorf("a run without operations has %v ns/op", x)
	}
	if m := table.Metrics[1]; !m.Derived || m.Unit != Nanoseconds || m.Better != LowerBetter || m.Integer {
		t.Errorf("%+v", m)
	}
	if table.Metrics[5].Better != HigherBetter {
		t.Error("more operations are not better")
	}
}
