package workload

import (
	"os"
	"time"

	"microcost/perfctr"
	"microcost/workload/recording"
)

// A Config is everything that a Runner needs.
type Config struct {
	Variants []Variant
	Schedule Schedule
	WarmUp   int // runs of each variant before the first block, not judged

	Counters *perfctr.Packing // what is counted; the order is that of Sample.Counts
	// Target is what is counted while a command runs; the zero value is the
	// command itself. Built-in workloads always count themselves.
	Target perfctr.Target

	// Background runs beside all runs: loads as sched.ParseLoad reads them, and
	// shell commands. They start before the first hook and end after the last. A
	// session in which one ends by itself fails.
	Background []string

	Env        []string      // the environment of measured commands and hooks
	Dir        string        // working directory; empty is the present one
	CPUs       []int         // pin measured commands to these; nil does not pin
	Stdin      string        // file read by each run from its start; empty is /dev/null
	Stdout     *os.File      // nil is /dev/null, unless StdoutPath is set
	StdoutPath string        // written anew by each run
	Timeout    time.Duration // of one run; 0 is none

	// Accept says whether an unsuccessful end is a valid run all the same. exit
	// is -1 and signal set when a signal ended it. nil accepts none.
	Accept func(exit int, signal string) bool

	// Over, if set, is asked before each run; true starts no further one.
	Over func() bool
	// Origin is the session's start; Sample.Start counts from it.
	Origin time.Time

	// Next is asked before the first block and after each batch: how many more
	// runs of each variant, after done? 0 ends the session.
	Next func(done int) int
	// Sample receives every run as it ends; an error ends the session.
	Sample func(recording.Sample) error
	// BlockDone is called after each block, when nothing runs.
	BlockDone func(block int) error
	// Between is called before each run, when nothing runs: for progress.
	Between func(slot Slot)
	// Notice receives what a user should know and no sample shows, at most
	// once for each variant and kind.
	Notice func(text string)
	// Abandon, once closed, ends cleanup hooks too. They run even when the
	// context of the session has ended.
	Abandon <-chan struct{}
	// Stop, once closed, lets the run in progress end and starts no other.
	Stop <-chan struct{}
}
