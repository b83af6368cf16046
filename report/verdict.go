package report

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"time"

	"microcost/compare"
)

// headline is the order in which metrics are named in the verdict line: first
// what says most about the cost of code, then what says most about its time.
var headline = []string{
	"instructions", "cycles", "IPC", "task-clock", "elapsed", "user", "system",
	"context-switches", "branch-misses", "cache-misses", "page-faults", "max-rss",
}

// How many metrics a verdict line names: what differs, and what does not.
const (
	namedDifferent = 4
	namedSame      = 2
)

// A finding is one metric's part in a verdict line.
type finding struct {
	m   compare.Metric
	d   compare.Delta
	bad int // +1 costs more, -1 costs less, 0 neither
}

// VerdictLine says in one line what variant (1 or above) does to the base.
func VerdictLine(c *compare.Comparison, variant int, primary string) string {
	name := Printable(c.Variants[variant])
	var different, same, undecided []finding
	compared := 0
	for _, m := range c.Metrics {
		if m.Metric.Absent != "" || variant-1 >= len(m.Deltas) {
			continue
		}
		if primary != "" && m.Metric.Name != primary {
			continue
		}
		d := m.Deltas[variant-1]
		if d.Verdict == compare.NotCompared {
			continue
		}
		compared++
		f := finding{m: m.Metric, d: d}
		switch {
		case d.Verdict == compare.SameWithin:
			same = append(same, f)
		case d.Flag:
			f.bad = direction(m.Metric, d)
			different = append(different, f)
		case d.Verdict == compare.Undecided || math.IsInf(d.Floor, 1):
			undecided = append(undecided, f)
		default:
			same = append(same, f)
		}
	}
	for _, list := range [][]finding{different, same, undecided} {
		order(list)
	}
	base := Printable(c.Variants[0])
	switch {
	case compared == 0:
		return fmt.Sprintf("%s could not be compared with %s: no metric has values on both sides", name, base)
	case len(different) > 0:
		return differenceLine(name, different, same)
	case len(undecided) > 0:
		return fmt.Sprintf("%s against %s is undecided%s: %s", name, base, forecast(c, undecided), list(undecided, namedDifferent, undecidedText))
	}
	return fmt.Sprintf("%s is not different from %s: %s", name, base, list(same, namedDifferent, withinText))
}

// direction says whether a flagged delta is a cost (+1), a gain (-1) or
// neither.
func direction(m compare.Metric, d compare.Delta) int {
	up := 1
	if d.Estimate < 0 || (d.Estimate == 0 && d.MeanDiff < 0) {
		up = -1
	}
	return -up * int(m.Better)
}

// differenceLine is the verdict when something differs.
func differenceLine(name string, different, same []finding) string {
	var worse, better int
	for _, f := range different {
		switch {
		case f.bad > 0:
			worse++
		case f.bad < 0:
			better++
		}
	}
	head := "differs"
	switch {
	case worse > 0 && better > 0:
		head = "costs more in some ways and less in others"
	case worse > 0:
		head = "costs more"
	case better > 0:
		head = "costs less"
	}
	s := fmt.Sprintf("%s %s: %s", name, head, list(different, namedDifferent, differentText))
	if named := topSame(same); len(named) > 0 {
		s += ", " + list(named, namedSame, withinText)
	}
	return s
}

// topSame are the metrics without a difference that a reader would miss.
func topSame(same []finding) []finding {
	var top []finding
	for _, f := range same {
		if rank(f.m.Name) < 4 && !math.IsInf(f.d.Floor, 1) {
			top = append(top, f)
		}
	}
	return top
}

func differentText(f finding) string {
	t := textOf(f.m, f.d)
	s := fmt.Sprintf("%s %s %s", f.m.Name, t.size, t.bare)
	switch f.d.Verdict {
	case compare.MoreThan, compare.LessThan:
		s += ", beyond the threshold"
	case compare.MaybeUnder:
		s += ", perhaps under the threshold"
	}
	return s
}

func withinText(f finding) string {
	if f.d.Verdict == compare.Identical {
		return f.m.Name + " identical"
	}
	t := textOf(f.m, f.d)
	if f.d.Verdict == compare.SameWithin {
		return fmt.Sprintf("%s the same within the threshold (%s)", f.m.Name, t.size)
	}
	return fmt.Sprintf("%s not different within %s", f.m.Name, t.floor)
}

func undecidedText(f finding) string {
	t := textOf(f.m, f.d)
	s := fmt.Sprintf("%s %s", f.m.Name, t.size)
	if !math.IsInf(f.d.Floor, 1) {
		s += fmt.Sprintf(" (floor %s)", t.floor)
	}
	return s
}

// forecast says how many more runs, or how many boots in all, would probably
// settle the first of the findings, and how long that would take.
func forecast(c *compare.Comparison, fs []finding) string {
	d := fs[0].d
	if d.MoreLo <= 0 {
		return ""
	}
	what := ""
	if len(fs) > 1 {
		what = " for " + fs[0].m.Name
	}
	lo, hi, of := d.MoreLo, max(d.MoreLo, d.MoreHi), "runs"
	switch d.Design {
	case compare.DesignBoots, compare.DesignBlocksInBoot:
		of = "boots"
	case compare.DesignSessions:
		of = "sessions"
	}
	if math.IsInf(d.Floor, 1) {
		return fmt.Sprintf(" (at least %s %s of each are needed%s)", thousands(lo), of, what)
	}
	if of != "runs" {
		return fmt.Sprintf(" (about %s %s of each in all would probably settle it%s)", span(lo, hi), of, what)
	}
	lo, hi = max(1, lo-d.N), max(1, hi-d.N)
	long := ""
	if c.RunCost > 0 {
		// A run of every variant goes with each.
		round := time.Duration(c.RunCost * float64(len(c.Variants)))
		long = ", about " + Duration(round*time.Duration(hi)) + ","
		if lo < hi {
			long = ", about " + Duration(round*time.Duration(lo)) + " to " + Duration(round*time.Duration(hi)) + ","
		}
	}
	if hi == 1 {
		of = "run"
	}
	return fmt.Sprintf(" (about %s more %s of each%s would probably settle it%s)", span(lo, hi), of, long, what)
}

// span writes one number, or two with "to" between them.
func span(lo, hi int) string {
	if lo == hi {
		return thousands(lo)
	}
	return thousands(lo) + " to " + thousands(hi)
}

func thousands(n int) string { return group(fmt.Sprint(n)) }

// list names the first n findings and counts the rest.
func list(fs []finding, n int, text func(finding) string) string {
	var parts []string
	for i, f := range fs {
		if i == n {
			parts = append(parts, fmt.Sprintf("and %d more", len(fs)-n))
			break
		}
		parts = append(parts, text(f))
	}
	return strings.Join(parts, ", ")
}

// rank is a metric's place in the verdict line; unknown metrics come last, in
// the order of the report.
func rank(name string) int {
	for i, h := range headline {
		base, _, _ := strings.Cut(name, ":")
		if base == h {
			return i
		}
	}
	return len(headline)
}

func order(fs []finding) {
	sort.SliceStable(fs, func(i, j int) bool { return rank(fs[i].m.Name) < rank(fs[j].m.Name) })
}

// Duration writes a time as people say it: 0.35 s, 12 s, 3 min, 2 h.
func Duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
