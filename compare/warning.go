package compare

import (
	"fmt"
	"math"
)

// The kinds of warnings. docs/statistics.md says how each comes about and how
// often it is wrong.
const (
	WarnFewRuns         WarningKind = "few runs"        // no difference could be flagged: n_min
	WarnDrift           WarningKind = "drift"           // values rise or fall over the session
	WarnAutocorrelation WarningKind = "autocorrelation" // a run resembles the one before it
	WarnTwoModes        WarningKind = "two modes"       // values of a variant lie on two levels
	WarnTail            WarningKind = "tail"            // one variant has more slow runs
	WarnOutliers        WarningKind = "outliers"        // many values far from the rest
	WarnSpread          WarningKind = "spread"          // the variants differ in spread only
	WarnOrder           WarningKind = "order"           // the position in the block matters
	WarnCarryOver       WarningKind = "carry-over"      // the variant that ran before matters
	WarnMultiplexed     WarningKind = "multiplexed"     // counted part of the time
	WarnDisturbed       WarningKind = "disturbed"       // something else had the CPUs
	WarnOneBoot         WarningKind = "one boot"        // says nothing of other boots
	WarnBoots           WarningKind = "boots"           // more boots, not more repeats
	WarnNotExact        WarningKind = "not exact"       // an exact metric that varies
	WarnUnused          WarningKind = "unused"          // runs that no block could use
	WarnResolution      WarningKind = "resolution"      // the change is below one step of the metric
	WarnThreshold       WarningKind = "threshold"       // a threshold that could not be applied
	WarnPooled          WarningKind = "pooled"          // means of several runs were judged
)

// noteLevel is the level of the tests behind the notes on drift, order and
// spread. It is strict because there are many notes, and they are only notes.
const noteLevel = 0.001

// warnings are those about the whole comparison.
func (s *study) warnings() []Warning {
	var out []Warning
	say := func(k WarningKind, v int, format string, args ...any) {
		out = append(out, Warning{Kind: k, Variant: v, Text: fmt.Sprintf(format, args...)})
	}
	inBoot := false
	for v := 1; v < len(s.designs); v++ {
		inBoot = inBoot || s.designs[v] == DesignBlocks || s.designs[v] == DesignSessions
		if s.designs[v] != DesignBlocks && s.designs[v] != DesignBlocksInBoot {
			continue
		}
		used, all := 0, 0
		for i := range s.layout.boot {
			if a, b := len(s.layout.cell(i, 0)), len(s.layout.cell(i, v)); a > 0 && b > 0 {
				used += a + b
			}
		}
		for _, r := range s.t.Runs {
			if r.Variant == 0 || int(r.Variant) == v {
				all++
			}
		}
		if all > used {
			k := s.t.perRow()
			say(WarnUnused, v, "%d of %d runs of %s and %s stand in no random block with the other variant and are not judged",
				k*(all-used), k*all, s.t.Variants[0], s.t.Variants[v])
		}
	}
	if inBoot && s.t.BootUnknown {
		say(WarnOneBoot, -1, "the recordings do not say which boots they are of: if it was one, what its memory layout and its neighbours do to a variant is the same in every run and "+
			"not in the intervals; to speak of the change rather than of a boot, record 3 boots or more")
	} else if inBoot {
		say(WarnOneBoot, -1, "all runs are of one boot: what its memory layout and its neighbours do to a variant is the same in every run and "+
			"not in the intervals; to speak of the change rather than of this boot, record 3 boots or more")
	}
	if w, ok := s.disturbed(); ok {
		out = append(out, w)
	}
	if p := s.t.Pooled; p != nil {
		say(WarnPooled, -1, "%s; medians are medians of these means, and what only single runs show (two levels, tails, the order in a block) was not looked for", p)
	}
	return out
}

// disturbed tells of runs that lost time to something outside of them.
func (s *study) disturbed() (Warning, bool) {
	const some, much = 0.01, 0.05
	n, worst := make([]int, len(s.t.Variants)), 0.0
	sum := 0
	for i, d := range s.t.Disturbed {
		if d > some {
			n[s.t.Runs[i].Variant]++
			sum++
		}
		worst = max(worst, d) // NaN cannot come out: max would keep it
		if math.IsNaN(worst) {
			worst = 0
		}
	}
	if sum == 0 || worst <= much && 10*sum < len(s.t.Runs) {
		return Warning{}, false
	}
	by := ""
	for v, k := range n {
		by += fmt.Sprintf(", %d of %s", k, s.t.Variants[v])
	}
	what := "runs"
	if k := s.t.perRow(); k > 1 {
		what = fmt.Sprintf("means of %d runs", k)
	}
	return Warning{Kind: WarnDisturbed, Variant: -1, Text: fmt.Sprintf(
		"%d of %d %s lost more than 1 %% of their time to something else on their CPUs (%s at worst)%s; they are kept", sum, len(s.t.Runs), what, share(worst), by)}, true
}

