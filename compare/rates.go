package compare

import "math"

// Rates returns, for each metric and variant of the table, the median over the
// runs of the metric's value per second of task-clock: the figure that perf
// stat prints as "K/sec". It describes; nothing is judged by it. NaN where it
// does not apply: for anything but counts, for derived metrics, and without a
// task-clock.
func Rates(t *Table) [][]float64 {
	clock := t.metric("task-clock")
	out := make([][]float64, len(t.Metrics))
	for i, m := range t.Metrics {
		out[i] = make([]float64, len(t.Variants))
		for v := range out[i] {
			out[i][v] = math.NaN()
		}
		if clock < 0 || m.Unit != Count || m.Derived {
			continue
		}
		by := make([][]float64, len(t.Variants))
		for r, x := range t.Values[i] {
			if s := t.Values[clock][r] / 1e9; x == x && s > 0 {
				v := t.Runs[r].Variant
				by[v] = append(by[v], x/s)
			}
		}
		for v, x := range by {
			out[i][v] = medianOf(x)
		}
	}
	return out
}
