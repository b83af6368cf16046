package sched

import (
	"math"
	"slices"
	"time"
)

// A Region is what is called around the steady region, on the calling thread:
// Begin when all tasks are ready and warmed, End after the last operation.
// Counters that the caller has opened on the thread before Run are enabled and
// disabled there. Either may be nil.
type Region struct {
	Begin, End func() error
}

// A Result is what one run did in its steady region.
type Result struct {
	Operations uint64
	Elapsed    time.Duration // of the steady region
	User       time.Duration // CPU time of the tasks in it
	System     time.Duration
	Latencies  []uint32 // in nanoseconds, in increasing order; nil where the workload has none
	Shares     []Share  // of fair
}

// A Share is what one task got of the CPU.
type Share struct {
	Nice   int
	CPU    time.Duration
	Share  float64 // of the time of all tasks
	Weight float64 // the share that its weight entitles it to
}

// Percentile is the smallest latency that at least p percent of all do not
// exceed; 0 when there is none.
func (r *Result) Percentile(p float64) time.Duration {
	n := len(r.Latencies)
	if n == 0 {
		return 0
	}
	// 99.9 % of 1000 is 999, though not in binary fractions.
	rank := int(math.Ceil(p*float64(n)/100 - 1e-9))
	return time.Duration(r.Latencies[min(max(rank, 1), n)-1])
}

// Unfairness is the largest distance of a task's share from what its weight
// entitles it to, as a part of the whole.
func (r *Result) Unfairness() float64 {
	var worst float64
	for _, s := range r.Shares {
		worst = max(worst, math.Abs(s.Share-s.Weight))
	}
	return worst
}

// A Metric is one number that a workload measures itself. A value is Raw times
// Scale.
type Metric struct {
	Name  string
	Unit  string
	Scale float64 // 0 means 1
	value func(*Result) float64
}

// Raw is the metric's number in a result.
func (m Metric) Raw(r *Result) uint64 {
	v := m.value(r)
	if m.Scale != 0 {
		v /= m.Scale
	}
	return uint64(math.Round(v))
}

// percentiles are those that a workload with latencies reports.
var percentiles = []struct {
	name string
	p    float64
}{{"latency-p50", 50}, {"latency-p90", 90}, {"latency-p99", 99}, {"latency-p99.9", 99.9}, {"latency-max", 100}}

// Metrics lists what the workload measures itself, beside the clock: operations
// first. The names are part of the recording.
func (s Spec) Metrics() []Metric {
	list := []Metric{{Name: "operations", value: func(r *Result) float64 { return float64(r.Operations) }}}
	d := find(s.Name)
	if d == nil {
		return list
	}
	if d.latency {
		for _, p := range percentiles {
			list = append(list, Metric{Name: p.name, Unit: "ns", value: func(r *Result) float64 { return float64(r.Percentile(p.p)) }})
		}
	}
	switch s.Name {
	case "wakeup":
		list = append(list, Metric{Name: "requests/s", Unit: "/s", Scale: 1e-3, value: func(r *Result) float64 {
			return float64(r.Operations) / r.Elapsed.Seconds()
		}})
	case "fair":
		list = append(list, Metric{Name: "unfairness", Unit: "percent", Scale: 1e-9, value: (*Result).Unfairness})
	}
	return list
}

// sorted gathers latencies.
func sorted(lists [][]uint32) []uint32 {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return all
}
