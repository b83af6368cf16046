package compare

import (
	"math"
	"slices"
)

// spread tells of variants that differ in spread while no difference of their
// middles was seen. Distances from the variant's median inside each block are
// compared between the variants (Brown & Forsythe 1974, with Welch's t), so
// that drift does not count as spread.
func (n *notes) spread(d *Delta) {
	const least, twice = 10, 1.5
	if d.Flag {
		return
	}
	var a, b []float64
	for _, bl := range n.layout.blocks(n.y, d.Variant) {
		if len(bl.a) < 3 || len(bl.b) < 3 {
			continue
		}
		a = n.distances(a, bl.a)
		b = n.distances(b, bl.b)
	}
	if len(a) < least || len(b) < least {
		return
	}
	ma, mb := mean(a), mean(b)
	va, vb := variance(a)/float64(len(a)), variance(b)/float64(len(b))
	if va+vb == 0 || ma == 0 || mb == 0 || max(ma, mb) < twice*min(ma, mb) {
		return
	}
	t := math.Abs(mb-ma) / math.Sqrt(va+vb)
	df := (va + vb) * (va + vb) / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	if 2*student(int(df)).Survival(t) >= noteLevel {
		return
	}
	wide, narrow, by := d.Variant, 0, mb/ma
	if by < 1 {
		wide, narrow, by = narrow, wide, 1/by
	}
	n.say(WarnSpread, d.Variant, "the middles do not differ, but runs of %s scatter %.1f times as far as those of %s", n.t.Variants[wide], by, n.t.Variants[narrow])
}

// distances appends each value's distance from the median of x, held to the
// clip.
func (n *notes) distances(to, x []float64) []float64 {
	m := medianOf(slices.Clone(x))
	for _, v := range x {
		to = append(to, min(n.clip, math.Abs(v-m)))
	}
	return to
}
