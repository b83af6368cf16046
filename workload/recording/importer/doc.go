// Package importer reads measurements of other tools as recordings: perf stat
// in all its forms since 2009, perf bench, hackbench, hyperfine, the Go
// benchmark format and CSV. It goes by what is in a file, never by its name.
//
// It is honest about what a file does not say. A mean of ten runs becomes a
// recording.Summary and not a sample; "<not supported>" and "<not counted>"
// are no numbers; the digits of a number decide its resolution: "0.90 msec"
// is 90 times 10 microseconds. Runs of two variants that were not made in
// random order become two sessions.
package importer
