package compare

// Options are what the user asks of a comparison.
type Options struct {
	// Alpha is the family-wise error rate, 0 < Alpha < 1.
	Alpha float64
	// Primary names the metric that decides alone: it is judged at Alpha, the
	// others at their share of it. Empty: all metrics share Alpha.
	//
	// With a primary metric two promises are made in place of one. If the
	// variants do not differ, the primary is flagged with a chance of at most
	// Alpha, and any of the others with a chance of at most Alpha; anything at
	// all with at most 2 Alpha. So the primary must have been named before the
	// data were seen, and the others are for looking at.
	Primary string
	// Thresholds holds, by metric name, the smallest delta that matters.
	Thresholds map[string]Threshold
	// Metrics limits the comparison to these names, in this order; nil is all.
	Metrics []string
}

// DefaultOptions are those of a comparison about which nothing was asked.
var DefaultOptions = Options{Alpha: 0.05}

// A Threshold is an amount of delta: relative to the base (0.001 is 0.1 %) or
// absolute in the metric's unit.
type Threshold struct {
	Amount   float64
	Absolute bool
}

// Design names the case of docs/statistics.md by which a comparison was judged.
type Design string

const (
	DesignBlocks       Design = "random blocks"            // (a)
	DesignBlocksInBoot Design = "random blocks, each boot" // interleaved within J boots
	DesignBoots        Design = "boots"                    // (b): one value per boot
	DesignSessions     Design = "sessions"                 // (b) with sessions for boots: all of one boot, or of boots unknown
	DesignExact        Design = "exact"                    // no noise: equality
)

// A Comparison is the result for all metrics and variants. It is immutable.
type Comparison struct {
	Design   Design
	Variants []string
	Alpha    float64 // family-wise
	Level    float64 // Alpha / Family: each interval's and test's own level
	Family   int     // number of judged comparisons; without the primary metric's when there is one
	Metrics  []MetricResult
	Warnings []Warning // about the whole comparison
	// RunCost is the median cost of one run in nanoseconds, as in the table; 0 is
	// unknown.
	RunCost float64
}

// A MetricResult is one row of the report.
type MetricResult struct {
	Metric    Metric
	Summaries []Summary // by variant
	Deltas    []Delta   // by variant but the base: Deltas[i] is variant i+1 against variant 0
	Warnings  []Warning
}

// A Summary describes one variant's values of one metric. It decides nothing.
// All statistics are NaN when N is 0.
type Summary struct {
	N                                   int
	Median, Mean, StdDev, MAD, Min, Max float64 // in the metric's unit; StdDev is the sample's (n-1)
	Outliers                            int     // beyond 1.5 IQR of the quartiles; counted, never dropped
	Share                               float64 // smallest running/enabled share; 1 is not multiplexed
}

// Scale says how a Delta's numbers are to be read.
type Scale string

const (
	// LogScale: natural logarithm of B/A; 100*(exp(x)-1) is the percentage.
	LogScale Scale = "log"
	// RawScale: B-A in the metric's unit, for metrics that have zeros.
	RawScale Scale = "raw"
)

// A Delta is one variant against the base, for one metric.
type Delta struct {
	Variant        int
	Scale          Scale
	Estimate       float64 // on Scale
	Lo, Hi         float64 // the interval at Comparison.Level, on Scale; infinite: unbounded
	LoOpen         bool    // Lo is 0 and excluded (ties)
	HiOpen         bool    // Hi is 0 and excluded
	Floor          float64 // on Scale, never negative; the smallest delta this comparison could have told from zero; +Inf: none
	P              float64 // NaN when nothing could be tested
	Level          float64 // the level this delta was judged at
	Flag           bool    // differs from zero at Level
	Identical      bool    // every value of both variants is the same number
	MeanDiff       float64 // mean(B) - mean(A) in the metric's unit
	Threshold      float64 // the smallest delta that matters, on Scale; NaN: none given
	Verdict        Verdict
	MoreLo, MoreHi int // runs (boots) of each variant, in all, that would probably settle it; 0 unknown or settled
	N              int // runs of this variant that were used; boots in boot designs
	Blocks         int // blocks or boots used

	// Design is the case that this delta was judged by; with more than two
	// variants, or exact metrics among others, it can differ from the
	// comparison's.
	Design Design
	// NBase is the number of runs (boots) of the base that were used.
	NBase int
	// LeastFloor is on Scale: the metric's resolution, below which no number of
	// runs brings the floor; 0 when the metric has none.
	LeastFloor float64
	// Between and Within are standard deviations on Scale, in boot designs:
	// from boot to boot, and what the noise inside a boot adds to one boot's
	// value. More repeats shrink Within only. NaN when unknown.
	Between, Within float64
}

// Verdict is what is said of one delta.
type Verdict string

const (
	Identical    Verdict = "identical"                  // all values equal
	More         Verdict = "more"                       // differs, upwards
	Less         Verdict = "less"                       // differs, downwards
	NotDifferent Verdict = "not different"              // no difference seen; Floor says what would have been
	MoreThan     Verdict = "more by over the threshold" // whole interval beyond +threshold
	LessThan     Verdict = "less by over the threshold"
	SameWithin   Verdict = "same within the threshold" // whole interval inside
	MaybeUnder   Verdict = "changed, may be under the threshold"
	Undecided    Verdict = "undecided"    // more runs needed: MoreLo..MoreHi
	NotCompared  Verdict = "not compared" // a side has no values
)

// A Warning is advice with numbers: something that the reader should know and
// that never changes a verdict.
type Warning struct {
	Kind    WarningKind
	Metric  string // empty: about the whole comparison
	Variant int    // -1: about all
	Text    string // one sentence, with the numbers
}

// WarningKind is one of a closed list.
type WarningKind string
