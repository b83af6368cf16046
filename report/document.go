package report

import (
	"slices"

	"microcost/compare"
	"microcost/workload/recording"
)

// A Document is what every renderer shows: a comparison and where it came from.
type Document struct {
	Comparison *compare.Comparison
	// Rates holds the median rate per second of task-clock, by metric and
	// variant; NaN where there is none. May be nil.
	Rates    [][]float64
	Sessions []recording.Session
	Ends     []recording.End
	// Runs is the number of judged runs of each variant, WarmUps that of all
	// warm-ups and Failed that of runs that were left out.
	Runs    []int
	Blocks  int
	WarmUps int
	Failed  int
	// Differences is what else differs between the base and the others, the
	// intended first.
	Differences []recording.Difference
	// Notes are said under the table: damage in the file, what was refused.
	Notes []string
}

// NewDocument gathers what is shown of a recording beside its comparison. t is
// the table that was compared, nil when only means are known.
func NewDocument(rec *recording.Recording, c *compare.Comparison, t *compare.Table) *Document {
	d := &Document{Comparison: c, Sessions: rec.Sessions, Ends: rec.Ends, Runs: make([]int, len(c.Variants))}
	if t != nil {
		for i, n := range t.RunsMade() {
			if v := slices.Index(c.Variants, t.Variants[i]); v >= 0 {
				d.Runs[v] += n
			}
		}
		d.Blocks = t.BlocksMade()
	}
	for _, m := range rec.Summaries { // runs that only their means are known of
		label := rec.Sessions[m.Session].Variants[m.Variant].Label
		if v := slices.Index(c.Variants, label); v >= 0 {
			d.Runs[v] = max(d.Runs[v], m.N)
		}
	}
	return d
}

// textOf is what the variant of this label ran, as the user wrote it.
func (d *Document) textOf(label string) string {
	for i := range d.Sessions {
		for _, v := range d.Sessions[i].Variants {
			if v.Label == label {
				return v.Text
			}
		}
	}
	return ""
}

// sessionsOf is the number of sessions that the variant of this label was in.
func (d *Document) sessionsOf(label string) int {
	n := 0
	for i := range d.Sessions {
		s := &d.Sessions[i]
		for _, v := range s.Variants {
			// A guest runs one kernel, whatever others the comparison has.
			if v.Label == label && (s.Guest == nil || s.Guest.Label == label) {
				n++
			}
		}
	}
	return n
}
