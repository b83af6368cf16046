package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"microcost/compare"
	"microcost/workload/recording"
)

// A SweepDocument is what is shown of a sweep: one comparison for each point.
type SweepDocument struct {
	Result   *compare.SweepResult
	Sessions []recording.Session
	Ends     []recording.End
	Blocks   int
	Notes    []string
}

// SweepText writes one table for each metric that was compared, with one line
// for each point: mean, median and standard deviation of A and of B, the
// improvement, and the verdict.
func SweepText(w io.Writer, d *SweepDocument, o TextOptions) error {
	t := &text{o: o, p: palette{o.Color}, out: bufio.NewWriter(w)}
	if len(d.Sessions) > 0 {
		s := d.Sessions[0]
		for _, v := range s.Variants[:min(2, len(s.Variants))] {
			t.printf("%s  %s\n", t.p.bold(Printable(v.Label)), Printable(v.Text))
		}
		line := fmt.Sprintf("and so on at %s; %s of each in %s (seed %d)", number(len(d.Result.Points), "point"),
			sweepRuns(d.Result), number(d.Blocks, "random block"), s.Plan.Seed)
		if m := machineLine(s.Env); m != "" {
			line += "; " + m
		}
		t.wrap("", "", line, t.p.dim)
	}
	if len(d.Result.Points) > 0 {
		for k, m := range d.Result.Points[0].Comparison.Metrics {
			t.printf("\n")
			if err := t.sweepTable(d.Result, k, m.Metric); err != nil {
				return err
			}
		}
	}
	t.printf("\n")
	t.wrap("", "", fmt.Sprintf("Intervals hold with %s %% confidence for all %s together. Improvement: how much better the median run of B is.",
		trim(100*(1-d.Result.Alpha)), number(d.Result.Family, "comparison")), t.p.dim)
	for _, n := range d.Notes {
		t.wrap("note: ", "      ", Printable(n), t.p.note)
	}
	return t.out.Flush()
}

// sweepRuns says how many runs of each variant a point has.
func sweepRuns(r *compare.SweepResult) string {
	lo, hi := math.MaxInt, 0
	for _, p := range r.Points {
		for _, m := range p.Comparison.Metrics {
			for _, s := range m.Summaries {
				lo, hi = min(lo, s.N), max(hi, s.N)
			}
		}
	}
	if lo < hi {
		return fmt.Sprintf("%s to %s runs", thousands(lo), thousands(hi))
	}
	return number(hi, "run")
}

// sweepTable writes the points of one metric on one scale, so that they can be
// compared by eye.
func (t *text) sweepTable(r *compare.SweepResult, k int, metric compare.Metric) error {
	bold := func(s string, left bool) cell { return cell{text: s, left: left, paint: t.p.bold} }
	g := &grid{}
	g.add(bold(Printable(metric.Name), true), bold("A mean", false), bold("median", false), bold("stddev", false),
		bold("B mean", false), bold("median", false), bold("stddev", false), bold("improvement", false), bold("interval", true), bold("verdict", true))
	var all []float64
	for _, p := range r.Points {
		for _, s := range p.Comparison.Metrics[k].Summaries {
			all = append(all, s.Mean, s.Median)
		}
	}
	sc := scaleFor(metric, true, all...)
	for _, p := range r.Points {
		m := p.Comparison.Metrics[k]
		row := []cell{{text: Printable(p.Name), left: true}}
		for _, s := range m.Summaries {
			row = append(row, cell{text: sc.value(s.Mean)}, cell{text: sc.value(s.Median)}, cell{text: sc.value(s.StdDev)})
		}
		d := m.Deltas[0]
		x := improvement(m.Metric, d)
		paint := t.p.dim
		if d.Flag {
			dir := direction(m.Metric, d)
			paint = func(s string) string { return t.p.cost(s, dir) }
		}
		row = append(row, cell{text: x.estimate, paint: paint}, cell{text: x.interval, left: true}, cell{text: sweepVerdict(m.Metric, d), left: true})
		g.add(row...)
	}
	return g.write(t.out)
}

