// Package report shows comparisons: one renderer for each format over one
// Document. It decides nothing: every number comes from package compare.
//
// # Words on the report
//
// "~" is no difference seen, "?" undefined, "inf" unbounded; "<not supported>"
// and "<not counted>" are perf's own words for values that do not exist, and
// are never 0.
package report
