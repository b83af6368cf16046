package compare

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/stat/distuv"
)

// A null is the distribution of U2, summed over the blocks of a comparison,
// if the variants do not differ.
//
// It is worked out in one of three ways:
//
//   - exact: the blocks' distributions are convolved one by one, while that
//     takes at most maxConvolve multiplications (about 70 blocks of 5+5
//     without ties). Only positive terms are added, so tails of any smallness
//     have nearly full precision.
//   - transformed: with more blocks, but few kinds of them (one kind for a
//     time; a handful for a nearly constant count), the product of their
//     characteristic functions is inverted by a fast Fourier transform. Tails
//     above 1e-11 come out with three digits or more; smaller ones are taken
//     from the next way. TestNullTransform compares it with the first.
//   - approximate: many blocks of many kinds (counts with rich ties), or
//     blocks of more than 64 runs. The normal distribution with the
//     corrections of Cornish and Fisher (as inverted by Hill & Davis 1968)
//     from the exact third and fourth cumulants, and the continuity correction
//     of the lattice that all blocks share. TestNullApproximation holds it,
//     where it takes over, to 1 % of any tail down to 1e-5 (measured: 0.13 %).
//     A single block of 64 runs is the worst case: 4 % of a tail of 1e-3
//     without ties, 21 % with four fifths of the values tied. Where all
//     blocks together have fewer than 40 values besides the most frequent of each,
//     or a skew beyond 0.3 (large blocks, nearly all tied or of one side), the
//     tails are those of Cantelli's inequality, which no distribution exceeds.
type null struct {
	total int       // the largest value of U2
	cdf   []float64 // P(U2 <= from+i), nil when approximate
	sf    []float64 // P(U2 >= from+i)
	from  int
	small float64 // tails below this are approximated; 0 with the exact way

	mean, sd     float64
	skew, excess float64
	step         float64 // of the lattice
	coarse       bool    // nothing like a normal distribution
}

const (
	leastFree    = 40
	mostSkew     = 0.3
	maxConvolve  = 6 << 20
	maxTransform = 24    // kinds
	transformed  = 1e-11 // the smallest tail that is taken from a transform
)

// below is P(U2 <= u).
func (d *null) below(u int) float64 {
	switch {
	case u < 0:
		return 0
	case u >= d.total:
		return 1
	case d.cdf == nil || u < d.from:
		return min(d.lower(u), d.most())
	case u-d.from >= len(d.cdf):
		return 1
	case d.cdf[u-d.from] < d.small:
		return min(d.lower(u), d.small)
	}
	return d.cdf[u-d.from]
}

// above is P(U2 >= u).
func (d *null) above(u int) float64 {
	switch {
	case u <= 0:
		return 1
	case u > d.total:
		return 0
	case d.cdf == nil || u-d.from >= len(d.sf):
		return min(d.upper(u), d.most())
	case u < d.from:
		return 1
	case d.sf[u-d.from] < d.small:
		return min(d.upper(u), d.small)
	}
	return d.sf[u-d.from]
}

// most bounds an approximated tail.
func (d *null) most() float64 {
	if d.cdf == nil {
		return 1
	}
	return d.small
}

// lower and upper approximate below and above.
func (d *null) lower(u int) float64 {
	if d.sd == 0 {
		return 1
	}
	return d.tail(-(float64(u)+d.step/2-d.mean)/d.sd, func(z float64) float64 { return -d.normal(-z) })
}

func (d *null) upper(u int) float64 {
	if d.sd == 0 {
		return 1
	}
	return d.tail((float64(u)-d.step/2-d.mean)/d.sd, d.normal)
}

// tail is the probability of z deviations or more to one side.
func (d *null) tail(z float64, normal func(float64) float64) float64 {
	if d.coarse {
		if z <= 0 {
			return 1
		}
		return 1 / (1 + z*z)
	}
	return distuv.UnitNormal.CDF(-normal(z))
}

// normal maps a standardised value to the normal deviate with the same
// probability below it (Hill & Davis 1968). Beyond 8 deviations the correction
// is held, which keeps the map rising.
func (d *null) normal(z float64) float64 {
	c := max(-8, min(8, z))
	s, k := d.skew, d.excess
	return z - s/6*(c*c-1) - k/24*(c*c*c-3*c) + s*s/36*(4*c*c*c-7*c)
}

