package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"microcost/compare"
)

// sweepOfTwo is a sweep in which B takes 10 % less time at one point and a fifth
// more at the other.
func sweepOfTwo() *SweepDocument {
	metric := compare.Metric{Name: "elapsed", Unit: compare.Nanoseconds, Better: compare.LowerBetter}
	point := func(name string, ratio float64, v compare.Verdict) compare.SweepPoint {
		log := math.Log(ratio)
		return compare.SweepPoint{Point: compare.Point{Name: name}, Comparison: &compare.Comparison{Metrics: []compare.MetricResult{{
			Metric: metric,
			Summaries: []compare.Summary{
				{N: 10, Mean: 2e9, Median: 2e9, StdDev: 1e7}, {N: 10, Mean: 2e9 * ratio, Median: 2e9 * ratio, StdDev: 2e7},
			},
			Deltas: []compare.Delta{{
				Scale: compare.LogScale, Estimate: log, Lo: log - 0.01, Hi: log + 0.01, Floor: 0.01, Flag: true, Verdict: v,
			}},
		}}}}
	}
	return &SweepDocument{Blocks: 2, Result: &compare.SweepResult{Alpha: 0.05, Family: 2, Points: []compare.SweepPoint{
		point("groups=1", 0.9, compare.Less), point("groups=16", 1.2, compare.More),
	}}}
}

func TestSweepTextShowsImprovement(t *testing.T) {
	var b bytes.Buffer
	if err := SweepText(&b, sweepOfTwo(), TextOptions{}); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		"elapsed A mean median stddev B mean median stddev improvement interval verdict",
		"groups=1 2.0000 s 2.0000 s 0.0100 s 1.8000 s 1.8000 s 0.0200 s +10.0 % [+9.1, +10.9] % better",
		"groups=16 2.0000 s 2.0000 s 0.0100 s 2.4000 s 2.4000 s 0.0200 s -20.0 % [-21.2, -18.8] % worse",
		"95 % confidence for all 2 comparisons together",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestSweepJSON(t *testing.T) {
	var b bytes.Buffer
	if err := SweepJSON(&b, sweepOfTwo()); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Format string
		Points []struct {
			Name    string
			Metrics []struct {
				Metric, Verdict string
				Estimate        float64
				A, B            struct{ Median float64 }
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Format != "microcost-sweep" || len(got.Points) != 2 || got.Points[1].Name != "groups=16" {
		t.Fatalf("%+v", got)
	}
	if m := got.Points[0].Metrics[0]; m.Metric != "elapsed" || m.Verdict != "less" || math.Abs(m.Estimate-math.Log(0.9)) > 1e-12 || m.B.Median != 1.8e9 {
		t.Errorf("%+v", m)
	}
}
