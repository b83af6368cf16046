package compare

// modes tells of a variant whose runs lie on two levels: some best division of
// the ascending values into two groups, each of a tenth of the runs and at
// least four, explains more than 85 % of their variance (Otsu's criterion).
// Two thirds would already be explained of a uniform distribution, and 64 % of
// a normal one.
func (n *notes) modes(v int) bool {
	const least, explained = 20, 0.85
	x := n.arms[v]
	if len(x) < least {
		return false
	}
	m := mean(x)
	total := 0.0
	for _, y := range x {
		total += (y - m) * (y - m)
	}
	if total == 0 {
		return false
	}
	small := max(4, (len(x)+9)/10)
	best, at, sum := 0.0, 0, 0.0 // sum of the deviations of the lower group
	for i, y := range x {
		sum += y - m
		k := i + 1
		if k < small || len(x)-k < small {
			continue
		}
		// Between the groups: sum^2 (1/k + 1/(N-k)), as the deviations add to 0.
		if b := sum * sum * (1/float64(k) + 1/float64(len(x)-k)); b > best && x[i] < x[i+1] {
			best, at = b, k
		}
	}
	if best/total <= explained {
		return false
	}
	low, high := middleOf(x[:at]), middleOf(x[at:])
	// Neighbouring counts are no modes.
	if high-low <= 3*onScale(n.metric.Resolution, n.base(), n.scale) {
		return false
	}
	border := (x[at-1] + x[at]) / 2
	switches, last := 0, 0
	for i, y := range n.y {
		if y != y || int(n.t.Runs[i].Variant) != v {
			continue
		}
		side := 1
		if y > border {
			side = 2
		}
		if last != 0 && side != last {
			switches++
		}
		last = side
	}
	n.say(WarnTwoModes, v, "the runs of %s lie on two levels, %s apart (%d runs low, %d high, %d switches in run order): the delta is that of the medians",
		n.t.Variants[v], n.amount(high-low), at, len(x)-at, switches)
	return true
}

// base is the median of the base in the metric's unit; 1 on the raw scale,
// where nothing is divided by it.
func (n *notes) base() float64 {
	if n.scale == RawScale {
		return 1
	}
	return middleOf(n.sorted[0])
}
