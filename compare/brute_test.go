package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

const testSeed = 20240817

func newRand(t testing.TB, stream uint64) *rand.Rand {
	t.Helper()
	t.Logf("seed %d, stream %d", testSeed, stream)
	return rand.New(rand.NewPCG(testSeed, stream))
}

// enumerate gives the distribution of the summed U2 over every assignment of
// the labels within blocks, by going through all of them.
func enumerate(bs []block) map[int]float64 {
	dist := map[int]float64{0: 1}
	for _, bl := range bs {
		all := slices.Concat(bl.a, bl.b)
		one, n := map[int]float64{}, 0.0
		for set := range 1 << len(all) {
			var a, b []float64
			for i, x := range all {
				if set>>i&1 == 1 {
					b = append(b, x)
				} else {
					a = append(a, x)
				}
			}
			if len(b) != len(bl.b) {
				continue
			}
			one[slowU2(a, b)]++
			n++
		}
		next := map[int]float64{}
		for u, p := range dist {
			for v, c := range one {
				next[u+v] += p * c / n
			}
		}
		dist = next
	}
	return dist
}

func slowU2(a, b []float64) int {
	u := 0
	for _, x := range a {
		for _, y := range b {
			switch {
			case y > x:
				u += 2
			case y == x:
				u++
			}
		}
	}
	return u
}

// randomBlocks draws small blocks of unequal sizes; distinct is the number of
// different values, 0 for ties to be improbable.
func randomBlocks(rng *rand.Rand, blocks, most, distinct int) []block {
	var bs []block
	for range blocks {
		draw := func() []float64 {
			x := make([]float64, 1+rng.IntN(most))
			for i := range x {
				x[i] = rng.Float64()
				if distinct > 0 {
					x[i] = float64(rng.IntN(distinct))
				}
			}
			return x
		}
		bs = append(bs, block{a: draw(), b: draw()})
	}
	return bs
}

// TestNullAgainstEnumeration compares every tail of the exact distribution with
// the enumeration of all orders, for small blocks with and without ties.
func TestNullAgainstEnumeration(t *testing.T) {
	rng := newRand(t, 1)
	for trial := range 300 {
		bs := randomBlocks(rng, 1+rng.IntN(3), 5, rng.IntN(5))
		c := newNulls()
		u2, kinds := c.rank(bs)
		want := 0
		for _, b := range bs {
			want += slowU2(b.a, b.b)
		}
		if u2 != want {
			t.Fatalf("trial %d: U2 = %d, want %d for %v", trial, u2, want, bs)
		}
		d := c.sum(kinds)
		dist := enumerate(bs)
		for u := -1; u <= d.total+1; u++ {
			var below, above float64
			for v, p := range dist {
				if v <= u {
					below += p
				}
				if v >= u {
					above += p
				}
			}
			if math.Abs(d.below(u)-below) > 1e-12 || math.Abs(d.above(u)-above) > 1e-12 {
				t.Fatalf("trial %d: tails at %d of %v are %v, %v, want %v, %v", trial, u, bs, d.below(u), d.above(u), below, above)
			}
		}
		// The critical values by definition.
		for _, p := range []float64{0.3, 0.025, 0.0025} {
			if u := d.lowest(p); d.below(u) > p || u < d.total && d.below(u+1) <= p {
				t.Fatalf("lowest(%v) = %d", p, u)
			}
			if u := d.highest(p); d.above(u) > p || u > 0 && d.above(u-1) <= p {
				t.Fatalf("highest(%v) = %d", p, u)
			}
		}
	}
}

// TestMoments compares the closed forms with the enumerated distribution.
func TestMoments(t *testing.T) {
	rng := newRand(t, 2)
	for range 200 {
		bs := randomBlocks(rng, 1, 6, rng.IntN(6))
		_, kinds := newNulls().rank(bs)
		for _, k := range kinds {
			var m [5]float64
			for u, p := range enumerate(bs) {
				x := float64(u) - k.mean
				for j := range m {
					m[j] += p * math.Pow(x, float64(j))
				}
			}
			for j, got := range []float64{1, 0, k.m2, k.m3, k.m4} {
				if math.Abs(got-m[j]) > 1e-9*(1+math.Abs(m[j])) {
					t.Fatalf("moment %d of %v is %v, want %v", j, bs, got, m[j])
				}
			}
		}
	}
}

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

