package compare

import "math"

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
