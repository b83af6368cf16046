package compare

import (
	"math"
)

// order tells of values that depend on the position in the block: what a block
// leaves behind (heat, a filled cache, a used-up budget) for its later runs.
func (n *notes) order(d *Delta) {
	var pos, val []float64
	for _, rs := range inBlocks(n.residuals(d.Variant)) {
		mp, mv := 0.0, 0.0
		for _, r := range rs {
			mp += float64(r.run.Position)
			mv += r.value
		}
		for _, r := range rs {
			pos = append(pos, float64(r.run.Position)-mp/float64(len(rs)))
			val = append(val, r.value-mv/float64(len(rs)))
		}
	}
	const least = 20
	if len(pos) < least {
		return
	}
	r := correlation(pos, val)
	if !correlated(r, len(pos)) {
		return
	}
	// The slope, over the positions of a block of ten.
	var xx, xy float64
	for i := range pos {
		xx += pos[i] * pos[i]
		xy += pos[i] * val[i]
	}
	change := xy / xx * 9
	if !(math.Abs(change) > d.Floor) {
		return
	}
	n.say(WarnOrder, d.Variant, "runs late in a block differ by %s from early ones; the order is random, so the delta is not touched", n.signed(change))
}

// carryOver tells of values that depend on which variant ran before: the one
// thing that a random order does not keep out of the delta.
func (n *notes) carryOver(d *Delta) {
	var was, val []float64
	var sum [2]float64
	var count [2]float64
	for _, rs := range sessions(n.residuals(d.Variant)) {
		for i := 1; i < len(rs); i++ {
			if rs[i-1].row != rs[i].row-1 {
				continue // another variant's run, or none, came before
			}
			k := 0
			if rs[i-1].run.Variant != 0 {
				k = 1
			}
			was = append(was, float64(k))
			val = append(val, rs[i].value)
			sum[k] += rs[i].value
			count[k]++
		}
	}
	const least = 16
	if len(was) < least || count[0] == 0 || count[1] == 0 || !correlated(correlation(was, val), len(was)) {
		return
	}
	n.say(WarnCarryOver, d.Variant, "runs that follow a run of %s differ by %s from those that follow %s: the variants disturb each other, about a tenth of that is in the delta; "+
		"put a neutral command before every run", n.t.Variants[d.Variant], n.signed(sum[1]/count[1]-sum[0]/count[0]), n.t.Variants[0])
}

// inBlocks parts residuals by random block.
func inBlocks(rs []residual) [][]residual {
	var out [][]residual
	from := 0
	for i := range rs {
		if i+1 == len(rs) || rs[i+1].run.Block != rs[i].run.Block || rs[i+1].run.Session != rs[i].run.Session {
			if rs[i].run.Block >= 0 {
				out = append(out, rs[from:i+1])
			}
			from = i + 1
		}
	}
	return out
}
