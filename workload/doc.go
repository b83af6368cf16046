// Package workload runs commands in a random order and hands every run's
// counts over as it ends. It judges nothing and prints nothing.
//
// A Variant is a command to measure, a Schedule the order of the runs (pure:
// the same seed gives the same order), a Runner carries the schedule out: it
// starts each run on one locked thread with the counters of package perfctr
// around it, ends what the run leaves behind, and calls back with the sample.
package workload
