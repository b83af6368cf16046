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

// smallest returns the least float64 t for which count(t) >= want, given that
// count does not fall as t rises: the order statistic of rank want-1 of a set
// too large to write down, of which one can count the members up to t. lo and
// hi bound the answer. At most 64 counts are made, and the result is exact:
// the bisection goes over the float64 numbers themselves.
func smallest(lo, hi float64, want int, count func(t float64) int) float64 {
	l, h := ordered(lo), ordered(hi)
	for l < h {
		m := l + int64(uint64(h-l)/2)
		if count(unordered(m)) >= want {
			h = m
		} else {
			l = m + 1
		}
	}
	return unordered(l)
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
