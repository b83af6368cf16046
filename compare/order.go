package compare

import "math"

// order tells of values that depend on the position in the block: what a block
// leaves behind (heat, a filled cache, a used-up budget) for its later runs.
func (n *notes) order(d *Delta) {
	var p pairing
	rs := n.residuals(d.Variant)
	for from := 0; from < len(rs); {
		to := from + 1
		first := n.t.Runs[rs[from].row]
		for to < len(rs) && n.t.Runs[rs[to].row].Block == first.Block && n.t.Runs[rs[to].row].Session == first.Session {
			to++
		}
		if first.Block >= 0 {
			n.positions(&p, rs[from:to])
		}
		from = to
	}
	const least = 20
	if p.n < least || !correlated(p.r(), p.n) {
		return
	}
	// The slope, over the positions of a block of ten.
	change := p.xy / p.xx * 9
	if !(math.Abs(change) > d.Floor) {
		return
	}
	n.say(WarnOrder, d.Variant, "runs late in a block differ by %s from early ones; the order is random, so the delta is not touched", n.signed(change))
}

// carryOver tells of values that depend on which variant ran before: the one
// thing that a random order does not keep out of the delta.
func (n *notes) carryOver(d *Delta) {
	var p pairing
	var sum, count [2]float64
	for _, rs := range n.sessions(n.residuals(d.Variant)) {
		for i := 1; i < len(rs); i++ {
			if rs[i-1].row != rs[i].row-1 {
				continue // another variant's run, or none, came before
			}
			k := 0
			if n.t.Runs[rs[i-1].row].Variant != 0 {
				k = 1
			}
			p.add(float64(k), rs[i].value)
			sum[k] += rs[i].value
			count[k]++
		}
	}
	const least = 16
	if p.n < least || count[0] == 0 || count[1] == 0 || !correlated(p.r(), p.n) {
		return
	}
	n.say(WarnCarryOver, d.Variant, "runs that follow a run of %s differ by %s from those that follow %s: the variants disturb each other, about a tenth of that is in the delta; "+
		"put a neutral command before every run", n.t.Variants[d.Variant], n.signed(sum[1]/count[1]-sum[0]/count[0]), n.t.Variants[0])
}

// positions adds the runs of one block, each less the block's means.
func (n *notes) positions(p *pairing, rs []residual) {
	mp, mv := 0.0, 0.0
	for _, r := range rs {
		mp += float64(n.t.Runs[r.row].Position)
		mv += r.value
	}
	mp, mv = mp/float64(len(rs)), mv/float64(len(rs))
	for _, r := range rs {
		p.add(float64(n.t.Runs[r.row].Position)-mp, r.value-mv)
	}
}
