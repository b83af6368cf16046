package compare

import (
	"math"
	"slices"

	"github.com/montanaflynn/stats"
)

// summaries describes each variant's values of the column.
func (c *column) summaries() []Summary {
	var shares []float64
	if c.t.Share != nil {
		shares = c.t.Share[c.index]
	}
	out := make([]Summary, len(c.t.Variants))
	for v := range out {
		out[v] = summarize(c.sorted[v])
		out[v].whole(c.t, c.index, v)
		out[v].Share = 1
	}
	for i, s := range shares {
		if c.raw[i] == c.raw[i] {
			v := c.t.Runs[i].Variant
			out[v].Share = min(out[v].Share, s)
		}
	}
	return out
}

// summarize describes ascending values.
func summarize(x []float64) Summary {
	if len(x) == 0 {
		nan := math.NaN()
		return Summary{Median: nan, Mean: nan, StdDev: nan, MAD: nan, Min: nan, Max: nan}
	}
	s := Summary{N: len(x), Min: x[0], Max: x[len(x)-1], Mean: mean(x), StdDev: math.NaN()}
	s.Median = middleOf(x)
	if len(x) > 1 {
		s.StdDev, _ = stats.StandardDeviationSample(x)
	}
	low, high := fences(x)
	from, _ := slices.BinarySearch(x, low)
	to, _ := slices.BinarySearch(x, math.Nextafter(high, math.Inf(1)))
	s.Outliers = len(x) - (to - from)
	s.MAD = medianOf(distances(x, s.Median))
	return s
}

// fences are the bounds beyond which a value counts as an outlier: 1.5
// interquartile ranges from the quartiles (Tukey 1977), which are interpolated
// between order statistics (type 7 of Hyndman & Fan 1996). x must ascend.
func fences(x []float64) (low, high float64) {
	q1, q3 := quantile(x, 0.25), quantile(x, 0.75)
	return q1 - 1.5*(q3-q1), q3 + 1.5*(q3-q1)
}

func quantile(x []float64, p float64) float64 {
	h := p * float64(len(x)-1)
	i := int(h)
	if i+1 >= len(x) {
		return x[len(x)-1]
	}
	return x[i] + (h-float64(i))*(x[i+1]-x[i])
}

// distances are the absolute deviations from a centre.
func distances(x []float64, centre float64) []float64 {
	dev := make([]float64, len(x))
	for i, v := range x {
		dev[i] = math.Abs(v - centre)
	}
	return dev
}
