package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"microcost/compare"
	"microcost/workload/recording"
)

// A Single is what is shown of a recording that holds one variant: nothing is
// compared.
type Single struct {
	Metrics  []compare.MetricResult // with one Summary each
	Rates    [][]float64
	Sessions []recording.Session
	Ends     []recording.End
	Runs     int
	Notes    []string
}

// NewSingle gathers what is shown of a recording's only variant.
func NewSingle(rec *recording.Recording, t *compare.Table, notes []string) *Single {
	if t.Pooled != nil {
		notes = append(slices.Clone(notes), t.Pooled.String())
	}
	return &Single{
		Metrics: compare.Describe(t), Rates: compare.Rates(t), Sessions: rec.Sessions, Ends: rec.Ends,
		Runs: t.RunsMade()[0], Notes: notes,
	}
}

// SingleText writes one variant's counts as perf stat -r does: the mean with
// its relative standard error, and what perf stat leaves out, the median and
// the range.
func SingleText(w io.Writer, s *Single, o TextOptions) error {
	t := &text{o: o, p: palette{o.Color}, out: bufio.NewWriter(w)}
	if len(s.Sessions) > 0 {
		v := s.Sessions[0].Variants[0]
		t.printf("%s  %s\n", t.p.bold(Printable(v.Label)), Printable(v.Text))
		line := number(s.Runs, "run")
		if len(s.Sessions) > 1 {
			line += " in " + number(len(s.Sessions), "session")
		}
		if m := machineLine(s.Sessions[0].Env); m != "" {
			line += "; " + m
		}
		t.wrap("", "", line, t.p.dim)
		t.printf("\n")
	}
	for i := range singleLayouts {
		g, notes := t.single(s, singleLayouts[i]), t.notes
		if i == len(singleLayouts)-1 || o.Width <= 0 || g.total() <= o.Width {
			if err := g.write(t.out); err != nil {
				return err
			}
			break
		}
		t.notes = notes[:0]
	}
	t.reasons(shareNote(s.Metrics))
	for _, n := range s.Notes {
		t.wrap("note: ", "      ", Printable(n), t.p.note)
	}
	return t.out.Flush()
}

// singleLayouts are tried from the richest to the poorest.
var singleLayouts = []struct{ rates, span bool }{{true, true}, {false, true}, {false, false}}

func (t *text) single(s *Single, l struct{ rates, span bool }) *grid {
	g := &grid{}
	bold := func(s string, left bool) cell { return cell{text: s, left: left, paint: t.p.bold} }
	heads := []cell{bold("", true), bold("mean", false), bold("", true), bold("median", false)}
	if l.span {
		heads = append(heads, bold("min", false), bold("max", false))
	}
	g.add(heads...)
	for i, m := range printableMetrics(s.Metrics) {
		name := cell{text: m.Metric.Name + t.footnote(m.Metric), left: true}
		if m.Metric.Absent != "" {
			g.add(name, cell{text: m.Metric.Absent})
			continue
		}
		sum := m.Summaries[0]
		sc := scaleFor(m.Metric, true, sum.Median, sum.Max)
		row := []cell{name, {text: sc.value(sum.Mean)}, {text: strings.TrimSpace(plusMinus(sum) + " " + shareText(sum)), left: true, paint: t.p.dim}, {text: sc.value(sum.Median)}}
		if l.span {
			row = append(row, cell{text: sc.value(sum.Min)}, cell{text: sc.value(sum.Max)})
		}
		if l.rates && i < len(s.Rates) && s.Rates[i][0] > 0 {
			r := s.Rates[i][0]
			row = append(row, cell{text: "# " + pick(rateScales, r).value(r), left: true, paint: t.p.dim})
		}
		g.add(row...)
	}
	return g
}

// plusMinus is the relative standard error of the mean, in perf stat's words.
func plusMinus(s compare.Summary) string {
	if s.N < 2 || math.IsNaN(s.StdDev) || s.Mean == 0 {
		return ""
	}
	return fmt.Sprintf("( +- %.3f%% )", 100*s.StdDev/math.Sqrt(float64(s.N))/math.Abs(s.Mean))
}

// SingleJSON writes the same as one JSON document: the shape of the comparison
// without deltas and verdicts.
func SingleJSON(w io.Writer, s *Single) error {
	c := &compare.Comparison{Metrics: s.Metrics}
	doc := &Document{Comparison: c, Rates: s.Rates}
	r := jsonReport{
		Format: "microcost-report", Version: JSONVersion, Design: "single",
		Metrics: []jsonMetric{}, Verdicts: []jsonVerdict{}, Warnings: []jsonWarning{},
		Notes: s.Notes, Sessions: s.Sessions, Ends: s.Ends,
	}
	if len(s.Sessions) > 0 {
		v := s.Sessions[0].Variants[0]
		r.Variants = []jsonVariant{{Label: v.Label, Command: v.Text, Runs: s.Runs}}
	}
	for i := range s.Metrics {
		r.Metrics = append(r.Metrics, metricOf(doc, i))
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}
