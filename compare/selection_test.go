package compare

import (
	"math"
	"slices"
	"testing"
)

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
