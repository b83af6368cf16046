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

	arms   [][]float64  // by variant: the values on scale, ascending
	middle []float64    // by variant: their median
	clip   float64      // three robust standard deviations; residuals are held to it
	rest   [][]residual // by variant, made when first asked for
}

// make prepares what the notes share.
func (n *notes) make() {
	n.arms = n.sorted
	if n.scale == LogScale {
		n.arms = make([][]float64, len(n.sorted))
		for v, x := range n.sorted {
			n.arms[v] = make([]float64, len(x))
			for i := range x {
				n.arms[v][i] = math.Log(x[i])
			}
		}
	}
	n.middle = make([]float64, len(n.arms))
	n.rest = make([][]residual, len(n.arms))
	var dev []float64
	for v, x := range n.arms {
		n.middle[v] = middleOf(x)
		dev = append(dev, distances(x, n.middle[v])...)
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
	row   int32
	value float64
}

// residuals of the base and variant v, in run order.
func (n *notes) residuals(v int) []residual {
	if n.rest[v] != nil {
		return n.rest[v]
	}
	out := make([]residual, 0, n.counts[0]+n.counts[v])
	for i, x := range n.y {
		r := n.t.Runs[i].Variant
		if x == x && (r == 0 || int(r) == v) {
			d := x - n.middle[r]
			out = append(out, residual{int32(i), max(-n.clip, min(n.clip, d))})
		}
	}
	n.rest[v] = out
	return out
}

// sessions parts residuals by session.
func (n *notes) sessions(rs []residual) [][]residual {
	var out [][]residual
	from := 0
	for i := range rs {
		if i+1 == len(rs) || n.t.Runs[rs[i+1].row].Session != n.t.Runs[rs[i].row].Session {
			out = append(out, rs[from:i+1])
			from = i + 1
		}
	}
	return out
}

// A pairing adds up what Pearson's correlation of pairs needs, one by one.
type pairing struct {
	n                int
	x, y, xx, yy, xy float64
}

func (p *pairing) add(x, y float64) {
	p.n++
	p.x += x
	p.y += y
	p.xx += x * x
	p.yy += y * y
	p.xy += x * y
}

// r is the correlation, 0 when either side does not vary. The values are
// residuals about zero, so that the sums lose little.
func (p *pairing) r() float64 {
	n := float64(p.n)
	sx, sy := p.xx-p.x*p.x/n, p.yy-p.y*p.y/n
	if p.n < 2 || sx <= 0 || sy <= 0 {
		return 0
	}
	return (p.xy - p.x*p.y/n) / math.Sqrt(sx*sy)
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
