package compare

import (
	"math"
	"slices"
)

// A blockKind is what the null distribution of one block's statistic depends
// on: how many runs each variant has in it, and which of the values are tied.
// Blocks of continuous values of one size are all of one kind.
type blockKind struct {
	a, b int
	ties []int // sizes of the groups of equal values, ascending by value; nil: none tied

	pmf []float64 // of U2, by value; nil when not wanted or too large
	// Central moments of U2 under the null hypothesis, and its mean.
	mean, m2, m3, m4 float64
}

// maxRuns is the largest block for which the distribution is enumerated in any
// case. The subset counts stay exact or nearly so in float64 and the work under
// some ten milliseconds; maxChoice allows as much for larger blocks of which one
// side is small, where no approximation would do: the one run of a block of 1 +
// 500 is its lowest once in 501 times.
const (
	maxRuns   = 64
	maxChoice = 1 << 24 // steps: 2 (runs x those of the smaller side)^2
)

// newBlockKind works out one kind of block: its moments and, unless the block
// is too large, its distribution.
//
// U2 is twice the Mann-Whitney count, 2 for each b above an a and 1 for each
// pair of equals, which is the sum of the doubled mid-ranks of the b less
// b(b+1). If the variants do not differ, every choice of which runs were B's
// was equally likely, whatever the values are: the randomisation
// distribution (Lehmann 1975, section 1.2; with ties, 1.4).
func newBlockKind(a, b int, ties []int) *blockKind {
	k := &blockKind{a: a, b: b, ties: slices.Clone(ties)}
	ranks := k.doubledRanks()
	k.moments(ranks)
	least := min(a, b)
	switch n := a + b; {
	case n <= maxRuns:
		k.pmf = subsetSums(ranks, b)
	case n > maxChoice || 2*n*n*least*least > maxChoice:
	case b <= a:
		k.pmf = subsetSums(ranks, b)
	default: // what B has of the ranks is what A leaves
		k.pmf = subsetSums(ranks, a)
		slices.Reverse(k.pmf)
	}
	return k
}

// doubledRanks returns twice the mid-ranks of the block's values.
func (k *blockKind) doubledRanks() []int {
	n := k.a + k.b
	ranks := make([]int, 0, n)
	if k.ties == nil {
		for i := 1; i <= n; i++ {
			ranks = append(ranks, 2*i)
		}
		return ranks
	}
	below := 0
	for _, t := range k.ties {
		for range t {
			ranks = append(ranks, 2*below+t+1)
		}
		below += t
	}
	return ranks
}

// subsetSums returns the distribution of U2 over all choices of b of the
// ranks.
func subsetSums(ranks []int, b int) []float64 {
	most := 0 // the largest sum of b ranks; they ascend
	for _, r := range ranks[len(ranks)-b:] {
		most += r
	}
	// f[k][s] counts the k-subsets with sum s.
	f := make([][]float64, b+1)
	for i := range f {
		f[i] = make([]float64, most+1)
	}
	f[0][0] = 1
	reach := 0
	for i, r := range ranks {
		reach = min(reach+r, most)
		for c := min(i+1, b); c >= 1; c-- {
			to, from := f[c], f[c-1]
			for s := reach; s >= r; s-- {
				to[s] += from[s-r]
			}
		}
	}
	all := 1.0
	for i := 1; i <= b; i++ {
		all = all * float64(len(ranks)-b+i) / float64(i)
	}
	least := b * (b + 1)
	pmf := make([]float64, 2*(len(ranks)-b)*b+1)
	for u := range pmf {
		if s := u + least; s <= most {
			pmf[u] = f[b][s] / all
		}
	}
	return pmf
}

// moments sets the exact moments of U2: those of the sum of b numbers drawn
// without replacement from the ranks. With the ranks centred, the sums over
// distinct indices reduce to power sums, and p_j is the chance that j given
// ranks are all drawn.
func (k *blockKind) moments(ranks []int) {
	n := float64(len(ranks))
	centre := n + 1 // the mean of doubled ranks
	var s2, s3, s4 float64
	for _, r := range ranks {
		c := float64(r) - centre
		s2 += c * c
		s3 += c * c * c
		s4 += c * c * c * c
	}
	p := [5]float64{1}
	for j := 1; j <= 4; j++ {
		if float64(j) <= n {
			p[j] = p[j-1] * (float64(k.b) - float64(j-1)) / (n - float64(j-1))
		}
	}
	k.mean = float64(k.a) * float64(k.b)
	k.m2 = s2 * (p[1] - p[2])
	k.m3 = s3 * (p[1] - 3*p[2] + 2*p[3])
	k.m4 = s4*(p[1]-4*p[2]-3*p[2]+12*p[3]-6*p[4]) + s2*s2*(3*p[2]-6*p[3]+3*p[4])
}

// step is the greatest common divisor of the distances between the values
// that U2 can take: 2 without ties, 0 when it can take only one.
func (k *blockKind) step() int {
	if k.ties == nil {
		return 2
	}
	if len(k.ties) == 1 {
		return 0
	}
	g, ranks := 0, k.doubledRanks()
	for _, r := range ranks {
		g = gcd(g, r-ranks[0]) // exchanging one run for another moves the sum by a difference of ranks
	}
	return g
}

// free is the number of runs besides those of the most frequent value.
func (k *blockKind) free() int {
	if k.ties == nil {
		return k.a + k.b - 1
	}
	return k.a + k.b - slices.Max(k.ties)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// standard returns the standardised third and fourth cumulants of a sum with
// the given central cumulants; 0 when it has no variance.
func standard(k2, k3, k4 float64) (skew, excess float64) {
	if k2 <= 0 {
		return 0, 0
	}
	return k3 / math.Pow(k2, 1.5), k4 / (k2 * k2)
}
