package compare

// A Run places one row of a Table in its schedule.
type Run struct {
	Variant  int32 // 0 is the base
	Session  int32 // one process's measuring
	Boot     int32 // sessions of one boot share it
	Block    int32 // within the session; -1: not in a random block
	Position int32 // within the block
}

// A Table is what a comparison is made from: rows are runs in the order in
// which they were made (warm-ups and failed runs left out), columns are metrics.
// Of more runs than fit, rows are means of neighbouring ones: see Pooled.
type Table struct {
	Variants []string // labels; the first is the base
	Runs     []Run
	Metrics  []Metric
	// Values holds, for each metric, one value for each run; NaN is absent.
	Values [][]float64
	// Share holds, for each metric, the smallest running/enabled share of each
	// run, or nil when every run of the metric was counted the whole time.
	Share [][]float64
	// RunCost is the median cost of one run, in nanoseconds, of all variants
	// together (to say how long more runs would take); 0 is unknown.
	RunCost float64
	// Disturbed holds, for each run, the share of its time in which something
	// outside the workload had its CPUs (steal, a neighbour), 0 to 1, NaN where
	// unknown; nil when it was not watched.
	Disturbed []float64
	// Pooled is set when rows are means of several runs.
	Pooled *Pooled
	// BootUnknown: some session does not say which boot it is of, and was
	// taken for one of its own.
	BootUnknown bool
}
