package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	ucli "github.com/urfave/cli/v2"

	"microcost/compare"
	"microcost/report"
	"microcost/workload"
	"microcost/workload/recording"
)

// sweepRuns is how many runs of each variant are made at each point when
// nothing was said: the floors of many points cannot all be waited for.
const sweepRuns = 10

// mostPoints only catches slips of the finger.
const mostPoints = 1000

// A sweepMark is what a recording keeps of a sweep, in each of its variants.
type sweepMark struct {
	Point   string   `json:"point"`
	Metrics []string `json:"sweep_metrics"`
}

// readSweep makes one pair of variants for each point of the product of all
// --sweep. It comes last: the variants have their labels and hooks already.
func (o *abOptions) readSweep(c *ucli.Context) error {
	const usage = "--workload messaging --sweep groups=1,2,4,8"
	points, err := sweepPoints(c.StringSlice("sweep"))
	if err != nil {
		return err
	}
	metrics := c.StringSlice("sweep-metric")
	if points == nil {
		if len(metrics) > 0 {
			return usagef(usage, "--sweep-metric is given, but nothing to sweep")
		}
		return nil
	}
	base := o.variants
	switch {
	case len(base) != 2 || base[0].Builtin == nil || base[1].Builtin == nil:
		return usagef(usage, "--sweep changes the parameters of a built-in workload, in two variants")
	case o.stop.until != nil:
		return usagef("--runs N or --max-time D", "--until does not go with --sweep")
	case o.judge.Primary != "" && len(metrics) > 0:
		return usagef("--sweep-metric METRIC", "--primary and --sweep-metric both say what is compared")
	case o.judge.Primary != "":
		metrics = []string{o.judge.Primary}
	case len(metrics) == 0:
		metrics = []string{"elapsed"}
	}
	for _, cond := range o.failOn {
		if !slices.Contains(metrics, cond.Metric) {
			metrics = append(metrics, cond.Metric)
		}
	}
	o.variants = nil
	for _, params := range points {
		name := strings.Join(params, " ")
		mark, err := json.Marshal(sweepMark{Point: name, Metrics: metrics})
		if err != nil {
			return err
		}
		for _, v := range base {
			s := *v.Builtin
			for _, p := range params {
				if s, err = s.With(p); err != nil {
					return workloadError("--sweep: ", err)
				}
			}
			b := workload.Builtin(s)
			v.Text = b.Text + strings.TrimPrefix(v.Text, v.Builtin.String())
			v.Builtin, v.Argv, v.Extra = b.Builtin, b.Argv, recording.Extra(mark)
			v.Label += " " + name
			o.variants = append(o.variants, v)
		}
	}
	// What is done once is done once, not at every point.
	for i := range o.variants {
		if i >= 2 {
			o.variants[i].Hooks.Setup = ""
		}
		if i < len(o.variants)-2 {
			o.variants[i].Hooks.Cleanup = ""
		}
	}
	o.sweepMetrics = metrics
	if o.stop.quick {
		o.stop = stopRule{runs: sweepRuns}
	}
	return nil
}

// sweepPoints makes the product of lists such as "groups=1,2,4".
func sweepPoints(texts []string) ([][]string, error) {
	const hint = "--sweep groups=1,2,4,8"
	if len(texts) == 0 {
		return nil, nil
	}
	points := [][]string{nil}
	seen := map[string]bool{}
	for _, text := range texts {
		key, list, ok := strings.Cut(text, "=")
		if !ok || key == "" || list == "" {
			return nil, usagef(hint, "--sweep %s is not of the form KEY=V1,V2,...", text)
		}
		if seen[key] {
			return nil, usagef("give all values at once: "+hint, "--sweep %s is given twice", key)
		}
		seen[key] = true
		values := strings.Split(list, ",")
		var next [][]string
		for _, p := range points {
			for i, v := range values {
				if v == "" || slices.Contains(values[:i], v) {
					return nil, usagef(hint, "--sweep %s has an empty value, or one twice", text)
				}
				next = append(next, append(slices.Clone(p), key+"="+v))
			}
		}
		if points = next; len(points) > mostPoints {
			return nil, usagef("fewer values", "--sweep makes more than %d points", mostPoints)
		}
	}
	return points, nil
}

// sweepOf finds the points in a recording; there are none when it is not of a
// sweep.
func sweepOf(rec *recording.Recording, t *compare.Table) (points []compare.Point, metrics []string) {
	for _, s := range rec.Sessions {
		for _, v := range s.Variants {
			var m sweepMark
			if v.Extra == "" || json.Unmarshal([]byte(v.Extra), &m) != nil || m.Point == "" {
				continue
			}
			k := slices.Index(t.Variants, v.Label)
			i := slices.IndexFunc(points, func(p compare.Point) bool { return p.Name == m.Point })
			switch {
			case i < 0:
				points = append(points, compare.Point{Name: m.Point, A: k, B: -1})
			case points[i].B < 0 && k != points[i].A:
				points[i].B = k
			}
			metrics = m.Metrics
		}
	}
	return slices.DeleteFunc(points, func(p compare.Point) bool { return p.B < 0 }), metrics
}

// presentSweep shows a sweep. The comparison that it returns has the metrics of
// all points, for conditions to be judged by.
func (w *World) presentSweep(rec *recording.Recording, t *compare.Table, points []compare.Point, asked compare.Options, notes []string, o showOptions) (*compare.Comparison, error) {
	r, err := compare.Sweep(t, points, asked)
	if err != nil {
		return nil, &MeasureError{Msg: fmt.Sprintf("comparing the points: %v", err), Err: err}
	}
	doc := &report.SweepDocument{Result: r, Sessions: rec.Sessions, Ends: rec.Ends, Blocks: t.BlocksMade(), Notes: notes}
	if o.format == "json" {
		err = report.SweepJSON(w.Stdout, doc)
	} else {
		err = report.SweepText(w.Stdout, doc, report.TextOptions{Color: w.coloured(o.color, w.Stdout), Width: width(w.Stdout)})
	}
	all := &compare.Comparison{}
	for _, p := range r.Points {
		all.Metrics = append(all.Metrics, p.Comparison.Metrics...)
	}
	return all, err
}
