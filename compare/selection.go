package compare

import (
	"math"
	"slices"
)

// nth puts the value of rank k (from 0) of x into x[k], nothing larger before
// it and nothing smaller after it (Hoare 1961). The pivots are chosen by
// position, so that the same values always take the same steps.
func nth(x []float64, k int) float64 {
	lo, hi := 0, len(x)-1
	for hi-lo > 24 {
		p := pivot(x, lo, hi)
		// Three parts: below, equal, above. Counts have many equal values.
		lt, i, gt := lo, lo, hi
		for i <= gt {
			switch v := x[i]; {
			case v < p:
				x[lt], x[i] = v, x[lt]
				lt++
				i++
			case v > p:
				x[i], x[gt] = x[gt], v
				gt--
			default:
				i++
			}
		}
		switch {
		case k < lt:
			hi = lt - 1
		case k > gt:
			lo = gt + 1
		default:
			return p
		}
	}
	slices.Sort(x[lo : hi+1])
	return x[k]
}

// pivot is the median of nine values spread over x[lo..hi].
func pivot(x []float64, lo, hi int) float64 {
	var s [9]float64
	for i := range s {
		s[i] = x[lo+(hi-lo)*i/8]
	}
	slices.Sort(s[:])
	return s[4]
}

// medianOf is the median of x, which it reorders; NaN when x is empty.
func medianOf(x []float64) float64 {
	n := len(x)
	if n == 0 {
		return math.NaN()
	}
	hi := nth(x, n/2)
	if n%2 == 1 {
		return hi
	}
	return (slices.Max(x[:n/2]) + hi) / 2
}

// A countable is a set of numbers too large to write down, of which one can
// count and collect the members up to a bound.
type countable interface {
	// upTo counts the members that are at most t.
	upTo(t float64) int
	// collect appends the members in (lo, hi] to buf.
	collect(buf []float64, lo, hi float64) []float64
}

// smallest returns the member of rank want-1 (from 0) of a set: the least t
// with upTo(t) >= want; and the member before it in rank, NaN when that was not
// come upon. lo is below all members, hi at least the largest. The
// bracket is narrowed by interpolating between its counts, and by halving it
// (over the float64 numbers themselves, so that it ends) where that does not
// help, until it holds few enough members to collect. The result is exact.
func smallest(s countable, lo, hi float64, want, all, few int) (x, before float64) {
	nl, nh := 0, all // upTo(lo) < want <= upTo(hi)
	margin := 0.1
	for step := 0; nh-nl > few; step++ {
		was := nh - nl
		at := float64(want-nl) / float64(nh-nl)
		for _, side := range [2]float64{-margin, margin} {
			t := lo + (hi-lo)*(at+side)
			if !(t > lo && t < hi) {
				continue
			}
			if n := s.upTo(t); n >= want {
				hi, nh = t, n
			} else {
				lo, nl = t, n
			}
			at = float64(want-nl) / float64(nh-nl)
		}
		if nh-nl < was/4 {
			margin = max(margin/4, 1e-3)
			continue
		}
		l, h := ordered(lo), ordered(hi)
		if uint64(h-l) <= 1 {
			return hi, math.NaN()
		}
		t := unordered(l + int64(uint64(h-l)/2))
		if n := s.upTo(t); n >= want {
			hi, nh = t, n
		} else {
			lo, nl = t, n
		}
	}
	near, k := s.collect(make([]float64, 0, nh-nl), lo, hi), want-1-nl
	x, before = nth(near, k), math.NaN()
	if k > 0 {
		before = slices.Max(near[:k])
	}
	return x, before
}

// ordered maps float64 to int64 keeping the order (both zeros to 0), so that
// neighbouring numbers have neighbouring images.
func ordered(x float64) int64 {
	b := int64(math.Float64bits(x))
	if b < 0 {
		return math.MinInt64 - b
	}
	return b
}

func unordered(i int64) float64 {
	if i < 0 {
		return math.Float64frombits(uint64(math.MinInt64 - i))
	}
	return math.Float64frombits(uint64(i))
}
