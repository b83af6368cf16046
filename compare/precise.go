package compare

import (
	"fmt"
	"math"
)

// A Target is a noise floor to reach for one metric.
type Target struct {
	Metric string
	// Floor is the largest floor that is low enough: relative to the base
	// (0.0001 is 0.01 %), or in the metric's unit when Absolute. For a verdict
	// about a threshold, half the threshold always suffices.
	Floor    float64
	Absolute bool
}

// A Progress says how far a comparison is from its targets.
type Progress struct {
	Done   bool // every target is reached
	Floors []FloorNow
}

// A FloorNow is the present floor of one target's metric and one variant.
type FloorNow struct {
	Metric   string
	Variant  int
	Scale    Scale
	Floor    float64 // on Scale; +Inf while there are too few runs
	Target   float64 // on Scale
	Estimate float64 // on Scale
	N        int     // runs (boots) of the variant
	Reached  bool    // the floor is low enough, or the delta is at least twice as large as it
	// OutOfReach: the metric's resolution is coarser than the target, or the
	// metric is absent, and so no number of runs will do.
	OutOfReach bool
	// Runs of each variant, in all, at which the floor should be at the target;
	// 0 if reached, unknown or out of reach.
	Runs int
}

// Worst returns the floor that is farthest from its target among those not
// reached, nil when there is none.
func (p *Progress) Worst() *FloorNow {
	var worst *FloorNow
	for i := range p.Floors {
		f := &p.Floors[i]
		if !f.Reached && (worst == nil || f.Floor/f.Target > worst.Floor/worst.Target) {
			worst = f
		}
	}
	return worst
}

// Precise tells whether the runs made so far suffice for the targets: for
// every variant the floor of each target's metric is low enough, or the delta
// is at least twice the floor (docs/statistics.md, "When to stop"). It looks
// at no p-value, so the test made at the stop needs no correction. The floors
// are those that Compare would give with the same options. An error names a
// target for a metric that is not there.
func Precise(t *Table, targets []Target, o Options) (Progress, error) {
	s, err := newStudy(t, o)
	if err != nil {
		return Progress{}, err
	}
	p := Progress{Done: true}
	for _, want := range targets {
		i := t.metric(want.Metric)
		if i < 0 {
			return Progress{}, fmt.Errorf("metric %q is not in the recording", want.Metric)
		}
		if !(want.Floor > 0) || math.IsInf(want.Floor, 0) {
			return Progress{}, fmt.Errorf("floor for %q is %v, must be above 0", want.Metric, want.Floor)
		}
		col := s.column(i)
		base := middleOf(col.sorted[0])
		for v := 1; v < len(t.Variants); v++ {
			d := col.delta(v)
			f := FloorNow{
				Metric: want.Metric, Variant: v, Scale: d.Scale, Floor: d.Floor,
				Target:   Threshold{want.Floor, want.Absolute}.on(base, d.Scale),
				Estimate: d.Estimate, N: d.N,
			}
			f.OutOfReach = d.LeastFloor > f.Target || t.Metrics[i].Absent != ""
			// An identical metric, or an exact one, has nothing left to learn.
			f.Reached = f.Floor <= f.Target || !math.IsInf(f.Floor, 1) && math.Abs(d.Estimate) >= 2*f.Floor
			if !f.Reached && !math.IsInf(f.Floor, 1) {
				if d.Design == DesignBlocks {
					f.Runs = d.runsFor(f.Target)
				} else {
					f.Runs = d.bootsFor(f.Target)
				}
			}
			p.Done = p.Done && f.Reached
			p.Floors = append(p.Floors, f)
		}
	}
	return p, nil
}

// NextLook is the number of runs of each variant at which to look next, after
// n: 10, 15, 20, and so on in fives up to 40, then a quarter more each time.
func NextLook(n int) int {
	if n < 10 {
		return 10
	}
	return n + max(5, 5*(n/20))
}
