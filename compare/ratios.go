package compare

import (
	"math"
	"slices"
)

// maxPairs is the number of within-block differences up to which they are
// written down; above, they are only counted. Random blocks of five give 5n
// of them, so this is for foreign data in very large blocks.
const maxPairs = 4 << 20

// ratios are all differences b-a within blocks, pooled: on the log scale, the
// ratios B/A. Their median is the estimate (Hodges & Lehmann 1963, within
// blocks), their k-th from either end the interval.
type ratios struct {
	n      int       // how many
	d      []float64 // all of them in no order, or nil when there are too many
	bs     []block   // sorted within, when d is nil
	lo, hi float64   // the extremes, when d is nil
}

func newRatios(bs []block) *ratios {
	r := new(ratios)
	for i := range bs {
		r.n += len(bs[i].a) * len(bs[i].b)
	}
	if r.n <= maxPairs {
		r.d = make([]float64, 0, r.n)
		for i := range bs {
			for _, b := range bs[i].b {
				for _, a := range bs[i].a {
					r.d = append(r.d, b-a)
				}
			}
		}
		return r
	}
	r.lo, r.hi = math.Inf(1), math.Inf(-1)
	r.bs = make([]block, len(bs))
	for i := range bs {
		a, b := slices.Clone(bs[i].a), slices.Clone(bs[i].b)
		slices.Sort(a)
		slices.Sort(b)
		r.bs[i] = block{a: a, b: b}
		r.lo = min(r.lo, b[0]-a[len(a)-1])
		r.hi = max(r.hi, b[len(b)-1]-a[0])
	}
	return r
}

// rank returns the k-th smallest difference, from 0.
func (r *ratios) rank(k int) float64 {
	if r.d != nil {
		return nth(r.d, k)
	}
	x, _ := smallest(r, math.Nextafter(r.lo, math.Inf(-1)), r.hi, k+1, r.n, maxPairs)
	return x
}

// upTo counts the differences that are at most t. In a sorted block the count
// for each b moves only one way, since rounding keeps the order.
func (r *ratios) upTo(t float64) int {
	n := 0
	for i := range r.bs {
		a, b := r.bs[i].a, r.bs[i].b
		j := 0 // the first a with b-a <= t
		for _, y := range b {
			for j < len(a) && y-a[j] > t {
				j++
			}
			n += len(a) - j
		}
	}
	return n
}

// collect appends the differences in (lo, hi].
func (r *ratios) collect(buf []float64, lo, hi float64) []float64 {
	for i := range r.bs {
		a, b := r.bs[i].a, r.bs[i].b
		j := 0 // the first a with b-a <= hi
		for _, y := range b {
			for j < len(a) && y-a[j] > hi {
				j++
			}
			for k := j; k < len(a) && y-a[k] > lo; k++ {
				buf = append(buf, y-a[k])
			}
		}
	}
	return buf
}

// median returns the median of the differences.
func (r *ratios) median() float64 {
	hi := r.rank(r.n / 2)
	if r.n%2 == 1 {
		return hi
	}
	if r.d != nil {
		return (slices.Max(r.d[:r.n/2]) + hi) / 2
	}
	return (r.rank(r.n/2-1) + hi) / 2
}
