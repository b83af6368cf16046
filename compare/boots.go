package compare

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// bootT judges one value per boot: the pooled two-sample t. Runs inside a boot
// share its luck (layout, addresses, daemons: Mytkowicz et al. 2009), so the
// boot is the unit, however many runs it had (Kalibera & Jones 2013). a and b
// hold the runs of each boot. Needs bootsEnough; otherwise nothing is tested
// and only the raw delta and the noise inside boots are given.
func bootT(a, b [][]float64, level float64) finding {
	ya, wa := bootValues(a)
	yb, wb := bootValues(b)
	ka, kb := len(ya), len(yb)
	f := undecidable(ka, kb, ka+kb)
	if ka == 0 || kb == 0 {
		return f
	}
	f.est = mean(yb) - mean(ya)
	f.up = f.est > 0
	w := mean(append(wa, wb...)) // NaN when a boot had one run only
	f.within = math.Sqrt(w)
	df := ka + kb - 2
	if df < 1 {
		return f
	}
	ss := 0.0
	for _, y := range [][]float64{ya, yb} {
		if len(y) > 1 {
			ss += variance(y) * float64(len(y)-1)
		}
	}
	s2 := ss / float64(df)
	f.between = math.Sqrt(math.Max(0, s2-w))
	if !bootsEnough(ka, kb) {
		return f
	}
	f.judgeT(math.Sqrt(s2*(1/float64(ka)+1/float64(kb))), df, level)
	return f
}

// bootsEnough: three boots of each, or, since the variance is pooled, fewer of
// one when the other has five. One and one is never enough.
func bootsEnough(ka, kb int) bool {
	lo, hi := min(ka, kb), max(ka, kb)
	return lo >= 3 || lo >= 1 && hi >= 5
}

// bootValues condenses each boot to one value, and the variance of that value
// from the noise inside the boot.
func bootValues(runs [][]float64) (y, w []float64) {
	for _, x := range runs {
		if len(x) == 0 {
			continue
		}
		c, se2 := hodgesLehmann(x)
		y = append(y, c)
		w = append(w, se2)
	}
	return y, w
}

// deltaT judges one delta per boot, each from random blocks inside that boot:
// the one-sample t over at least three boots.
func (c *nulls) deltaT(boots [][]block, level float64) finding {
	// Each boot's own interval, at 5 %, says how much of the spread between
	// the deltas is noise inside the boots.
	const z, inside = 1.959963984540054, 0.05
	var d, w []float64
	for _, bs := range boots {
		if len(bs) == 0 {
			continue
		}
		f := c.rankSum(bs, inside)
		d = append(d, f.est)
		w = append(w, (f.spread/z)*(f.spread/z))
	}
	j := len(d)
	f := undecidable(j, j, j)
	if j == 0 {
		return f
	}
	f.est = mean(d)
	f.up = f.est > 0
	within := mean(w)
	f.within = math.Sqrt(within)
	if j < 2 {
		return f
	}
	s2 := variance(d)
	f.between = math.Sqrt(math.Max(0, s2-within))
	if j >= 3 {
		f.judgeT(math.Sqrt(s2/float64(j)), j-1, level)
	}
	return f
}

// judgeT sets p and interval of an estimate with standard error se.
func (f *finding) judgeT(se float64, df int, level float64) {
	f.spread = studentQuantile(df, level) * se
	f.lo, f.hi = f.est-f.spread, f.est+f.spread
	switch {
	case se > 0:
		f.p = 2 * student(df).Survival(math.Abs(f.est)/se)
	case f.est != 0: // every boot the same, and the variants not
		f.p = 0
	default:
		f.p = 1
	}
	f.flag = f.p <= level
}

func student(df int) distuv.StudentsT {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(df)}
}

// studentQuantile is the two-sided critical value of t.
func studentQuantile(df int, level float64) float64 {
	return student(df).Quantile(1 - level/2)
}
