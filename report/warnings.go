package report

import (
	"fmt"
	"slices"
	"strings"

	"microcost/compare"
)

// summaries are what a kind of warning comes to when it was given for more
// than one metric or variant; where they stand, %s is the list.
var summaries = map[compare.WarningKind]string{
	compare.WarnFewRuns:         "too few runs to see a difference in %s",
	compare.WarnDrift:           "values drift over the session in %s; random blocks keep that out of the deltas",
	compare.WarnAutocorrelation: "runs resemble the ones before them in %s; random blocks are immune to it",
	compare.WarnTwoModes:        "values lie on two levels in %s; the deltas are those of the medians",
	compare.WarnTail:            "the variants differ in the share of slow runs in %s",
	compare.WarnOutliers:        "many values far from the rest in %s; all are kept, and weigh no more than others",
	compare.WarnSpread:          "the variants differ in spread in %s",
	compare.WarnOrder:           "the position inside a block matters in %s; the random order keeps that out of the deltas",
	compare.WarnCarryOver:       "the variant that ran before matters in %s; --prepare may help",
	compare.WarnMultiplexed:     "counted for a part of the time only, and extrapolated: %s",
	compare.WarnBoots:           "more boots would tell more than more runs in %s",
	compare.WarnMeans:           "the printed standard errors leave room for deltas in %s",
	compare.WarnResolution:      "the change is below one step of %s",
}

// warningLines are the notes under the table. A warning that stands alone is
// told whole; several of a kind are told in one line, and --explain and the
// JSON report have the rest. That all runs are of one boot is said in the line
// under the table already.
func warningLines(c *compare.Comparison) []string {
	var kinds []compare.WarningKind
	byKind := map[compare.WarningKind][]compare.Warning{}
	add := func(ws []compare.Warning) {
		for _, w := range ws {
			if w.Kind == compare.WarnOneBoot {
				continue
			}
			if byKind[w.Kind] == nil {
				kinds = append(kinds, w.Kind)
			}
			byKind[w.Kind] = append(byKind[w.Kind], w)
		}
	}
	add(c.Warnings)
	for i := range c.Metrics {
		add(c.Metrics[i].Warnings)
	}
	var lines []string
	for _, k := range kinds {
		ws := byKind[k]
		format, ok := summaries[k]
		if len(ws) == 1 || !ok {
			for _, w := range ws {
				if line := warningLine(w); !slices.Contains(lines, line) {
					lines = append(lines, line)
				}
			}
			continue
		}
		line := fmt.Sprintf(format, metricsOf(ws))
		if text, same := sameText(ws); same {
			line = text + " (" + metricsOf(ws) + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

// warningLine is one warning in full.
func warningLine(w compare.Warning) string {
	if w.Metric == "" || strings.HasPrefix(w.Text, w.Metric) {
		return w.Text
	}
	return w.Metric + ": " + w.Text
}

// sameText is the clause that all warnings begin with, if they do.
func sameText(ws []compare.Warning) (string, bool) {
	first, _, _ := strings.Cut(ws[0].Text, "; ")
	for _, w := range ws {
		if text, _, _ := strings.Cut(w.Text, "; "); text != first {
			return "", false
		}
	}
	return first, true
}

// metricsOf lists the metrics of warnings, each once.
func metricsOf(ws []compare.Warning) string {
	var names []string
	for _, w := range ws {
		if w.Metric != "" && !slices.Contains(names, w.Metric) {
			names = append(names, w.Metric)
		}
	}
	return strings.Join(names, ", ")
}
