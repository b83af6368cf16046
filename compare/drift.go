package compare

import "math"

// maxBins bounds the points of a drift test; longer sessions are averaged.
const maxBins = 1000

// drift tells of values that rise or fall over a session: Spearman's
// correlation of the means of consecutive runs, whichever variant they were
// of, with their order; and between the first and the last third by more than
// the floor.
func (n *notes) drift(d *Delta) {
	all := n.sessions(n.residuals(d.Variant))
	for _, rs := range all {
		if len(rs) < 16 {
			continue
		}
		size := 2 * ((len(rs) + 2*maxBins - 1) / (2 * maxBins))
		var bins []float64
		for i := 0; i+size <= len(rs); i += size {
			s := 0.0
			for _, r := range rs[i : i+size] {
				s += r.value
			}
			bins = append(bins, s/float64(size))
		}
		var p pairing
		half := float64(len(bins)+1) / 2
		for i, k := range ranks(bins) {
			p.add(k-half, float64(i+1)-half)
		}
		r := p.r()
		third := len(bins) / 3
		first := medianOf(append([]float64(nil), bins[:third]...))
		last := medianOf(append([]float64(nil), bins[len(bins)-third:]...))
		if !correlated(r, len(bins)) || !(math.Abs(last-first) > d.Floor) {
			continue
		}
		n.say(WarnDrift, d.Variant, "values drift over the session: the last third lies %s from the first; random blocks keep that out of the delta", n.signed(last-first))
		return
	}
}

// autocorrelation tells of runs that resemble the one before.
func (n *notes) autocorrelation(d *Delta) {
	const enough = 0.3
	var p pairing
	for _, rs := range n.sessions(n.residuals(d.Variant)) {
		for i := 1; i < len(rs); i++ {
			p.add(rs[i-1].value, rs[i].value)
		}
	}
	r := p.r()
	if r < enough || !correlated(r, p.n) {
		return
	}
	runs := float64(d.N)
	how := "random blocks are immune to it"
	if d.Design != DesignBlocks && d.Design != DesignBlocksInBoot {
		how = "a test over single runs would be wrong"
	}
	n.say(WarnAutocorrelation, d.Variant, "each run resembles the one before (r = %.2f): %s; made one variant after the other, %.0f runs would weigh like %.0f",
		r, how, runs, math.Max(1, runs*(1-r)/(1+r)))
}