// sweepVerdict is a verdict in the sense of the improvement: "less" of a time is
// better.
func sweepVerdict(m compare.Metric, d compare.Delta) string {
	if m.Better != compare.NeitherWay && (d.Verdict == compare.More || d.Verdict == compare.Less) {
		if direction(m, d) > 0 {
			return "worse"
		}
		return "better"
	}
	return string(d.Verdict)
}

// improvement writes a delta so that more is better: of a time that falls by a
// tenth, +10 %.
func improvement(m compare.Metric, d compare.Delta) deltaText {
	if m.Better == compare.LowerBetter && d.Verdict != compare.NotCompared {
		flip := func(x float64) float64 {
			if d.Scale == compare.LogScale {
				// Of the base: 1 - B/A, which is not 1/(B/A) - 1.
				if y := -math.Expm1(x); y > -1 {
					return math.Log1p(y)
				}
				return math.Inf(-1)
			}
			return -x
		}
		d.Estimate, d.Lo, d.Hi = flip(d.Estimate), flip(d.Hi), flip(d.Lo)
		d.LoOpen, d.HiOpen = d.HiOpen, d.LoOpen
	}
	x := textOf(m, d)
	if x.estimate == "~" {
		x.estimate = x.size
	}
	return x
}

// sweepVersion is the version of the shape that SweepJSON writes.
const sweepVersion = 1

// SweepJSON writes the same as one JSON document, in base units.
func SweepJSON(w io.Writer, d *SweepDocument) error {
	type side struct {
		N      int       `json:"n"`
		Mean   jsonFloat `json:"mean"`
		Median jsonFloat `json:"median"`
		StdDev jsonFloat `json:"stddev"`
		Min    jsonFloat `json:"min"`
		Max    jsonFloat `json:"max"`
	}
	type row struct {
		Metric   string    `json:"metric"`
		Unit     string    `json:"unit,omitempty"`
		A        side      `json:"a"`
		B        side      `json:"b"`
		Scale    string    `json:"scale"`
		Estimate jsonFloat `json:"estimate"` // of B against A, on scale
		Lo       jsonFloat `json:"lo"`
		Hi       jsonFloat `json:"hi"`
		Floor    jsonFloat `json:"floor"`
		P        jsonFloat `json:"p"`
		Verdict  string    `json:"verdict"`
	}
	type point struct {
		Name    string `json:"name"`
		Metrics []row  `json:"metrics"`
	}
	doc := struct {
		Format   string              `json:"format"` // "microcost-sweep"
		Version  int                 `json:"version"`
		Alpha    float64             `json:"alpha"`
		Family   int                 `json:"family"`
		Points   []point             `json:"points"`
		Notes    []string            `json:"notes,omitempty"`
		Sessions []recording.Session `json:"sessions"`
		Ends     []recording.End     `json:"ends"`
	}{"microcost-sweep", sweepVersion, d.Result.Alpha, d.Result.Family, nil, d.Notes, d.Sessions, d.Ends}
	sideOf := func(s compare.Summary) side {
		return side{s.N, jsonFloat(s.Mean), jsonFloat(s.Median), jsonFloat(s.StdDev), jsonFloat(s.Min), jsonFloat(s.Max)}
	}
	for _, p := range d.Result.Points {
		out := point{Name: p.Name}
		for _, m := range p.Comparison.Metrics {
			x := m.Deltas[0]
			out.Metrics = append(out.Metrics, row{
				m.Metric.Name, string(m.Metric.Unit), sideOf(m.Summaries[0]), sideOf(m.Summaries[1]),
				string(x.Scale), jsonFloat(x.Estimate), jsonFloat(x.Lo), jsonFloat(x.Hi), jsonFloat(x.Floor), jsonFloat(x.P), string(x.Verdict),
			})
		}
		doc.Points = append(doc.Points, out)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(doc)
}
