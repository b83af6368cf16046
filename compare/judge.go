package compare

import (
	"math"
	"runtime"
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
		RunCost:  t.RunCost,
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
	// A column in work takes some ten times its own memory: of long ones no more
	// than four at a time.
	atOnce := max(4, maxValues/max(1, len(s.t.Runs)))
	for range min(runtime.GOMAXPROCS(0), len(s.columns), atOnce) {
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
	// Two single numbers say nothing, also when they are the same.
	d.Identical = a[0] == a[len(a)-1] && a[0] == b[0] && b[0] == b[len(b)-1] && len(a)+len(b) > 2
	if one, other := c.t.single(c.index, 0), c.t.single(c.index, v); one != nil {
		d.MeanDiff = other.Mean - one.Mean
		d.Identical = d.Identical && one.Min == one.Max && other.Min == other.Max
	}
	if c.exact {
		d.exact(a[0], b[0], c.runs(len(a), 0), c.runs(len(b), v))
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
	if d.Design == DesignBlocks {
		d.NBase, d.N = c.runs(d.NBase, 0), c.runs(d.N, v)
	}
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
