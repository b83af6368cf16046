package compare

import (
	"fmt"
	"slices"
)

// A Point is one setting of a sweep, at which two variants of a table were
// measured.
type Point struct {
	Name string // "groups=4"
	A, B int    // indexes into Table.Variants
}

// A SweepPoint is a point with its result.
type SweepPoint struct {
	Point
	Comparison *Comparison // of A and B alone
}

// A SweepResult is one comparison for each point, all at one family-wise error
// rate.
type SweepResult struct {
	Points []SweepPoint
	Alpha  float64 // that anything at any point is called different when nothing is
	Family int     // number of judged comparisons at all points together
}

// Sweep compares the two variants of every point, as if each point were a
// recording of its own; runs of other points are not looked at. Alpha is shared
// equally among the points (Bonferroni), so that it holds for all of them
// together.
//
// Within a block of a sweep all orders of all points' runs are equally likely,
// and so are all orders of the runs of one point: its blocks are random blocks.
func Sweep(t *Table, points []Point, o Options) (*SweepResult, error) {
	if len(points) == 0 {
		return nil, fmt.Errorf("a sweep without points")
	}
	r := &SweepResult{Alpha: o.Alpha}
	o.Alpha /= float64(len(points))
	for _, p := range points {
		sub, err := t.pair(p)
		if err != nil {
			return nil, err
		}
		c, err := Compare(sub, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		r.Family += c.Family
		r.Points = append(r.Points, SweepPoint{Point: p, Comparison: c})
	}
	return r, nil
}

// pair is the part of a table that is of one point.
func (t *Table) pair(p Point) (*Table, error) {
	n := len(t.Variants)
	if p.A < 0 || p.B < 0 || p.A >= n || p.B >= n || p.A == p.B {
		return nil, fmt.Errorf("%s: variants %d and %d of %d are no pair", p.Name, p.A, p.B, n)
	}
	sub := &Table{Variants: []string{t.Variants[p.A], t.Variants[p.B]}, Metrics: slices.Clone(t.Metrics)}
	var rows []int
	var cost []float64
	elapsed := t.metric("elapsed")
	for i, run := range t.Runs {
		switch int(run.Variant) {
		case p.A:
			run.Variant = 0
		case p.B:
			run.Variant = 1
		default:
			continue
		}
		rows = append(rows, i)
		sub.Runs = append(sub.Runs, run)
		if elapsed >= 0 && t.Values[elapsed][i] == t.Values[elapsed][i] {
			cost = append(cost, t.Values[elapsed][i])
		}
	}
	for _, column := range t.Values {
		sub.Values = append(sub.Values, take(column, rows))
	}
	for _, column := range t.Share {
		sub.Share = append(sub.Share, take(column, rows))
	}
	sub.Disturbed = take(t.Disturbed, rows)
	if all := t.Pooled; all != nil {
		sub.Pooled = &Pooled{PerRow: all.PerRow, Blocks: all.Blocks, Runs: []int{all.Runs[p.A], all.Runs[p.B]}, Rows: []int{all.Rows[p.A], all.Rows[p.B]}}
		for _, m := range all.Single {
			if m != nil {
				m = []Moments{m[p.A], m[p.B]}
			}
			sub.Pooled.Single = append(sub.Pooled.Single, m)
		}
	}
	if sub.RunCost = t.RunCost; len(cost) > 0 {
		sub.RunCost = medianOf(cost)
	}
	return sub, nil
}

// take is a column's values in some rows; nil of nil.
func take(column []float64, rows []int) []float64 {
	if column == nil {
		return nil
	}
	out := make([]float64, len(rows))
	for i, row := range rows {
		out[i] = column[row]
	}
	return out
}
