package compare

import (
	"math"
	"slices"
	"testing"

	"github.com/montanaflynn/stats"
)

// TestSummary against the descriptive statistics of a library, and by hand.
func TestSummary(t *testing.T) {
	rng := newRand(t, 31)
	x := make([]float64, 101)
	for i := range x {
		x[i] = rng.ExpFloat64()
	}
	slices.Sort(x)
	s := summarize(x)
	med, _ := stats.Median(x)
	avg, _ := stats.Mean(x)
	sd, _ := stats.StandardDeviationSample(x)
	mad, _ := stats.MedianAbsoluteDeviation(x)
	for _, c := range [][2]float64{{s.Median, med}, {s.Mean, avg}, {s.StdDev, sd}, {s.MAD, mad}, {s.Min, x[0]}, {s.Max, x[100]}} {
		if math.Abs(c[0]-c[1]) > 1e-12 {
			t.Errorf("%v, want %v: %+v", c[0], c[1], s)
		}
	}
	if s := summarize([]float64{1, 2, 3, 4, 100}); s.Outliers != 1 {
		t.Errorf("%+v", s)
	}
	if s := summarize(nil); s.N != 0 || !math.IsNaN(s.Median) {
		t.Errorf("%+v", s)
	}
	if s := summarize([]float64{7}); s.N != 1 || s.Median != 7 || !math.IsNaN(s.StdDev) {
		t.Errorf("%+v", s)
	}
}
