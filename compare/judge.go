package compare

import (
	"math"
	"runtime"
	"slices"
	"sync"
)

// Compare judges every metric of the table: each variant against the first,
// by the method of docs/statistics.md for the way in which the runs were made.
//
// It returns an error for a table that is not one (fewer than two variants,
// columns of the wrong length, infinite values) and for options that ask for
// what is not there. A metric without values is no error: its deltas are
// NotCompared.
func Compare(t *Table, o Options) (*Comparison, error) {
	s, err := newStudy(t, o)
	if err != nil {
		return nil, err
	}
	c := &Comparison{
		Variants: append([]string(nil), t.Variants...),
		Alpha:    o.Alpha,
		Family:   s.family,
		Level:    o.Alpha / float64(max(1, s.family)),
		Metrics:  make([]MetricResult, len(s.columns)),
	}
	s.each(func(i int) { c.Metrics[i] = s.result(s.columns[i]) })
	c.Design = s.designs[1]
	if exact(c.Metrics) {
		c.Design = DesignExact
	}
	c.Warnings = s.warnings()
	return c, nil
}

// each calls f for every column, on all processors. The columns do not depend
// on each other, so neither does the result on who worked out which.
func (s *study) each(f func(i int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(s.columns)) {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range s.columns {
		next <- i
	}
	close(next)
	wg.Wait()
}

// exact tells whether all metrics that were compared are exact.
func exact(ms []MetricResult) bool {
	n := 0
	for i := range ms {
		for _, d := range ms[i].Deltas {
			if d.Verdict == NotCompared {
				continue
			}
			if d.Design != DesignExact {
				return false
			}
			n++
		}
	}
	return n > 0
}

// result works out one row of the report.
func (s *study) result(column int) MetricResult {
	col := s.column(column)
	r := MetricResult{Metric: s.t.Metrics[column], Summaries: col.summaries()}
	for v := 1; v < len(s.t.Variants); v++ {
		r.Deltas = append(r.Deltas, col.delta(v))
	}
	r.Warnings = col.warnings(&r)
	return r
}

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
	for _, x := range c.raw {
		if x <= 0 {
			c.scale = RawScale // a metric with zeros has no ratios
			break
		}
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

// delta judges variant v against the base.
func (c *column) delta(v int) Delta {
	nan := math.NaN()
	a, b := c.sorted[0], c.sorted[v]
	d := Delta{
		Variant: v, Scale: c.scale, Level: c.level, Design: c.designs[v],
		Estimate: nan, Lo: math.Inf(-1), Hi: math.Inf(1), Floor: math.Inf(1), P: nan,
		MeanDiff: mean(b) - mean(a), Threshold: nan, Between: nan, Within: nan,
		Verdict: NotCompared,
	}
	if len(a) == 0 || len(b) == 0 {
		return d
	}
	base := middleOf(a)
	d.LeastFloor = onScale(c.metric.Resolution, base, c.scale)
	if th, ok := c.o.Thresholds[c.metric.Name]; ok {
		d.Threshold = th.on(base, c.scale)
	}
	d.Identical = a[0] == a[len(a)-1] && a[0] == b[0] && b[0] == b[len(b)-1]
	if c.exact {
		d.exact(a[0], b[0], len(a), len(b))
		return d
	}
	f := c.find(v)
	if f.na == 0 || f.nb == 0 {
		return d // values on both sides, but never in one block
	}
	if d.Identical && !math.IsInf(f.spread, 1) {
		f.est, f.lo, f.hi, f.spread = 0, 0, 0, 0
	}
	d.judge(f)
	d.forecast()
	return d
}

// find applies the method for the way in which the runs were made.
func (c *column) find(v int) finding {
	switch c.designs[v] {
	case DesignBlocks:
		return c.nulls.rankSum(c.layout.blocks(c.y, v), c.level)
	case DesignBlocksInBoot:
		return c.nulls.deltaT(byBoot(c.layout.blocks(c.y, v)), c.level)
	}
	return bootT(c.units(0, v), c.units(v, v), c.level)
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

// exact judges two numbers without noise.
func (d *Delta) exact(a, b float64, na, nb int) {
	d.Design = DesignExact
	d.Estimate = b - a
	if d.Scale == LogScale {
		d.Estimate = math.Log(b / a)
	}
	d.Lo, d.Hi, d.Floor, d.LeastFloor = d.Estimate, d.Estimate, 0, 0
	d.Flag = a != b
	d.N, d.NBase = nb, na
	d.Verdict = d.verdict(b > a)
}

// on expresses a threshold on a scale, for a base of the given median.
func (t Threshold) on(base float64, s Scale) float64 {
	switch {
	case t.Absolute && s == RawScale:
		return t.Amount
	case t.Absolute:
		return math.Log1p(t.Amount / base)
	case s == LogScale:
		return math.Log1p(t.Amount)
	case base == 0:
		return math.NaN() // a share of nothing
	}
	return t.Amount * math.Abs(base)
}

// onScale expresses a step of the metric on a scale.
func onScale(step, base float64, s Scale) float64 {
	if s == LogScale {
		return step / base
	}
	return step
}
