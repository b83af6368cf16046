package recording

// A Summary is what an imported file said of one event of one variant when it
// did not keep the single runs: `perf stat -r 10` prints a mean and a "+-",
// hyperfine the mean user time.
//
// A summary is not samples, and no sample may be made up from it. It holds
// enough for a two-sample comparison by Welch's t on (Mean, StdErr, N), and
// only when StdErr is known and N is at least 2; the result must be marked as
// coming from summaries, because order, drift and distribution of the runs are
// unknown. Without a standard error there is a delta and never a verdict.
type Summary struct {
	Session int     `json:"session"`
	Variant int     `json:"variant"`
	Event   int     `json:"event"` // index into Session.Events
	N       int     `json:"n"`     // runs summarised; 0 when the file did not say
	Mean    float64 `json:"mean"`  // in units of the event, after Event.Scale is applied

	// StdErr is the relative standard error of the mean, as a ratio: what
	// perf prints as ( +- 0.499% ) is 0.00499. It is the standard deviation of
	// the runs / sqrt(N) / Mean. Nil when the file did not say.
	StdErr *float64 `json:"relative_standard_error,omitempty"`

	// StdErrDigit is half a unit of the last digit that was printed of
	// StdErr, as a ratio: the true value may be that much larger. "0.000%" does
	// not say that the runs were equal.
	StdErrDigit float64 `json:"relative_standard_error_rounding,omitempty"`

	// Share is the part of the time in which the event was counted, from which
	// the other tool extrapolated; 0 when it was all, or is not known.
	Share float64 `json:"counted_share,omitempty"`
	Extra Extra   `json:"-"`
}
