package report

import (
	"fmt"
	"math"
	"strings"

	"microcost/compare"
	"microcost/workload/recording"
)

// forecastRuns are the numbers of runs of each variant for which an A/A
// comparison says what could be detected.
var forecastRuns = []int{10, 30, 100}

// detectable writes, for a command against itself, the deltas that would be
// flagged four times in five with other numbers of runs.
func (t *text) detectable() error {
	t.printf("\n%s\n", t.p.bold("What could be told from zero, four times in five, with this many runs of each:"))
	g := &grid{}
	heads := []cell{{text: "", left: true}}
	for _, n := range forecastRuns {
		heads = append(heads, cell{text: fmt.Sprint(n), paint: t.p.bold})
	}
	g.add(heads...)
	for _, m := range t.c.Metrics {
		if m.Metric.Absent != "" || len(m.Deltas) == 0 || m.Deltas[0].Verdict == compare.NotCompared {
			continue
		}
		row := []cell{{text: m.Metric.Name, left: true}}
		for _, x := range compare.DetectableWith(m.Deltas[0], forecastRuns...) {
			row = append(row, cell{text: amountText(m.Metric, m.Deltas[0].Scale, x.Often)})
		}
		g.add(row...)
	}
	return g.write(t.out)
}

// amountText writes an amount of delta without a sign.
func amountText(m compare.Metric, scale compare.Scale, x float64) string {
	if math.IsNaN(x) {
		return "?"
	}
	return textOf(m, compare.Delta{Scale: scale, Floor: x, Lo: -x, Hi: x}).floor
}

// aaLine says what the base showed against itself on this machine.
func aaLine(aa *recording.AA, c *compare.Comparison) string {
	byName := map[string]compare.Metric{}
	for _, m := range c.Metrics {
		byName[m.Metric.Name] = m.Metric
	}
	var fs []finding
	for _, f := range aa.Floors {
		if m, ok := byName[f.Metric]; ok && m.Absent == "" {
			fs = append(fs, finding{m: m, d: compare.Delta{Scale: compare.Scale(f.Scale), Floor: f.Floor}})
		}
	}
	order(fs)
	var parts []string
	for _, f := range fs {
		if len(parts) < 5 && f.d.Floor > 0 {
			parts = append(parts, f.m.Name+" "+amountText(f.m, f.d.Scale, f.d.Floor))
		}
	}
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("floors of %s against itself on this machine, with %s of each on %s: %s",
		Printable(c.Variants[0]), number(aa.Runs, "run"), aa.Started.UTC().Format("2006-01-02"), strings.Join(parts, ", "))
}
