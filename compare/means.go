package compare

import (
	"fmt"
	"math"
	"slices"

	"microcost/workload/recording"
)

// DesignMeans is a comparison of means whose runs are not known: what other
// tools print. It gives deltas and never decides: one mean each is one session
// each, and the next session of the same program may differ as much
// (docs/statistics.md).
const DesignMeans Design = "means"

// WarnMeans tells what the printed standard errors would allow.
const WarnMeans WarningKind = "means"

// A knownMean is what is known of one metric of one variant.
type knownMean struct {
	sum, se2 float64 // of the means of sessions, and their squared standard errors
	sessions int
	n        int
	share    float64
}

func (m *knownMean) value() float64 { return m.sum / float64(m.sessions) }

// stdErr is absolute, NaN where a session did not tell.
func (m *knownMean) stdErr() float64 { return math.Sqrt(m.se2) / float64(m.sessions) }

// Means compares a recording in which at least one variant has summaries and no
// samples. t is the table of the samples that there are, which enter by their
// means; nil for none.
func Means(rec *recording.Recording, t *Table, o Options) (*Comparison, error) {
	if len(rec.Sessions) == 0 {
		return nil, fmt.Errorf("the recording has no session")
	}
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return nil, fmt.Errorf("alpha is %v, must be between 0 and 1", o.Alpha)
	}
	c := &Comparison{Design: DesignMeans, Alpha: o.Alpha, Level: o.Alpha}
	var metrics []Metric
	known := map[[2]int]*knownMean{} // by metric and variant
	at := func(label, event string) *knownMean {
		i := slices.IndexFunc(metrics, func(m Metric) bool { return m.Name == event })
		key := [2]int{i, slices.Index(c.Variants, label)}
		if known[key] == nil {
			known[key] = &knownMean{share: 1}
		}
		return known[key]
	}
	for i := range rec.Sessions {
		for _, v := range rec.Sessions[i].Variants {
			if !slices.Contains(c.Variants, v.Label) {
				c.Variants = append(c.Variants, v.Label)
			}
		}
		for _, e := range rec.Sessions[i].Events {
			if !slices.ContainsFunc(metrics, func(m Metric) bool { return m.Name == e.Name }) {
				metrics = append(metrics, metricOf(e))
			}
		}
	}
	for _, s := range rec.Summaries {
		from := &rec.Sessions[s.Session]
		m := at(from.Variants[s.Variant].Label, from.Events[s.Event].Name)
		se := math.NaN()
		if s.StdErr != nil {
			se = *s.StdErr * math.Abs(s.Mean)
		}
		m.sum += s.Mean
		m.se2 += se * se
		m.sessions++
		m.n += s.N
		if s.Share > 0 {
			m.share = min(m.share, s.Share)
		}
	}
	if t != nil {
		addSamples(t, at)
	}
	for i, metric := range metrics {
		c.Metrics = append(c.Metrics, meansOf(metric, i, c.Variants, known))
	}
	for _, m := range c.Metrics {
		for _, d := range m.Deltas {
			if d.Verdict == Undecided {
				c.Family++
			}
		}
	}
	if c.Family > 0 {
		c.Level = o.Alpha / float64(c.Family)
	}
	c.Warnings = []Warning{{Kind: WarnMeans, Variant: -1, Text: "only means are known, of one variant after the other: nothing can be decided by them; " +
		"microcost ab measures both in turn, or record several boots of each"}}
	return c, nil
}

// addSamples lets the samples of a table enter by their means.
func addSamples(t *Table, at func(label, event string) *knownMean) {
	for _, row := range Describe(t) {
		if row.Metric.Derived {
			continue
		}
		for v, sum := range row.Summaries {
			if sum.N == 0 {
				continue
			}
			m := at(t.Variants[v], row.Metric.Name)
			m.sum += sum.Mean
			m.se2 += sum.StdDev * sum.StdDev / float64(sum.N)
			m.sessions++
			m.n += sum.N
		}
	}
}

// meansOf makes the row of one metric.
func meansOf(metric Metric, i int, variants []string, known map[[2]int]*knownMean) MetricResult {
	nan := math.NaN()
	r := MetricResult{Metric: metric}
	some := false
	for v := range variants {
		s := Summary{Median: nan, Mean: nan, StdDev: nan, MAD: nan, Min: nan, Max: nan, Share: 1}
		if m := known[[2]int{i, v}]; m != nil {
			s.N, s.Mean, s.Share = max(m.n, 1), m.value(), m.share
			some = true
		}
		r.Summaries = append(r.Summaries, s)
	}
	if !some && metric.Absent == "" {
		r.Metric.Absent = "<not counted>"
		if r.Metric.Reason == "" {
			r.Metric.Reason = "the files have no value of it"
		}
	}
	base := known[[2]int{i, 0}]
	for v := 1; v < len(variants); v++ {
		other := known[[2]int{i, v}]
		d := Delta{
			Variant: v, Design: DesignMeans, Scale: RawScale, Estimate: nan, Lo: math.Inf(-1), Hi: math.Inf(1),
			Floor: math.Inf(1), P: nan, Level: 1, MeanDiff: nan, Threshold: nan, Verdict: NotCompared,
		}
		if base != nil && other != nil {
			a, b := base.value(), other.value()
			d.MeanDiff, d.Estimate, d.Verdict = b-a, b-a, Undecided
			noise := math.Hypot(base.stdErr(), other.stdErr())
			if a > 0 && b > 0 {
				d.Scale, d.Estimate = LogScale, math.Log(b/a)
				noise = math.Hypot(base.stdErr()/a, other.stdErr()/b)
			}
			if !math.IsNaN(noise) {
				text := fmt.Sprintf("the printed standard errors alone explain a delta of %.3g %%", 196*noise)
				if d.Scale == RawScale {
					text = fmt.Sprintf("the printed standard errors alone explain a delta of %.3g", 1.96*noise)
				}
				r.Warnings = append(r.Warnings, Warning{Kind: WarnMeans, Metric: metric.Name, Variant: v, Text: text})
			}
		}
		r.Deltas = append(r.Deltas, d)
	}
	return r
}
