package compare

import (
	"math"
	"testing"

	"microcost/workload/recording"
)

func TestMaxRSSIsAllOrNothing(t *testing.T) {
	recorded := func(values ...uint64) *Table {
		rec := &recording.Recording{Sessions: []recording.Session{{
			Variants: []recording.Variant{{Label: "A"}, {Label: "B"}},
			Events:   []recording.Event{{Name: "max-rss", Source: "run", Unit: "bytes", Support: recording.Supported}},
			Plan:     recording.Plan{Schedule: recording.RandomBlocks},
		}}}
		for i, v := range values {
			s := recording.Sample{Variant: i % 2, Counts: []*recording.Count{nil}}
			if v > 0 {
				s.Counts[0] = &recording.Count{Raw: v, Enabled: 1, Running: 1}
			}
			rec.Samples = append(rec.Samples, s)
		}
		table, err := FromRecording(rec)
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	whole := recorded(1<<20, 2<<20, 3<<20, 4<<20)
	if m := whole.Metrics[0]; m.Absent != "" || m.Reason != "" || whole.Values[0][3] != 4<<20 {
		t.Errorf("all values there: %+v %v", m, whole.Values[0])
	}
	for _, part := range []*Table{recorded(1<<20, 0, 3<<20, 4<<20), recorded(0, 0)} {
		if m := part.Metrics[0]; m.Absent != "<not counted>" || m.Reason == "" {
			t.Errorf("values missing: %+v", m)
		}
		for _, x := range part.Values[0] {
			if !math.IsNaN(x) {
				t.Errorf("a value is left: %v", part.Values[0])
			}
		}
	}
}

func TestStealIsNoMetric(t *testing.T) {
	for _, events := range [][]string{{"elapsed", "steal"}, {"task-clock", "steal"}} {
		rec := &recording.Recording{Sessions: []recording.Session{{
			Variants: []recording.Variant{{Label: "A"}},
			Plan:     recording.Plan{Schedule: recording.RandomBlocks},
		}}}
		var counts []*recording.Count
		for i, e := range events {
			rec.Sessions[0].Events = append(rec.Sessions[0].Events, recording.Event{Name: e, Unit: "ns", Support: recording.Supported})
			counts = append(counts, &recording.Count{Raw: uint64(100 - 50*i), Enabled: 1, Running: 1})
		}
		rec.Samples = []recording.Sample{{Counts: counts}}
		table, err := FromRecording(rec)
		if err != nil {
			t.Fatal(err)
		}
		if len(table.Metrics) != 1 || table.Metrics[0].Name != events[0] {
			t.Errorf("%v: metrics %+v", events, table.Metrics)
		}
		if known := table.Disturbed != nil; known != (events[0] == "elapsed") || known && table.Disturbed[0] != 0.5 {
			t.Errorf("%v: disturbed %v", events, table.Disturbed)
		}
	}
}
