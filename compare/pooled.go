package compare

import (
	"fmt"
	"math"
)

// A Pooled tells of a table whose rows are means of several runs, because there
// were more runs than a table holds, and what is known of the single runs.
type Pooled struct {
	// PerRow is how many runs a row stands for.
	PerRow int
	// Runs is how many were made and Rows what they became, by variant.
	Runs, Rows []int
	// Blocks is how many random blocks they were made in.
	Blocks int
	// Single describes the single runs, by metric and variant; nil for a derived
	// metric.
	Single [][]Moments
}

// String says how the rows came about.
func (p *Pooled) String() string {
	made := 0
	for _, n := range p.Runs {
		made += n
	}
	return fmt.Sprintf("%d runs are more than are kept at once: each value that is judged is the mean of %d runs of a variant, in neighbouring blocks", made, p.PerRow)
}

// Moments describe values that are not kept.
type Moments struct {
	N              int
	Min, Max, Mean float64
	squares        float64 // of the distances from the mean, summed
}

// add takes a value, by Welford's recurrence (1962).
func (m *Moments) add(x float64) {
	if m.N == 0 {
		m.Min, m.Max = x, x
	}
	m.N++
	m.Min, m.Max = min(m.Min, x), max(m.Max, x)
	d := x - m.Mean
	m.Mean += d / float64(m.N)
	m.squares += d * (x - m.Mean)
}

// stdDev is the sample's; NaN for a single value.
func (m *Moments) stdDev() float64 {
	if m.N < 2 {
		return math.NaN()
	}
	return math.Sqrt(m.squares / float64(m.N-1))
}

// single describes the single runs of a column and variant; nil when the rows
// are the runs, and for derived metrics.
func (t *Table) single(column, variant int) *Moments {
	if t.Pooled == nil || t.Pooled.Single[column] == nil {
		return nil
	}
	return &t.Pooled.Single[column][variant]
}

// RunsMade is the number of runs of each variant.
func (t *Table) RunsMade() []int {
	if t.Pooled != nil {
		return t.Pooled.Runs
	}
	n := make([]int, len(t.Variants))
	for _, r := range t.Runs {
		n[r.Variant]++
	}
	return n
}

// BlocksMade is the number of random blocks that the runs were made in; those of
// a session outside of any count as one.
func (t *Table) BlocksMade() int {
	if t.Pooled != nil {
		return t.Pooled.Blocks
	}
	type block struct{ session, block int32 }
	n, last := map[block]bool{}, block{}
	for i, r := range t.Runs {
		if b := (block{r.Session, r.Block}); i == 0 || b != last {
			n[b], last = true, b
		}
	}
	return len(n)
}

// perRow is how many runs a row stands for.
func (t *Table) perRow() int {
	if t.Pooled != nil {
		return t.Pooled.PerRow
	}
	return 1
}

// runs turns a number of rows of a column and variant into one of runs.
func (c *column) runs(rows, variant int) int {
	if m := c.t.single(c.index, variant); m != nil && rows == len(c.sorted[variant]) {
		return m.N
	}
	return c.t.made(rows, variant)
}

// made is how many runs so many rows of a variant are.
func (t *Table) made(rows, variant int) int {
	if p := t.Pooled; p != nil {
		return int(math.Round(float64(rows) * float64(p.Runs[variant]) / float64(p.Rows[variant])))
	}
	return rows
}

// whole puts into the summary of means what is known of the single runs.
func (s *Summary) whole(t *Table, column, variant int) {
	if t.Pooled == nil || s.N == 0 {
		return
	}
	if m := t.single(column, variant); m != nil {
		s.N, s.Min, s.Max, s.Mean, s.StdDev = m.N, m.Min, m.Max, m.Mean, m.stdDev()
		return
	}
	s.N = t.made(s.N, variant)
	s.StdDev *= math.Sqrt(float64(t.Pooled.PerRow))
}
