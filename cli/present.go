package cli

import (
	"fmt"
	"math"

	"microcost/compare"
	"microcost/report"
	"microcost/workload/recording"
)

// present compares a recording and shows it. Of one with a single variant only
// the counts are shown, and the comparison is nil.
func (w *World) present(rec *recording.Recording, notes []string, o showOptions) (*compare.Comparison, error) {
	g, err := gather(rec)
	if err != nil {
		return nil, err
	}
	return w.presentGathered(g, nil, notes, o)
}

// presentGathered does the same for what was gathered from files, between which
// something may differ. What differs between kernels that were booted for a
// comparison is in the recording itself.
func (w *World) presentGathered(g *gathering, diffs []recording.Difference, notes []string, o showOptions) (*compare.Comparison, error) {
	asked, err := asked(&g.rec)
	if err != nil {
		return nil, err
	}
	means := g.onlyMeans()
	var t *compare.Table
	if !means || g.runs > 0 {
		if t, err = g.table.Table(); err != nil {
			return nil, err
		}
	}
	if means {
		c, err := compare.Means(&g.rec, t, asked)
		if err != nil {
			return nil, err
		}
		doc := g.document(c, t)
		doc.Notes, doc.Differences = notes, diffs
		return c, w.show(doc, o)
	}
	if points, metrics := sweepOf(&g.rec, t); len(points) > 0 {
		asked.Metrics, asked.Primary = metrics, ""
		return w.presentSweep(&g.rec, t, points, asked, notes, o)
	}
	if len(t.Variants) == 1 {
		return nil, w.showSingle(report.NewSingle(&g.rec, t, notes), o)
	}
	c, err := compare.Compare(t, asked)
	if err != nil {
		return nil, err
	}
	if g.rec.Sessions[0].Guest != nil {
		notes = append(absolute(c), notes...)
		if diffs == nil {
			diffs = kernelDifferences(g)
		}
	}
	doc := g.document(c, t)
	doc.Rates = compare.Rates(t)
	doc.Notes = notes
	doc.Differences = diffs
	return c, w.show(doc, o)
}

// document is what is shown beside a comparison.
func (g *gathering) document(c *compare.Comparison, t *compare.Table) *report.Document {
	doc := report.NewDocument(&g.rec, c, t)
	doc.WarmUps, doc.Failed = g.warmUps, g.failed
	return doc
}

// asked is what the user asked of the comparison when the recording was made.
func asked(rec *recording.Recording) (compare.Options, error) {
	o := compare.DefaultOptions
	if len(rec.Sessions) == 0 {
		return o, nil
	}
	j := rec.Sessions[0].Judge
	if j.Alpha > 0 {
		o.Alpha = j.Alpha
	}
	o.Primary = j.Primary
	o.Thresholds = map[string]compare.Threshold{}
	for name, text := range j.Thresholds {
		amount, absolute, err := compare.ParseAmount(text)
		if err != nil || amount <= 0 {
			return o, fmt.Errorf("the threshold of %s in the recording: %q is not an amount", name, text)
		}
		o.Thresholds[name] = compare.Threshold{Amount: amount, Absolute: absolute}
	}
	return o, nil
}

// decide turns conditions into an exit status, and says which of them holds: a
// status alone explains nothing. What could not be judged is an error, never "no".
func (w *World) decide(c *compare.Comparison, failOn []compare.Condition, need bool) error {
	if c == nil {
		return nil
	}
	holds, undecided, compared := false, false, false
	judged := make([]bool, len(failOn))
	for _, m := range c.Metrics {
		for _, d := range m.Deltas {
			if m.Metric.Absent != "" || d.Verdict == compare.NotCompared {
				continue
			}
			compared = true
			undecided = undecided || d.Verdict == compare.Undecided || math.IsInf(d.Floor, 1)
			for i, cond := range failOn {
				if cond.Metric != m.Metric.Name {
					continue
				}
				judged[i] = true
				if err := compare.CheckUnit(m.Metric, cond.Text); err != nil {
					return usagef("--fail-on 'elapsed>+2ms'", "--fail-on %s: %v", cond.Text, err)
				}
				if cond.Holds(m, d) {
					holds = true
					fmt.Fprintf(w.Stderr, "microcost: --fail-on %s holds for %s\n", report.Printable(cond.Text), report.Printable(c.Variants[d.Variant]))
				}
			}
		}
	}
	for i, ok := range judged {
		if !ok {
			return &MeasureError{Msg: fmt.Sprintf("--fail-on: %s has no values on both sides and could not be judged", failOn[i].Metric)}
		}
	}
	switch {
	case !compared:
		return &MeasureError{Msg: "no metric has values on both sides: nothing was compared"}
	case holds:
		return &ExitError{ExitCondition}
	case need && undecided:
		return &ExitError{ExitUndecided}
	}
	return nil
}
