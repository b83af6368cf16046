package compare

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
)

// warnings are those about the whole comparison.
func (s *study) warnings() []Warning { return nil }

// warnings are those about one metric.
func (c *column) warnings(r *MetricResult) []Warning { return nil }
