package report

import (
	"encoding/json"
	"io"
	"math"

	"microcost/compare"
	"microcost/workload/recording"
)

// JSONVersion is the version of the JSON report's shape. Fields may be added
// within a version; none changes its meaning.
const JSONVersion = 1

// number JSON cannot hold (infinite, undefined) is null.
type jsonFloat float64

func (f jsonFloat) MarshalJSON() ([]byte, error) {
	if x := float64(f); math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

type jsonReport struct {
	Format   string              `json:"format"` // "microcost-report"
	Version  int                 `json:"version"`
	Design   string              `json:"design"`
	Variants []jsonVariant       `json:"variants"`
	Alpha    float64             `json:"alpha"`
	Level    float64             `json:"level"`
	Family   int                 `json:"family"`
	Blocks   int                 `json:"blocks"`
	WarmUps  int                 `json:"warm_ups"`
	Failed   int                 `json:"failed_runs"`
	Metrics  []jsonMetric        `json:"metrics"`
	Verdicts []jsonVerdict       `json:"verdicts"`
	Warnings []jsonWarning       `json:"warnings"`
	Differs  []jsonDifference    `json:"differences,omitempty"`
	Notes    []string            `json:"notes,omitempty"`
	Sessions []recording.Session `json:"sessions"`
	Ends     []recording.End     `json:"ends"`
}

type jsonDifference struct {
	Field string `json:"field"`
	A     string `json:"a"`
	B     string `json:"b"`
	Class string `json:"class"` // intended, other, spoiling
}

type jsonVariant struct {
	Label   string `json:"label"`
	Command string `json:"command,omitempty"`
	Runs    int    `json:"runs"`
}

type jsonMetric struct {
	Name       string        `json:"name"`
	Unit       string        `json:"unit"`
	Better     string        `json:"better"` // "lower", "higher", "neither"
	Domain     string        `json:"domain,omitempty"`
	Derived    bool          `json:"derived,omitempty"`
	Absent     string        `json:"absent,omitempty"`
	Reason     string        `json:"reason,omitempty"`
	Summaries  []jsonSummary `json:"summaries,omitempty"`
	Deltas     []jsonDelta   `json:"deltas,omitempty"`
	Warnings   []jsonWarning `json:"warnings,omitempty"`
	Resolution float64       `json:"resolution,omitempty"`
}

type jsonSummary struct {
	N             int       `json:"n"`
	Median        jsonFloat `json:"median"`
	Mean          jsonFloat `json:"mean"`
	StdDev        jsonFloat `json:"stddev"`
	MAD           jsonFloat `json:"mad"`
	Min           jsonFloat `json:"min"`
	Max           jsonFloat `json:"max"`
	Outliers      int       `json:"outliers"`
	RunningShare  jsonFloat `json:"running_share"`
	PerSecondRate jsonFloat `json:"per_second"`
}

type jsonDelta struct {
	Variant     string    `json:"variant"`
	Scale       string    `json:"scale"` // "log" or "raw": of estimate, lo, hi, floor, threshold
	Estimate    jsonFloat `json:"estimate"`
	Lo          jsonFloat `json:"lo"`
	Hi          jsonFloat `json:"hi"`
	LoOpen      bool      `json:"lo_open,omitempty"`
	HiOpen      bool      `json:"hi_open,omitempty"`
	Floor       jsonFloat `json:"floor"`
	Percent     jsonFloat `json:"percent"`
	PercentLo   jsonFloat `json:"percent_lo"`
	PercentHi   jsonFloat `json:"percent_hi"`
	PercentFl   jsonFloat `json:"percent_floor"`
	MeanDiff    jsonFloat `json:"mean_difference"`
	P           jsonFloat `json:"p"`
	Level       float64   `json:"level"`
	Significant bool      `json:"significant"`
	Threshold   jsonFloat `json:"threshold"`
	Verdict     string    `json:"verdict"`
	MoreLo      int       `json:"runs_needed_lo,omitempty"`
	MoreHi      int       `json:"runs_needed_hi,omitempty"`

	Detectable []jsonDetectable `json:"detectable,omitempty"` // of --aa
}

type jsonDetectable struct {
	Runs  int       `json:"runs"`
	Half  jsonFloat `json:"half_the_time"`
	Often jsonFloat `json:"four_times_in_five"`
	Sure  jsonFloat `json:"nearly_always"`
}

type jsonWarning struct {
	Kind    string `json:"kind"`
	Metric  string `json:"metric,omitempty"`
	Variant string `json:"variant,omitempty"`
	Text    string `json:"text"`
}

type jsonVerdict struct {
	Variant string `json:"variant"`
	Text    string `json:"text"`
}

// JSON writes the comparison as one JSON document. docs/report-json.md has its
// fields.
func JSON(w io.Writer, doc *Document) error {
	c := doc.Comparison
	r := jsonReport{
		Format: "microcost-report", Version: JSONVersion, Design: string(c.Design),
		Alpha: c.Alpha, Level: c.Level, Family: c.Family,
		Blocks: doc.Blocks, WarmUps: doc.WarmUps, Failed: doc.Failed,
		Metrics: []jsonMetric{}, Verdicts: []jsonVerdict{}, Warnings: warningsOf(c.Warnings, c.Variants),
		Notes: doc.Notes, Sessions: doc.Sessions, Ends: doc.Ends,
	}
	for _, d := range doc.Differences {
		r.Differs = append(r.Differs, jsonDifference{d.Field, d.A, d.B, d.Class.String()})
	}
	for i, label := range c.Variants {
		v := jsonVariant{Label: label}
		if i < len(doc.Runs) {
			v.Runs = doc.Runs[i]
		}
		v.Command = doc.textOf(label)
		r.Variants = append(r.Variants, v)
	}
	for i := range c.Metrics {
		r.Metrics = append(r.Metrics, metricOf(doc, i))
	}
	primary := ""
	if len(doc.Sessions) > 0 {
		primary = doc.Sessions[0].Judge.Primary
	}
	for v := 1; v < len(c.Variants); v++ {
		r.Verdicts = append(r.Verdicts, jsonVerdict{c.Variants[v], VerdictLine(c, v, primary)})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

func metricOf(doc *Document, i int) jsonMetric {
	c := doc.Comparison
	m := &c.Metrics[i]
	j := jsonMetric{
		Name: m.Metric.Name, Unit: string(m.Metric.Unit), Domain: m.Metric.Domain, Derived: m.Metric.Derived,
		Absent: m.Metric.Absent, Reason: m.Metric.Reason, Resolution: m.Metric.Resolution,
		Better: map[compare.Better]string{compare.LowerBetter: "lower", compare.HigherBetter: "higher"}[m.Metric.Better],
	}
	if j.Better == "" {
		j.Better = "neither"
	}
	if m.Metric.Absent != "" {
		return j
	}
	for v, s := range m.Summaries {
		rate := math.NaN()
		if i < len(doc.Rates) && v < len(doc.Rates[i]) {
			rate = doc.Rates[i][v]
		}
		j.Summaries = append(j.Summaries, jsonSummary{
			N: s.N, Median: jsonFloat(s.Median), Mean: jsonFloat(s.Mean), StdDev: jsonFloat(s.StdDev), MAD: jsonFloat(s.MAD),
			Min: jsonFloat(s.Min), Max: jsonFloat(s.Max), Outliers: s.Outliers, RunningShare: jsonFloat(s.Share), PerSecondRate: jsonFloat(rate),
		})
	}
	for _, d := range m.Deltas {
		pct := func(x float64) jsonFloat {
			if d.Scale != compare.LogScale {
				return jsonFloat(math.NaN())
			}
			return jsonFloat(percent(x))
		}
		row := jsonDelta{
			Variant: c.Variants[d.Variant], Scale: string(d.Scale),
			Estimate: jsonFloat(d.Estimate), Lo: jsonFloat(d.Lo), Hi: jsonFloat(d.Hi), LoOpen: d.LoOpen, HiOpen: d.HiOpen, Floor: jsonFloat(d.Floor),
			Percent: pct(d.Estimate), PercentLo: pct(d.Lo), PercentHi: pct(d.Hi), PercentFl: pct(d.Floor),
			MeanDiff: jsonFloat(d.MeanDiff), P: jsonFloat(d.P), Level: d.Level, Significant: d.Flag, Threshold: jsonFloat(d.Threshold),
			Verdict: string(d.Verdict), MoreLo: d.MoreLo, MoreHi: d.MoreHi,
		}
		if len(doc.Sessions) > 0 && doc.Sessions[0].Plan.AA {
			for _, x := range compare.DetectableWith(d, forecastRuns...) {
				row.Detectable = append(row.Detectable, jsonDetectable{x.Runs, jsonFloat(x.Half), jsonFloat(x.Often), jsonFloat(x.Sure)})
			}
		}
		j.Deltas = append(j.Deltas, row)
	}
	j.Warnings = warningsOf(m.Warnings, c.Variants)
	return j
}

func warningsOf(ws []compare.Warning, variants []string) []jsonWarning {
	list := []jsonWarning{}
	for _, w := range ws {
		j := jsonWarning{Kind: string(w.Kind), Metric: w.Metric, Text: w.Text}
		if w.Variant >= 0 && w.Variant < len(variants) {
			j.Variant = variants[w.Variant]
		}
		list = append(list, j)
	}
	return list
}
