package compare

import (
	"math"
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
