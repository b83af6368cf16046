package compare

// Unit is the base unit of a metric's values.
type Unit string

const (
	Count       Unit = ""      // a number of things
	Nanoseconds Unit = "ns"    // a time
	Bytes       Unit = "bytes" // a size
	Joules      Unit = "Joules"
	Ratio       Unit = "ratio"   // a quotient, such as IPC
	Percent     Unit = "percent" // a share, stored as 0 to 1
)

// Better says which direction of a metric users prefer.
type Better int8

const (
	LowerBetter  Better = -1 // costs: times, counts of work
	NeitherWay   Better = 0  // descriptive: CPUs utilized
	HigherBetter Better = +1 // IPC
)

// A Metric is one thing compared: a counter, or something derived from
// counters of the same run.
type Metric struct {
	Name   string
	Unit   Unit
	Better Better
	// Resolution is the smallest step that a value can take, in Unit: 1 for
	// integer counters, the clock's step for times, 0 for ratios.
	Resolution float64
	// Integer: values are whole numbers of things.
	Integer bool
	// Exact: the value has no noise (a size, an emulated count); any
	// difference is a difference.
	Exact bool
	// Domain is "u" or "k" when only that mode was counted, else "".
	Domain string
	// Absent says, in perf's words, why there are no values: "<not supported>"
	// or "<not counted>"; empty when there are values.
	Absent string
	// Reason is the footnote to Absent or Domain: why, and what would help.
	Reason string
	// Part: what one kind of core of a hybrid processor counted. The share of the
	// time in which it ran is that of the time spent on such cores.
	Part bool
	// Derived metrics are computed from others of the same run.
	Derived bool
}