func TestSelection(t *testing.T) {
	rng := newRand(t, 4)
	for range 300 {
		n := 1 + rng.IntN(400)
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
			if rng.IntN(2) == 0 {
				x[i] = float64(rng.IntN(5))
			}
		}
		s := slices.Sorted(slices.Values(x))
		k := rng.IntN(n)
		if got := nth(slices.Clone(x), k); got != s[k] {
			t.Fatalf("rank %d is %v, want %v", k, got, s[k])
		}
		if got := medianOf(slices.Clone(x)); got != (s[(n-1)/2]+s[n/2])/2 {
			t.Fatalf("median %v", got)
		}
		// Hodges-Lehmann by writing the averages down.
		var w []float64
		for i := range x {
			for j := i; j < n; j++ {
				w = append(w, (x[i]+x[j])/2)
			}
		}
		slices.Sort(w)
		if got, _ := hodgesLehmann(x); got != (w[(len(w)-1)/2]+w[len(w)/2])/2 {
			t.Fatalf("Hodges-Lehmann of %d values is %v, want %v", n, got, (w[(len(w)-1)/2]+w[len(w)/2])/2)
		}
		k = rng.IntN(len(w))
		if got := walsh(s).rank(k); got != w[k] {
			t.Fatalf("average %d is %v, want %v", k, got, w[k])
		}
	}
}

// TestRatiosUnwritten: differences that are only counted have the same order
// statistics as those written down.
func TestRatiosUnwritten(t *testing.T) {
	rng := newRand(t, 5)
	for range 50 {
		bs := randomBlocks(rng, 1+rng.IntN(5), 30, rng.IntN(2)*20)
		r := newRatios(bs)
		r2 := &ratios{n: r.n, lo: slices.Min(r.d), hi: slices.Max(r.d)}
		for _, b := range bs {
			slices.Sort(b.a)
			slices.Sort(b.b)
			r2.bs = append(r2.bs, b)
		}
		for k := range r.n {
			x, _ := smallest(r2, math.Nextafter(r2.lo, math.Inf(-1)), r2.hi, k+1, r2.n, 3)
			if y := r.rank(k); x != y {
				t.Fatalf("difference %d is %v, want %v", k, x, y)
			}
		}
	}
}

// TestHodgesLehmannError: its standard error is that of the mean over the root
// of 0.955 on normal noise (Hodges & Lehmann 1963).
func TestHodgesLehmannError(t *testing.T) {
	rng := newRand(t, 6)
	for _, n := range []int{5, 10, 40} {
		sum := 0.0
		const trials = 3000
		for range trials {
			x := make([]float64, n)
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			_, se2 := hodgesLehmann(x)
			sum += se2
		}
		want := 1 / (0.955 * float64(n))
		if got := sum / trials; got < 0.9*want || got > 1.4*want {
			t.Errorf("n = %d: squared error %v, want about %v", n, got, want)
		}
	}
}

func TestFewest(t *testing.T) {
	for _, c := range []struct {
		m, n int
	}{{1, 4}, {6, 5}, {7, 6}, {23, 6}, {24, 7}, {85, 7}, {86, 8}, {126, 8}, {127, 9}, {1587, 10}} {
		if got := fewest(0.05 / float64(c.m)); got != c.n {
			t.Errorf("%d comparisons need %d runs, want %d", c.m, got, c.n)
		}
	}
}

// TestFisher against the tea-tasting lady and a table summed by hand.
func TestFisher(t *testing.T) {
	for _, c := range []struct {
		ka, na, kb, nb int
		p              float64
	}{{3, 4, 1, 4, 0.4857142857}, {4, 4, 0, 4, 0.0285714286}, {1, 12, 9, 12, 0.002759456}, {0, 5, 0, 5, 1}} {
		got := fisher(c.ka, c.na, c.kb, c.nb)
		if math.Abs(got-c.p) > 1e-3*c.p {
			t.Errorf("fisher(%d/%d, %d/%d) = %.8g, want %.8g", c.ka, c.na, c.kb, c.nb, got, c.p)
		}
	}
}

func TestNextLook(t *testing.T) {
	n := 0
	for _, want := range []int{10, 15, 20, 25, 30, 35, 40, 50, 60, 75, 90, 110, 135, 165} {
		if n = NextLook(n); n != want {
			t.Fatalf("looks at %d, want %d", n, want)
		}
	}
}
