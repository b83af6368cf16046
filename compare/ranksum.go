package compare

import "math"

// A finding is what one method says of one metric and variant: the numbers of
// a Delta that come from the data alone.
type finding struct {
	est    float64
	lo, hi float64
	p      float64
	up     bool // the evidence points to B above A
	flag   bool
	spread float64 // half the interval's width; +Inf when it is unbounded
	na, nb int     // runs (boots) used
	units  int     // blocks or boots used

	// For the account that Explain gives.
	u2, total int
	k         [2]int // differences left out at the low and the high end; -1: none could be
	pairs     int

	// Boots: standard deviations between boots and of a boot's value from the
	// noise inside it.
	between, within float64
}

// undecidable is a finding that says nothing but how much there was.
func undecidable(na, nb, units int) finding {
	inf := math.Inf(1)
	return finding{
		est: math.NaN(), lo: -inf, hi: inf, p: math.NaN(), spread: inf,
		na: na, nb: nb, units: units, k: [2]int{-1, -1},
		between: math.NaN(), within: math.NaN(),
	}
}

// rankSum judges blocks by the blocked rank-sum test (Wilcoxon's within each
// block, counts added: van Elteren 1960), and reads estimate and interval from
// the pooled differences within blocks.
func (c *nulls) rankSum(bs []block, level float64) finding {
	na, nb := 0, 0
	for i := range bs {
		na += len(bs[i].a)
		nb += len(bs[i].b)
	}
	f := undecidable(na, nb, len(bs))
	if len(bs) == 0 {
		return f
	}
	u2, kinds := c.rank(bs)
	d := c.sum(kinds)
	r := newRatios(bs)
	f.u2, f.total, f.pairs = u2, d.total, r.n

	low, high := d.below(u2), d.above(u2)
	f.p = min(1, 2*min(low, high))
	f.up = high < low
	f.flag = f.p <= level

	// kLo differences may be left out at the low end when all of the values of
	// U2 that lie as far up are improbable, and the other way round. The two
	// agree unless blocks are of unequal size and have ties.
	u, v := d.lowest(level/2), d.highest(level/2)
	if u < 0 || v > d.total {
		// Ties can leave no value of U2 improbable (all but one of the counts
		// zero). Breaking them at random gives the distribution without ties,
		// and its closed interval covers at least as often (Noether 1967).
		free := c.sum(c.untied(bs))
		if u < 0 {
			u = free.lowest(level / 2)
		}
		if v > d.total {
			v = free.highest(level / 2)
		}
	}
	// With ties in a large block of few and many, more than half of the differences
	// could be left out at one end: the interval holds the estimate all the same.
	half := (r.n - 1) / 2
	kHi, kLo := min(u/2, half), min((d.total-v)/2, half)
	if u >= 0 {
		f.k[1] = kHi
	}
	if v <= d.total {
		f.k[0] = kLo
	}
	f.est = r.median()
	if u < 0 || v > d.total {
		return f // too few runs for any interval at this level
	}
	f.lo, f.hi = r.rank(kLo), r.rank(r.n-1-kHi)
	if !f.flag { // only after breaking ties can the two disagree
		f.lo, f.hi = min(f.lo, 0), max(f.hi, 0)
	}
	f.spread = (f.hi - f.lo) / 2
	return f
}

// fewest is n_min: the number of runs of each variant, in full random blocks
// and without ties, from which a difference can be flagged at the level.
func fewest(level float64) int {
	for n := 1; ; n++ {
		p := 2.0
		for _, w := range blockSizes(n) {
			for i := 1; i <= w; i++ {
				p *= float64(i) / float64(w+i) // 1 / C(2w, w)
			}
		}
		if p <= level {
			return n
		}
	}
}
