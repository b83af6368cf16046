package compare

import (
	"math"
	"slices"
)

// notes looks at one column for what the reader should know besides the
// verdict. Everything here is advice: the verdict is valid without it.
type notes struct {
	*column
	say func(k WarningKind, v int, format string, args ...any)

	arms   [][]float64 // by variant: the values on scale, ascending
	middle []float64   // by variant: their median
	clip   float64     // three robust standard deviations; residuals are held to it
}

// make prepares what the notes share.
func (n *notes) make(*MetricResult) {
	n.arms = make([][]float64, len(n.t.Variants))
	n.middle = make([]float64, len(n.arms))
	var dev []float64
	for v := range n.arms {
		n.arms[v] = n.of(n.y, v)
		slices.Sort(n.arms[v])
		n.middle[v] = middleOf(n.arms[v])
		for _, x := range n.arms[v] {
			dev = append(dev, math.Abs(x-n.middle[v]))
		}
	}
	n.clip = 3 * 1.4826 * medianOf(dev)
}

// middleOf is the median of ascending values.
func middleOf(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// A residual is what is left of a run's value without its variant's median,
// held to three robust standard deviations so that outliers do not drown the
// rest.
type residual struct {
	row   int
	run   Run
	value float64
}

// residuals of the base and variant v, in run order.
func (n *notes) residuals(v int) []residual {
	var out []residual
	for i, x := range n.y {
		r := n.t.Runs[i]
		if x == x && (r.Variant == 0 || int(r.Variant) == v) {
			d := x - n.middle[r.Variant]
			out = append(out, residual{i, r, max(-n.clip, min(n.clip, d))})
		}
	}
	return out
}

// sessions parts residuals by session.
func sessions(rs []residual) [][]residual {
	var out [][]residual
	from := 0
	for i := range rs {
		if i+1 == len(rs) || rs[i+1].run.Session != rs[i].run.Session {
			out = append(out, rs[from:i+1])
			from = i + 1
		}
	}
	return out
}

// correlation is Pearson's, 0 when either side does not vary.
func correlation(x, y []float64) float64 {
	mx, my := mean(x), mean(y)
	var xx, yy, xy float64
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		xx += dx * dx
		yy += dy * dy
		xy += dx * dy
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

// correlated tells whether a correlation over n pairs is beyond chance at
// noteLevel, by the t distribution.
func correlated(r float64, n int) bool {
	if n < 4 || r*r >= 1 {
		return n >= 4 && r*r >= 1
	}
	t := math.Abs(r) * math.Sqrt(float64(n-2)/(1-r*r))
	return 2*student(n-2).Survival(t) < noteLevel
}

// ranks are mid-ranks.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case x[a] < x[b]:
			return -1
		case x[a] > x[b]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for k := i; k < j; k++ {
			out[order[k]] = float64(i+j+1) / 2
		}
		i = j
	}
	return out
}
