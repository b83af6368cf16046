package compare

import "math"

// A Detectable says which delta a comparison like this one would have told
// from zero with another number of runs.
type Detectable struct {
	Runs  int     // of each variant (boots in boot designs)
	Half  float64 // on the Delta's Scale: the floor; a delta of this size is flagged half the time
	Often float64 // 1.4 floors: 4 times in 5
	Sure  float64 // 2 floors: nearly always
}

// DetectableWith forecasts the floor of d at each number of runs of each
// variant: from a comparison of a program with itself, what could be detected
// with 10, 30 or 100 runs. The floor goes with one over the root of the
// number of runs (with the t quantile besides, for boots), never below the
// metric's resolution; it is +Inf where there are too few runs for a verdict,
// and NaN when d has no floor to start from.
func DetectableWith(d Delta, runs ...int) []Detectable {
	out := make([]Detectable, len(runs))
	for i, n := range runs {
		f := d.floorAt(n)
		out[i] = Detectable{n, f, 1.4 * f, 2 * f}
	}
	return out
}

// floorAt forecasts the floor with n runs or boots of each variant.
func (d *Delta) floorAt(n int) float64 {
	inf := math.Inf(1)
	switch {
	case d.Verdict == NotCompared || math.IsInf(d.Floor, 1) || math.IsNaN(d.Floor):
		return math.NaN()
	case d.Design == DesignExact:
		return 0
	case d.Design == DesignBlocks:
		if n < fewest(d.Level) {
			return inf
		}
		spread := (d.Hi - d.Lo) / 2
		return max(d.LeastFloor, spread*math.Sqrt(float64(d.n())/float64(n)))
	case n < 3:
		return inf
	}
	return max(d.LeastFloor, d.bootFloor(n))
}
