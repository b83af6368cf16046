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

func TestFewest(t *testing.T) {
	for _, c := range []struct {
		m, n int
	}{{1, 4}, {6, 5}, {7, 6}, {23, 6}, {24, 7}, {85, 7}, {86, 8}, {126, 8}, {127, 9}, {1587, 10}} {
		if got := fewest(0.05 / float64(c.m)); got != c.n {
			t.Errorf("%d comparisons need %d runs, want %d", c.m, got, c.n)
		}
	}
}
