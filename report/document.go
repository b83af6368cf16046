package report

import (
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
	// Notes are said under the table: damage in the file, what was refused.
	Notes []string
}

// NewDocument gathers what is shown of a recording beside its comparison.
func NewDocument(rec *recording.Recording, c *compare.Comparison) *Document {
	d := &Document{Comparison: c, Sessions: rec.Sessions, Ends: rec.Ends, Runs: make([]int, len(c.Variants))}
	type block struct{ session, block int }
	blocks := map[block]bool{}
	for i := range rec.Samples {
		s := &rec.Samples[i]
		switch {
		case s.WarmUp:
			d.WarmUps++
		case s.Failed:
			d.Failed++
		default:
			if s.Variant < len(d.Runs) {
				d.Runs[s.Variant]++
			}
			blocks[block{s.Session, s.Block}] = true
		}
	}
	d.Blocks = len(blocks)
	return d
}