// warnings are those about one metric.
func (c *column) warnings(r *MetricResult) []Warning {
	var out []Warning
	n := notes{column: c, say: func(k WarningKind, v int, format string, args ...any) {
		out = append(out, Warning{Kind: k, Metric: c.metric.Name, Variant: v, Text: fmt.Sprintf(format, args...)})
	}}
	if c.metric.Exact && !c.exact {
		n.say(WarnNotExact, -1, "%s should repeat to the digit and does not; it was judged like any other metric", c.metric.Name)
	}
	for v := range r.Summaries {
		if s := r.Summaries[v]; s.Share < 0.99 && !c.metric.Part {
			n.say(WarnMultiplexed, v, "%s was counted %s of the time in one run of %s, and scaled up: the kernel took turns; ask for fewer events",
				c.metric.Name, share(s.Share), c.t.Variants[v])
		}
	}
	for i := range r.Deltas {
		n.few(&r.Deltas[i])
	}
	if th, ok := c.o.Thresholds[c.metric.Name]; ok && !th.Absolute && c.scale == RawScale && middleOf(c.sorted[0]) == 0 {
		n.say(WarnThreshold, -1, "the median of %s is 0, of which %s is nothing: the threshold was not applied; give one in %s", c.t.Variants[0], share(th.Amount), orCounts(c.metric.Unit))
	}
	for i := range r.Deltas {
		if d := &r.Deltas[i]; d.Threshold < d.LeastFloor && d.Verdict != NotCompared {
			n.say(WarnThreshold, d.Variant, "the threshold, %s, is finer than one step of the metric, %s: a verdict about it goes by whole steps", n.amount(d.Threshold), n.amount(d.LeastFloor))
		}
	}
	if c.exact {
		return out
	}
	n.make()
	twoModes := make([]bool, len(r.Summaries))
	for v := range r.Summaries {
		if n.t.Pooled == nil {
			twoModes[v] = n.modes(v)
			n.outliers(v, r.Summaries[v])
		}
	}
	for i := range r.Deltas {
		d := &r.Deltas[i]
		if d.Verdict == NotCompared || d.Identical {
			continue
		}
		n.drift(d)
		if n.t.Pooled == nil {
			if !twoModes[0] || !twoModes[d.Variant] {
				n.tail(d) // with two modes in both, the median may lie on either, and the other is no tail
			}
			n.autocorrelation(d)
			if d.Design == DesignBlocks || d.Design == DesignBlocksInBoot {
				n.spread(d)
				n.order(d)
				n.carryOver(d)
			}
		}
		if d.Flag && math.Abs(d.Estimate) < d.LeastFloor {
			n.say(WarnResolution, d.Variant, "the median change is below one step of the metric; the mean changed by %+.3g %s per run", d.MeanDiff, unitName(c.metric.Unit))
		}
	}
	return out
}

// few tells what is missing where nothing could be tested.
func (n *notes) few(d *Delta) {
	a, b := n.t.Variants[0], n.t.Variants[d.Variant]
	boots := "boots"
	if d.Design == DesignSessions {
		boots = "sessions"
	}
	switch {
	case d.Verdict == NotCompared || d.Identical && !math.IsInf(d.Floor, 1):
	case math.IsInf(d.Floor, 1) && d.Design == DesignBlocks:
		n.say(WarnFewRuns, d.Variant, "needs at least %d runs of each variant in random blocks for a difference to be seen at the level %.3g; has %d of %s and %d of %s",
			d.MoreLo, d.Level, d.NBase, a, d.N, b)
	case math.IsInf(d.Floor, 1) && d.Design == DesignBlocksInBoot:
		n.say(WarnFewRuns, d.Variant, "boots differ among themselves, so that a delta from each of at least 3 boots is needed; has %d", d.N)
	case math.IsInf(d.Floor, 1):
		inside := ""
		if d.Within > 0 {
			inside = fmt.Sprintf("; the noise inside %s alone is %s, and it is not the larger part", boots, n.amount(1.96*d.Within*math.Sqrt(1/float64(d.N)+1/float64(d.NBase))))
		}
		n.say(WarnFewRuns, d.Variant, "%s differ among themselves, so that at least 3 %s of each variant are needed (or 5 and 1); has %d of %s and %d of %s%s",
			boots, boots, d.NBase, a, d.N, b, inside)
	case d.Between > d.Within && !d.Flag && (d.Design == DesignBoots || d.Design == DesignSessions || d.Design == DesignBlocksInBoot):
		n.say(WarnBoots, d.Variant, "%s differ by %s, the noise inside them explains %s: more %s will lower the floor, more runs in each will not",
			boots, n.amount(d.Between), n.amount(d.Within), boots)
	}
}
