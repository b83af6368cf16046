package compare

import (
	"math"
	"slices"
)

// hodgesLehmann returns the median of all pairwise averages of x, each value
// with itself included (Hodges & Lehmann 1963), and the square of its standard
// error as read from the rank interval of the same averages. The square is NaN
// for fewer than two values. It does not write the averages down: they are
// counted, so that a hundred thousand values take milliseconds.
func hodgesLehmann(x []float64) (centre, se2 float64) {
	n := len(x)
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	s := slices.Clone(x)
	slices.Sort(s)
	w := walsh(s)
	pairs := n * (n + 1) / 2
	centre, before := w.near(pairs / 2)
	if pairs%2 == 0 {
		if math.IsNaN(before) {
			before = w.rank(pairs/2 - 1)
		}
		centre = halfSum(before, centre)
	}
	if n < 2 {
		return centre, math.NaN()
	}
	if n < 8 { // the interval would be the whole range, or none
		return centre, variance(s) / float64(n)
	}
	// The signed-rank interval in its normal approximation (Hollander, Wolfe &
	// Chicken 2014, section 3.3); 1.96 deviations to either side.
	const z = 1.959963984540054
	N := float64(n)
	k := int(math.Floor(N*(N+1)/4 - z*math.Sqrt(N*(N+1)*(2*N+1)/24)))
	k = max(0, min(k, pairs-1))
	half := (w.rank(pairs-1-k) - w.rank(k)) / 2
	return centre, (half / z) * (half / z)
}

// walsh are the averages (x[i]+x[j])/2, i <= j, of ascending numbers.
type walsh []float64

// rank returns the k-th smallest average, from 0.
func (w walsh) rank(k int) float64 {
	x, _ := w.near(k)
	return x
}

// near returns the k-th smallest average, and the one before it or NaN.
func (w walsh) near(k int) (x, before float64) {
	n := len(w)
	return smallest(w, math.Nextafter(w[0], math.Inf(-1)), w[n-1], k+1, n*(n+1)/2, 4*n+1000)
}

// halfSum cannot overflow, lies between its arguments and keeps the order in
// both.
func halfSum(a, b float64) float64 {
	if a == b {
		return a // half of the smallest number is 0
	}
	return a/2 + b/2
}

// upTo counts the averages that are at most t.
func (w walsh) upTo(t float64) int {
	n, j := 0, len(w)-1
	for i, x := range w {
		for j >= i && halfSum(x, w[j]) > t {
			j--
		}
		if j < i {
			break
		}
		n += j - i + 1
	}
	return n
}

// collect appends the averages in (lo, hi].
func (w walsh) collect(buf []float64, lo, hi float64) []float64 {
	j := len(w) - 1
	for i, x := range w {
		for j >= i && halfSum(x, w[j]) > hi {
			j--
		}
		for k := j; k >= i; k-- {
			m := halfSum(x, w[k])
			if m <= lo {
				break
			}
			buf = append(buf, m)
		}
	}
	return buf
}

// variance is the sample variance, with n-1.
func variance(x []float64) float64 {
	m := mean(x)
	s := 0.0
	for _, v := range x {
		s += (v - m) * (v - m)
	}
	return s / float64(len(x)-1)
}

// mean of x, summed in two passes: the second takes away what the first lost.
func mean(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	n := float64(len(x))
	s := 0.0
	for _, v := range x {
		s += v
	}
	m := s / n
	s = 0
	for _, v := range x {
		s += v - m
	}
	return m + s/n
}
