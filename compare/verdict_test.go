package compare

import (
	"math"
	"testing"
)

// TestVerdicts at the boundaries, one step of float64 to either side.
func TestVerdicts(t *testing.T) {
	const th = 0.01
	below, above := math.Nextafter(th, 0), math.Nextafter(th, 1)
	for _, c := range []struct {
		lo, hi float64
		flag   bool
		th     float64
		want   Verdict
	}{
		{th, 2, true, th, MoreThan},
		{below, 2, true, th, MaybeUnder},
		{above, 2, true, th, MoreThan},
		{-2, -th, true, th, LessThan},
		{-2, -below, true, th, MaybeUnder},
		{-below, below, false, th, SameWithin},
		{-th, below, false, th, Undecided},
		{-below, th, false, th, Undecided},
		{0.001, below, true, th, SameWithin},
		{0.001, th, true, th, MaybeUnder},
		{-2, 2, false, th, Undecided},
		{-2, 2, false, math.NaN(), NotDifferent},
		{0.1, 2, true, math.NaN(), More},
		{-2, -0.1, true, math.NaN(), Less},
		{math.Inf(-1), math.Inf(1), false, math.NaN(), Undecided},
		{math.Inf(-1), math.Inf(1), false, th, Undecided},
	} {
		d := Delta{Threshold: c.th, Design: DesignBlocks, Level: 0.05}
		d.judge(finding{est: c.lo/2 + c.hi/2, lo: c.lo, hi: c.hi, flag: c.flag, up: c.lo >= 0, spread: (c.hi - c.lo) / 2, na: 20, nb: 20})
		if d.Verdict != c.want {
			t.Errorf("%v..%v about %v is %q, want %q", c.lo, c.hi, c.th, d.Verdict, c.want)
		}
	}
}

// TestForecastFormulas of docs/statistics.md.
func TestForecastFormulas(t *testing.T) {
	d := Delta{Threshold: 0.01, Floor: 0.02, Estimate: 0.004, Lo: -.016, Hi: .024, N: 20, NBase: 20, Design: DesignBlocks, Verdict: Undecided, Level: 0.05}
	d.forecast()
	// 20 (0.02/0.005)^2 = 320; 20 (0.02/0.006)^2 = 222.2
	if d.MoreLo != 225 || d.MoreHi != 320 {
		t.Errorf("forecast %d to %d, want 225 to 320", d.MoreLo, d.MoreHi)
	}
	d = Delta{Threshold: math.NaN(), Floor: 0.02, Estimate: 0.01, Lo: -.01, Hi: .03, N: 20, NBase: 20, Design: DesignBlocks, Verdict: NotDifferent, Level: 0.05}
	d.forecast()
	// 20 (1.4 0.02/0.01)^2 = 156.8
	if d.MoreLo != 160 || d.MoreHi != 160 {
		t.Errorf("forecast %d to %d, want 160", d.MoreLo, d.MoreHi)
	}
	for _, c := range []struct {
		runs int
		want float64
	}{{3, math.Inf(1)}, {5, .04}, {20, .02}, {80, .01}} {
		if got := DetectableWith(d, c.runs)[0]; math.Abs(got.Half-c.want) > 1e-12 && got.Half != c.want {
			t.Errorf("with %d runs the floor is %v, want %v", c.runs, got.Half, c.want)
		}
	}
	d.LeastFloor = 0.015
	if got := DetectableWith(d, 80)[0].Half; got != 0.015 {
		t.Errorf("the floor falls below the resolution: %v", got)
	}
}

// TestPooledT by hand: three boots of 1, 2, 3 and three of 4, 5, 6 (one run
// each): D = 3, s = 1, t = 3/sqrt(2/3) = 3.674 with 4 degrees of freedom.
func TestPooledT(t *testing.T) {
	runs := func(x ...float64) (out [][]float64) {
		for _, v := range x {
			out = append(out, []float64{v})
		}
		return out
	}
	f := bootT(runs(1, 2, 3), runs(4, 5, 6), 0.05)
	half := 2.7764451052 * math.Sqrt(2.0/3) // t(4, 0.975), from tables
	if math.Abs(f.est-3) > 1e-12 || math.Abs(f.p-0.0213116) > 1e-6 || math.Abs(f.hi-3-half) > 1e-8 || !f.flag {
		t.Errorf("%+v, want p 0.0213116 and 3 +- %v", f, half)
	}
	for _, k := range [][2]int{{1, 1}, {2, 2}, {2, 3}, {1, 4}} {
		f := bootT(runs(1, 1.1, 1.2, 1.3)[:k[0]], runs(9, 9.1, 9.2, 9.3)[:k[1]], 0.05)
		if f.flag || !math.IsInf(f.spread, 1) {
			t.Errorf("%d and %d boots are judged", k[0], k[1])
		}
	}
	for _, k := range [][2]int{{3, 3}, {1, 5}, {5, 1}, {2, 5}} {
		f := bootT(runs(1, 1.1, 1.2, 1.3, 1.1)[:k[0]], runs(9, 9.1, 9.2, 9.3, 9.1)[:k[1]], 0.05)
		if !f.flag {
			t.Errorf("%d and %d boots are not judged: %+v", k[0], k[1], f)
		}
	}
}

// TestAlwaysSettled: a floor of half the threshold always gives a verdict.
func TestAlwaysSettled(t *testing.T) {
	rng := newRand(t, 34)
	const th = 0.01
	for range 10000 {
		lo := 4 * th * (rng.Float64() - 0.5)
		hi := lo + th*rng.Float64()
		d := Delta{Threshold: th, Design: DesignBlocks, Level: 0.05}
		d.judge(finding{est: (lo + hi) / 2, lo: lo, hi: hi, flag: lo > 0 || hi < 0, up: lo > 0, spread: (hi - lo) / 2, na: 20, nb: 20})
		if d.Verdict == Undecided {
			t.Fatalf("%v..%v is undecided", lo, hi)
		}
	}
}
