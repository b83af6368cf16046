package compare

import (
	"math"
	"slices"
	"testing"
)

// TestNullTransform compares the transformed distribution with the convolved
// one, which is exact, for one and for several kinds of blocks.
func TestNullTransform(t *testing.T) {
	for name, parts := range map[string][]counted{
		"one kind":   {{newBlockKind(5, 5, nil), 60}},
		"two kinds":  {{newBlockKind(5, 5, nil), 40}, {newBlockKind(5, 3, nil), 9}},
		"few values": {{newBlockKind(5, 5, []int{9, 1}), 20}, {newBlockKind(5, 5, []int{8, 2}), 20}, {newBlockKind(5, 5, []int{10}), 20}},
	} {
		exact, fast := newNull(parts), newNull(parts)
		if exact.small != 0 {
			t.Fatalf("%s: not convolved", name)
		}
		fast.transform(parts)
		worst := 0.0
		for u := range exact.total + 1 {
			p := exact.below(u)
			worst = max(worst, math.Abs(p-fast.below(u)), math.Abs(exact.above(u)-fast.above(u)))
			if p > 1e-11 && math.Abs(fast.below(u)/p-1) > 1e-3 {
				t.Errorf("%s: P(U2 <= %d) = %g, want %g", name, u, fast.below(u), p)
			}
		}
		t.Logf("%s: off by %.1g at most", name, worst)
		if worst > transformed {
			t.Errorf("%s: off by %g", name, worst)
		}
	}
}

// TestNullApproximation holds the approximation to what its comment claims,
// against exact distributions of counts with many ties where it takes over,
// and of single blocks just too large to enumerate.
func TestNullApproximation(t *testing.T) {
	rng := newRand(t, 3)
	check := func(name string, d *null, tail, limit float64) {
		worst, at := 0.0, 0.0
		for u := range d.total + 1 {
			for _, x := range [2][2]float64{{d.below(u), d.lower(u)}, {d.above(u), d.upper(u)}} {
				if p := x[0]; p >= tail && p <= 0.5 && math.Abs(x[1]/p-1) > worst {
					worst, at = math.Abs(x[1]/p-1), p
				}
			}
		}
		t.Logf("%s: off by %.2g of a tail of %.2g at most", name, worst, at)
		if worst > limit {
			t.Errorf("%s: off by %.2g of a tail of %.2g, want at most %g", name, worst, at, limit)
		}
	}
	for _, distinct := range []int{4, 6, 12} {
		var bs []block
		for range 66 { // about where convolution ends for tied counts
			draw := func(n int) []float64 {
				x := make([]float64, n)
				for i := range x {
					x[i] = float64(rng.IntN(distinct))
				}
				return x
			}
			b := 5
			if rng.IntN(5) == 0 {
				b = 3 + rng.IntN(2) // a run failed
			}
			bs = append(bs, block{a: draw(5), b: draw(b)})
		}
		c := newNulls()
		_, kinds := c.rank(bs)
		d := c.sum(kinds)
		if d.cdf == nil || len(kinds) <= maxTransform {
			t.Fatalf("%d kinds: not what is to be tested", len(kinds))
		}
		check("counts", d, 1e-5, 0.01)
	}
	k := newBlockKind(32, 32, nil)
	check("one block of 64", newNull([]counted{{k, 1}}), 1e-3, 0.05)
	check("one block of 64", newNull([]counted{{k, 1}}), 1e-5, 0.25)
	k = newBlockKind(20, 44, []int{10, 10, 10, 10, 10, 14})
	check("one tied block of 64", newNull([]counted{{k, 1}}), 1e-3, 0.25)
}

// TestLongNull: the approximation, and the transform, rise with u and agree on
// a session of 20,000 blocks.
func TestLongNull(t *testing.T) {
	parts := []counted{{newBlockKind(5, 5, nil), 20000}}
	d := newNull(parts)
	if d.cdf == nil {
		t.Fatal("not transformed")
	}
	last := 0.0
	for u := 0; u <= d.total; u += 2 {
		p := d.below(u)
		if p < last {
			t.Fatalf("P(U2 <= %d) falls", u)
		}
		last = p
		if p > 1e-8 && p < 0.5 && math.Abs(d.lower(u)/p-1) > 1e-4 {
			t.Fatalf("P(U2 <= %d) = %g, approximated %g", u, p, d.lower(u))
		}
	}
}

// Of one run of A and many of B the place of the one is known exactly, whatever
// their number.
func TestNullOfOneAgainstMany(t *testing.T) {
	for _, n := range []int{80, 520, 2000} {
		for _, sides := range [][2]int{{1, n}, {n, 1}} {
			d := newNull([]counted{{newBlockKind(sides[0], sides[1], nil), 1}})
			for u := 0; u <= d.total; u += 2 {
				if want := float64(u/2+1) / float64(n+1); math.Abs(d.below(u)/want-1) > 1e-9 {
					t.Fatalf("%d and %d runs: P(U2 <= %d) = %g, want %g", sides[0], sides[1], u, d.below(u), want)
				}
			}
		}
	}
}

// A few runs above a great many equal ones: how many of them fell to B has the
// hypergeometric distribution. Where it is too skewed to be approximated no tail
// may come out too small, and where it is not none far too small.
func TestNullOfSkewedBlocks(t *testing.T) {
	for _, c := range []struct{ a, b, large int }{
		{4990, 10, 3}, {3000, 30, 5}, {10, 4990, 3}, {400, 400, 1}, {900, 100, 2}, {900, 100, 12}, {300, 3000, 40}, {300, 300, 60}, {500, 400, 200},
	} {
		k := newBlockKind(c.a, c.b, append([]int{c.a + c.b - c.large}, slices.Repeat([]int{1}, c.large)...))
		d := newNull([]counted{{k, 1}})
		if d.cdf != nil {
			t.Fatalf("%+v: enumerated", c)
		}
		choose := func(n, k int) float64 {
			a, _ := math.Lgamma(float64(n + 1))
			b, _ := math.Lgamma(float64(k + 1))
			c, _ := math.Lgamma(float64(n - k + 1))
			return a - b - c
		}
		// U2 by how many of the large ones are B's, were these all equal to each
		// other: the most and the least of it bound those with that many.
		last := 0.0
		for u := 0; u <= d.total; u += 1 + d.total/5000 {
			if p := d.below(u); p < last {
				t.Fatalf("%+v: P(U2 <= %d) falls", c, u)
			} else {
				last = p
			}
		}
		tail := 0.0
		for x := c.large; x > 0; x-- { // at least x of the large ones are B's
			if x > c.b {
				continue
			}
			tail += math.Exp(choose(c.large, x) + choose(c.a+c.b-c.large, c.b-x) - choose(c.a+c.b, c.b))
			// The least U2 with x of them: B's are the lowest of the large ones.
			least := 2*x*(c.a-(c.large-x)) + (c.b-x)*(c.a-(c.large-x))
			if got := d.above(least); tail > 1e-6 && tail < .5 && got < tail*.7 {
				t.Errorf("%+v (skew %.2f): P(U2 >= %d) = %.3g, at least %.3g", c, d.skew, least, got, tail)
			}
		}
	}
}
