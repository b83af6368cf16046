package compare

import "slices"

// Describe summarises every metric of each variant and judges nothing: for
// recordings that hold one variant alone.
func Describe(t *Table) []MetricResult {
	out := make([]MetricResult, len(t.Metrics))
	for i, m := range t.Metrics {
		out[i] = MetricResult{Metric: m, Summaries: make([]Summary, len(t.Variants))}
		by := make([][]float64, len(t.Variants))
		share := make([]float64, len(t.Variants))
		for v := range share {
			share[v] = 1
		}
		for r, x := range t.Values[i] {
			if x != x {
				continue
			}
			v := t.Runs[r].Variant
			by[v] = append(by[v], x)
			if t.Share != nil && t.Share[i] != nil {
				share[v] = min(share[v], t.Share[i][r])
			}
		}
		for v := range by {
			slices.Sort(by[v])
			out[i].Summaries[v] = summarize(by[v])
			out[i].Summaries[v].whole(t, i, v)
			out[i].Summaries[v].Share = share[v]
		}
	}
	return out
}
