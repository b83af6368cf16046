package compare

import (
	"math"
	"slices"
)

// maxRSS is the metric whose values have a floor: the kernel starts a child's
// ru_maxrss from what its parent held, so a run at or below that has no value.
const maxRSS = "max-rss"

// dropFloored takes max-rss away altogether when some runs have no value. Those
// that are left are the large ones: their median would be that of a choice.
func dropFloored(t *Table) {
	k := t.metric(maxRSS)
	if k < 0 || t.Metrics[k].Absent != "" && t.Metrics[k].Absent != "<not counted>" {
		return
	}
	missing := slices.ContainsFunc(t.Values[k], math.IsNaN)
	for v, n := range t.RunsMade() {
		if m := t.single(k, v); m != nil {
			missing = missing || m.N < n
		}
	}
	if !missing {
		return
	}
	t.Values[k] = slices.Repeat([]float64{math.NaN()}, len(t.Runs))
	m := &t.Metrics[k]
	m.Absent = "<not counted>"
	if m.Reason == "" {
		m.Reason = "a run's peak that is at or below what microcost itself holds in memory cannot be told from it (the kernel hands it on to children), and some runs or all were so small"
	}
}

// notCounted is the footnote of events that were open and never ran.
const notCounted = "the counter was open and never ran: nothing of what is counted ran, the PMU was taken by others, or the command could not be counted by this user (a setuid program)"

// fileSays is the footnote of what another tool could not count.
const fileSays = "the file says <not counted>"

// noTurn is the footnote of events that were open in no run.
const noTurn = "the counter was open in no run: the PMU does not hold all events at once; either the turn of this one never came, and more runs give it a value, or the group in braces that it is in has too many events"
