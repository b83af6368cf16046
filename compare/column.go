package compare

import (
	"math"
	"slices"
)

// A column is one metric of a study, ready to be judged.
type column struct {
	*study
	index  int
	metric *Metric
	raw    []float64
	scale  Scale
	y      []float64   // raw, on scale
	sorted [][]float64 // by variant: raw, ascending, absent ones left out
	level  float64
	exact  bool
}

func (s *study) column(i int) *column {
	c := &column{study: s, index: i, metric: &s.t.Metrics[i], raw: s.t.Values[i], scale: LogScale}
	if slices.ContainsFunc(c.raw, func(x float64) bool { return x <= 0 }) || c.zeros() {
		c.scale = RawScale // a metric with zeros has no ratios
	}
	c.y = c.raw
	if c.scale == LogScale {
		c.y = make([]float64, len(c.raw))
		for i, x := range c.raw {
			c.y[i] = math.Log(x)
		}
	}
	c.sorted = make([][]float64, len(s.t.Variants))
	for v := range c.sorted {
		c.sorted[v] = c.of(c.raw, v)
		slices.Sort(c.sorted[v])
	}
	c.level = s.level(i)
	c.exact = c.metric.Exact && s.t.repeats(i)
	return c
}

// zeros tells of single runs at or below zero in a table of means.
func (c *column) zeros() bool {
	for v := range c.t.Variants {
		if m := c.t.single(c.index, v); m != nil && m.N > 0 && m.Min <= 0 {
			return true
		}
	}
	return false
}

// of returns the values of one variant, in run order.
func (c *column) of(values []float64, variant int) []float64 {
	out := make([]float64, 0, c.counts[variant])
	for i, x := range values {
		if x == x && int(c.t.Runs[i].Variant) == variant {
			out = append(out, x)
		}
	}
	return out
}

// byBoot parts blocks by their boot, in order of appearance.
func byBoot(bs []block) [][]block {
	var out [][]block
	at := make(map[int32]int)
	for _, b := range bs {
		i, ok := at[b.boot]
		if !ok {
			i = len(out)
			at[b.boot] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], b)
	}
	return out
}

// units parts the values of one variant by boot, or by session when the
// comparison with v has but one boot.
func (c *column) units(variant, v int) [][]float64 {
	var out [][]float64
	at := make(map[int32]int)
	for i, x := range c.y {
		r := c.t.Runs[i]
		if x != x || int(r.Variant) != variant {
			continue
		}
		key := r.Boot
		if c.designs[v] == DesignSessions {
			key = r.Session
		}
		u, ok := at[key]
		if !ok {
			u = len(out)
			at[key] = u
			out = append(out, nil)
		}
		out[u] = append(out[u], x)
	}
	return out
}
