package compare

import (
	"math"
	"slices"
)

// tail tells of a variant with more runs far above the rest: the delta is that
// of medians and hardly sees a change in a tenth of the runs. Runs above the
// pooled upper fence are counted, each variant centred at its median, and the
// counts compared by Fisher's exact test at 1 %.
func (n *notes) tail(d *Delta) {
	const level = 0.01
	a, b := n.arms[0], n.arms[d.Variant]
	pool := make([]float64, 0, len(a)+len(b))
	for _, x := range a {
		pool = append(pool, x-n.middle[0])
	}
	for _, x := range b {
		pool = append(pool, x-n.middle[d.Variant])
	}
	k := 3 * (len(pool) - 1) / 4
	q3 := nth(pool, k)
	q1 := nth(pool[:k+1], (len(pool)-1)/4)
	if q3 <= q1 {
		return
	}
	fence := q3 + 1.5*(q3-q1)
	over := func(x []float64, m float64) int {
		at, _ := slices.BinarySearchFunc(x, fence, func(x, f float64) int {
			if x-m > f {
				return 1
			}
			return -1
		})
		return len(x) - at
	}
	ka, kb := over(a, n.middle[0]), over(b, n.middle[d.Variant])
	if ka+kb == 0 || fisher(ka, len(a), kb, len(b)) >= level {
		return
	}
	more, less, km, kl, nm, nl := d.Variant, 0, kb, ka, len(b), len(a)
	if float64(ka)/float64(len(a)) > float64(kb)/float64(len(b)) {
		more, less, km, kl, nm, nl = less, more, kl, km, nl, nm
	}
	n.say(WarnTail, more, "%s has more runs far above the rest: %d of %d, against %d of %d of %s; a median hardly shows that",
		n.t.Variants[more], km, nm, kl, nl, n.t.Variants[less])
}

// fisher is the two-sided p of Fisher's exact test that two shares, ka of na
// and kb of nb, are the same: all tables no more probable than this one.
func fisher(ka, na, kb, nb int) float64 {
	k := ka + kb
	choose := func(n, k int) float64 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		return a - b - c
	}
	all := choose(na+nb, k)
	at := func(x int) float64 { return math.Exp(choose(na, x) + choose(nb, k-x) - all) }
	limit := at(ka) * (1 + 1e-7)
	p := 0.0
	for x := max(0, k-nb); x <= min(k, na); x++ {
		if q := at(x); q <= limit {
			p += q
		}
	}
	return min(1, p)
}

// outliers tells of a variant of which an eighth of the runs lie beyond the
// fences; on normal noise it is one in a hundred. They are never dropped.
func (n *notes) outliers(v int, s Summary) {
	const least = 6
	if s.Outliers < least || 8*s.Outliers < s.N || n.clip == 0 {
		return
	}
	if x := n.arms[v]; quantile(x, .25) == quantile(x, .75) {
		return // a nearly constant count: every other value is an outlier
	}
	n.say(WarnOutliers, v, "%d of %d runs of %s lie more than 1.5 interquartile ranges from the quartiles; they are kept, and weigh no more than others in the delta",
		s.Outliers, s.N, n.t.Variants[v])
}
