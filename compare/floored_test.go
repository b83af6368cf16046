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
