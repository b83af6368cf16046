package report

import (
	"fmt"
	"math"
	"strings"

	"microcost/compare"
)

// A layout says which optional columns a table has.
type layout struct {
	floor, rates, wide bool
}

// layouts are tried from the richest to the poorest until one fits.
var layouts = []layout{
	{floor: true, rates: true, wide: true},
	{floor: true, wide: true},
	{floor: true},
	{},
}

func (t *text) table() error {
	for i, l := range layouts {
		notes := len(t.notes)
		g := t.grid(l)
		if i == len(layouts)-1 || t.o.Width <= 0 || g.total() <= t.o.Width {
			return g.write(t.out)
		}
		t.notes = t.notes[:notes]
	}
	return nil
}

// grid lays the metrics out. Two variants stand side by side; more stand below
// one another, each against the base.
func (t *text) grid(l layout) *grid {
	g := &grid{}
	two := len(t.c.Variants) == 2
	bold := func(s string, left bool) cell { return cell{text: s, left: left, paint: t.p.bold} }
	var heads []cell
	rates := l.rates && t.doc.Rates != nil && t.anyRate()
	value := func(label string) {
		heads = append(heads, bold(label, false))
		if rates {
			heads = append(heads, bold("", false))
		}
	}
	heads = append(heads, bold("", true))
	if two {
		value(Printable(t.c.Variants[0]))
		value(Printable(t.c.Variants[1]))
	} else {
		heads = append(heads, bold("", true))
		value("median")
	}
	heads = append(heads, bold("delta", false), bold("interval", true))
	if l.floor {
		heads = append(heads, bold("floor", false))
	}
	g.add(heads...)
	for i := range t.c.Metrics {
		t.rows(g, i, l, two, rates)
	}
	return g
}

// rows adds one metric.
func (t *text) rows(g *grid, index int, l layout, two, rates bool) {
	m := &t.c.Metrics[index]
	name := m.Metric.Name
	if m.Metric.Reason != "" || m.Metric.Absent != "" {
		name += t.footnote(m.Metric)
	}
	nameCell := cell{text: name, left: true}
	var medians []float64
	for _, s := range m.Summaries {
		medians = append(medians, middle(s))
	}
	sc := scaleFor(m.Metric, l.wide, medians...)
	values := func(v int) []cell {
		c := cell{text: t.value(m, v, sc)}
		if !rates {
			return []cell{c}
		}
		r := ""
		if index < len(t.doc.Rates) && v < len(t.doc.Rates[index]) && t.doc.Rates[index][v] > 0 {
			x := t.doc.Rates[index][v]
			r = "# " + pick(rateScales, x).value(x)
		}
		return []cell{c, {text: r, left: true, paint: t.p.dim}}
	}
	if two {
		row := append([]cell{nameCell}, values(0)...)
		row = append(row, values(1)...)
		g.add(append(row, t.deltas(m, 1, l)...)...)
		return
	}
	for v := range t.c.Variants {
		row := []cell{nameCell, {text: Printable(t.c.Variants[v]), left: true, paint: t.p.bold}}
		nameCell = cell{}
		row = append(row, values(v)...)
		if v > 0 {
			row = append(row, t.deltas(m, v, l)...)
		}
		g.add(row...)
		if m.Metric.Absent != "" {
			return // said once
		}
	}
}

// middle is the median, or the mean where single runs are not known.
func middle(s compare.Summary) float64 {
	if math.IsNaN(s.Median) {
		return s.Mean
	}
	return s.Median
}

// value is the median of one variant, or the word for its absence.
func (t *text) value(m *compare.MetricResult, v int, sc scale) string {
	if m.Metric.Absent != "" {
		return m.Metric.Absent
	}
	if v >= len(m.Summaries) || m.Summaries[v].N == 0 {
		return "<not counted>"
	}
	s := sc.value(middle(m.Summaries[v]))
	if share := shareText(m.Summaries[v]); share != "" {
		s += " " + share
	}
	return s
}

// shareText is the share of the time in which a count was really counted, in
// perf stat's words; empty when that was all of it.
func shareText(s compare.Summary) string {
	if s.Share <= 0 || s.Share >= 1 {
		return ""
	}
	return fmt.Sprintf("(%.2f%%)", min(100*s.Share, 99.99))
}

// shareNote explains it; empty where there is none.
func shareNote(metrics []compare.MetricResult) string {
	turns, parts := false, false
	for _, m := range metrics {
		for _, s := range m.Summaries {
			if m.Metric.Absent == "" && shareText(s) != "" {
				turns, parts = turns || !m.Metric.Part, parts || m.Metric.Part
			}
		}
	}
	var notes []string
	if turns {
		notes = append(notes, "(NN%): the counter had to take turns and ran for that share of the time, in the run where it was least; "+
			"the value is an estimate for the whole time.")
	}
	if parts {
		notes = append(notes, "(NN%) of one kind of core: the share of the time spent on such cores, in the run where it was least; "+
			"nothing is scaled.")
	}
	return strings.Join(notes, " ")
}

// deltas are the cells that compare variant v with the base.
func (t *text) deltas(m *compare.MetricResult, v int, l layout) []cell {
	if m.Metric.Absent != "" || v-1 >= len(m.Deltas) || m.Deltas[v-1].Verdict == compare.NotCompared {
		return nil
	}
	d := m.Deltas[v-1]
	x := textOf(m.Metric, d)
	paint := t.p.dim
	if d.Flag {
		dir := direction(m.Metric, d)
		paint = func(s string) string { return t.p.cost(s, dir) }
	}
	interval := x.interval
	if d.Verdict == compare.Identical {
		interval = ""
	}
	cells := []cell{{text: x.estimate, paint: paint}, {text: interval, left: true}}
	if l.floor {
		cells = append(cells, cell{text: x.floor})
	}
	return cells
}

func (t *text) anyRate() bool {
	for _, r := range t.doc.Rates {
		for _, x := range r {
			if x > 0 {
				return true
			}
		}
	}
	return false
}
