package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"microcost/workload/recording"
)

// DisturbanceEvent is the event, in nanoseconds, that says how long something
// outside the workload had the CPUs of a run. It is not compared; it goes into
// Table.Disturbed.
const DisturbanceEvent = "steal"

// FromRecording makes the table of a recording; see Collector for its rules.
// Rows are the samples, without warm-ups and failed runs; columns are the events
// of all sessions in order, each followed by what is derived from it.
//
// A recording without samples, or one that refers to sessions, variants or
// events that it does not have, is an error.
func FromRecording(rec *recording.Recording) (*Table, error) {
	if rec == nil || len(rec.Sessions) == 0 {
		return nil, fmt.Errorf("the recording has no session")
	}
	c := NewCollector()
	for i := range rec.Sessions {
		c.Session(&rec.Sessions[i])
	}
	for i := range rec.Samples {
		if err := c.Sample(&rec.Samples[i]); err != nil {
			return nil, err
		}
	}
	return c.Table()
}

// value is the number that a reading stands for, and the share of the time in
// which it was enabled that it really counted. A counter that never ran has no
// value.
func value(e *recording.Event, c *recording.Count) (v, share float64) {
	v, ok := e.Value(c)
	if !ok {
		return math.NaN(), 1
	}
	return v, c.Share()
}

// absent says why a column has no values.
func absent(t *Table, turns []turn) {
	for k := range t.Metrics {
		m := &t.Metrics[k]
		if m.Absent == "" && !slices.ContainsFunc(t.Values[k], func(x float64) bool { return x == x }) {
			m.Absent = "<not counted>"
			switch {
			case m.Reason != "":
			case turns[k].form != "" && turns[k].open:
				m.Reason = fileSays
			case turns[k].form != "":
				m.Reason = "the file (" + turns[k].form + ") does not have it for single runs"
			case m.Name == maxRSS:
			case turns[k].ours && !turns[k].open:
				m.Reason = noTurn
			default:
				m.Reason = notCounted
			}
		} else if m.Absent != "" && slices.ContainsFunc(t.Values[k], func(x float64) bool { return x == x }) {
			m.Absent = "" // another session could count it
		}
	}
}

// shares drops the shares when every column was counted the whole time.
func shares(t *Table) {
	if !slices.ContainsFunc(t.Share, func(s []float64) bool { return s != nil }) {
		t.Share = nil
	}
}

// disturbance moves the disturbance event, if there is one, out of the columns.
func disturbance(t *Table) {
	k, elapsed := t.metric(DisturbanceEvent), t.metric("elapsed")
	if k < 0 {
		return
	}
	if elapsed >= 0 { // a share needs the whole
		t.Disturbed = make([]float64, len(t.Runs))
		for i := range t.Disturbed {
			// The clock of the kernel's steal time ticks more slowly than short
			// runs take: no more than all of a run can be lost.
			t.Disturbed[i] = min(t.Values[k][i]/t.Values[elapsed][i], 1)
		}
	}
	t.Metrics = slices.Delete(t.Metrics, k, k+1)
	t.Values = slices.Delete(t.Values, k, k+1)
	t.Share = slices.Delete(t.Share, k, k+1)
	if t.Pooled != nil {
		t.Pooled.Single = slices.Delete(t.Pooled.Single, k, k+1)
	}
}

// runCost is the median time that a run took.
func runCost(t *Table) float64 {
	k := t.metric("elapsed")
	if k < 0 {
		return 0
	}
	var x []float64
	for _, v := range t.Values[k] {
		if v == v {
			x = append(x, v)
		}
	}
	if len(x) == 0 {
		return 0
	}
	return medianOf(x)
}

// metricOf describes an event as a metric.
func metricOf(e recording.Event) Metric {
	scale := math.Abs(e.Scale)
	if scale == 0 {
		scale = 1
	}
	m := Metric{
		Name: e.Name, Unit: Unit(e.Unit), Better: LowerBetter, Resolution: scale,
		Domain: e.Domain, Reason: e.Reason, Part: e.Part,
	}
	switch base, _ := splitModifier(e.Name); base {
	case "user", "system", "user_time", "system_time":
		m.Unit = Nanoseconds
		// getrusage(2) gives microseconds.
		m.Resolution = max(scale, 1000)
	case "elapsed", "duration_time", "task-clock", "cpu-clock":
		m.Unit = Nanoseconds
	case "max-rss":
		m.Unit = Bytes
		// The kernel counts pages; 4 KiB is the smallest that Linux has.
		m.Resolution = max(scale, 4096)
	}
	if m.Unit == Count {
		m.Integer = scale == 1
	}
	if strings.HasSuffix(e.Unit, "/s") || strings.HasSuffix(e.Unit, "/sec") {
		m.Better = HigherBetter // a throughput
	}
	switch e.Support {
	case "", recording.Supported:
	default:
		m.Absent = "<not supported>"
	}
	return m
}

// splitModifier parts "cycles:u" into "cycles" and "u". The colon of a
// tracepoint ("sched:sched_switch") and what stands between the slashes of a
// raw event are no modifiers.
func splitModifier(name string) (base, modifier string) {
	i := strings.LastIndexByte(name, ':')
	if i < 0 || strings.Trim(name[i+1:], "ukhGHIpPSDWeb") != "" {
		return name, ""
	}
	return name[:i], name[i+1:]
}