// lowest returns the largest u with P(U2 <= u) <= p, or -1.
func (d *null) lowest(p float64) int {
	lo, hi := -1, d.total // below(lo) <= p, below(hi) > p
	for hi-lo > 1 {
		if m := lo + (hi-lo)/2; d.below(m) <= p {
			lo = m
		} else {
			hi = m
		}
	}
	return lo
}

// highest returns the smallest u with P(U2 >= u) <= p, or total+1.
func (d *null) highest(p float64) int {
	lo, hi := 0, d.total+1 // above(lo) > p, above(hi) <= p
	for hi-lo > 1 {
		if m := lo + (hi-lo)/2; d.above(m) <= p {
			hi = m
		} else {
			lo = m
		}
	}
	return hi
}

// A counted is a kind of block and how often it occurs.
type counted struct {
	*blockKind
	times int
}

// newNull works out the distribution of the sum over independent blocks.
func newNull(parts []counted) *null {
	d := new(null)
	var k2, k3, k4 float64
	step, work, support, free := 0, 0, 1, 0
	listed := true
	for _, p := range parts {
		n := float64(p.times)
		d.total += 2 * p.a * p.b * p.times
		d.mean += p.mean * n
		k2 += p.m2 * n
		k3 += p.m3 * n
		k4 += (p.m4 - 3*p.m2*p.m2) * n
		step = gcd(step, p.step())
		free += p.free() * p.times
		if p.pmf == nil {
			listed = false
			continue
		}
		for range min(p.times, maxConvolve) {
			if work > maxConvolve {
				break
			}
			w := support * len(p.pmf)
			if p.ties == nil {
				w /= 4 // half of each are zeros
			}
			work += w
			support += len(p.pmf) - 1
		}
	}
	d.sd = math.Sqrt(k2)
	d.skew, d.excess = standard(k2, k3, k4)
	d.step = float64(step)
	d.coarse = free < leastFree || math.Abs(d.skew) > mostSkew
	switch {
	case listed && work <= maxConvolve:
		d.convolve(parts)
	case listed && len(parts) <= maxTransform && k2 > 0:
		d.transform(parts)
	}
	return d
}

func (d *null) convolve(parts []counted) {
	pmf := []float64{1}
	for _, p := range parts {
		for range p.times {
			next := make([]float64, len(pmf)+len(p.pmf)-1)
			for i, x := range pmf {
				if x == 0 {
					continue
				}
				for j, y := range p.pmf {
					if y != 0 {
						next[i+j] += x * y
					}
				}
			}
			pmf = next
		}
	}
	d.cumulate(pmf)
}

// transform inverts the characteristic function over a window of 12 standard
// deviations on each side. What lies outside is folded in, and is below 1e-20:
// the sum of draws without replacement has lighter tails than the normal.
func (d *null) transform(parts []counted) {
	m := 1
	for float64(m) < 24*d.sd+128 {
		m *= 2
	}
	if m > d.total {
		m = 1
		for m <= d.total {
			m *= 2
		}
	}
	fft := fourier.NewFFT(m)
	product := make([]complex128, m/2+1)
	for i := range product {
		product[i] = 1
	}
	seq := make([]float64, m)
	coeff := make([]complex128, m/2+1)
	for _, p := range parts {
		clear(seq)
		for u, x := range p.pmf {
			seq[u%m] += x
		}
		fft.Coefficients(coeff, seq)
		for i, c := range coeff {
			product[i] *= power(c, p.times)
		}
	}
	fft.Sequence(seq, product)
	// seq[i] is the probability of all u congruent to i; those of the window
	// are meant.
	d.from = max(0, int(d.mean)-m/2)
	pmf := make([]float64, min(m, d.total+1-d.from))
	for i := range pmf {
		pmf[i] = max(0, seq[(d.from+i)%m]/float64(m))
	}
	d.small = transformed
	d.cumulate(pmf)
}

// power is c to the n, by squaring.
func power(c complex128, n int) complex128 {
	r := complex(1, 0)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			r *= c
		}
		c *= c
	}
	return r
}

// cumulate sets the tails, each added up from its own end.
func (d *null) cumulate(pmf []float64) {
	d.cdf = make([]float64, len(pmf))
	d.sf = make([]float64, len(pmf))
	s := 0.0
	for i, p := range pmf {
		s += p
		d.cdf[i] = min(1, s)
	}
	s = 0
	for i := len(pmf) - 1; i >= 0; i-- {
		s += pmf[i]
		d.sf[i] = min(1, s)
	}
}
