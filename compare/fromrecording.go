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

// FromRecording makes the table of a recording. Rows are the samples, without
// warm-ups and failed runs; columns are the events of all sessions in order,
// each followed by what is derived from it.
//
// Variants are the same when their labels are; the base is the first variant
// of the first session. Sessions are of one boot when they name the same boot;
// a session that names none is taken for a boot of its own. Only the blocks of
// a session in random blocks count as blocks.
//
// A recording without samples, or one that refers to sessions, variants or
// events that it does not have, is an error.
func FromRecording(rec *recording.Recording) (*Table, error) {
	if rec == nil || len(rec.Sessions) == 0 {
		return nil, fmt.Errorf("the recording has no session")
	}
	r := reader{rec: rec, t: new(Table), session: make(map[int]int)}
	r.variants()
	r.events()
	if err := r.samples(); err != nil {
		return nil, err
	}
	if len(r.t.Runs) == 0 {
		return nil, fmt.Errorf("the recording has no run to compare")
	}
	r.absent()
	dropFloored(r.t)
	r.disturbance()
	r.t.RunCost = runCost(r.t)
	derive(r.t)
	derivePerOperation(r.t)
	derivePerWakeup(r.t)
	r.shares()
	return r.t, nil
}

// A reader is a recording on its way to a table.
type reader struct {
	rec     *recording.Recording
	t       *Table
	session map[int]int // id to index
	variant [][]int32   // by session index: the session's variant to the table's
	column  [][]int     // by session index: the session's event to the table's metric
	boot    []int32     // by session index
}

func (r *reader) variants() {
	boots := make(map[string]int32)
	next := int32(0)
	for i, s := range r.rec.Sessions {
		r.session[s.ID] = i
		var to []int32
		for _, v := range s.Variants {
			// Two variants of one session are two, whatever they are called.
			label := v.Label
			k := slices.Index(r.t.Variants, label)
			for n := 2; k >= 0 && slices.Contains(to, int32(k)); n++ {
				label = fmt.Sprintf("%s (%d)", v.Label, n)
				k = slices.Index(r.t.Variants, label)
			}
			if k < 0 {
				k = len(r.t.Variants)
				r.t.Variants = append(r.t.Variants, label)
			}
			to = append(to, int32(k))
		}
		r.variant = append(r.variant, to)
		r.t.BootUnknown = r.t.BootUnknown || s.Env.BootID == ""
		b, ok := boots[s.Env.BootID]
		if !ok || s.Env.BootID == "" {
			b = next
			boots[s.Env.BootID] = b
			next++
		}
		r.boot = append(r.boot, b)
	}
}

func (r *reader) events() {
	for _, s := range r.rec.Sessions {
		var to []int
		for _, e := range s.Events {
			k := r.t.metric(e.Name)
			if k < 0 {
				k = len(r.t.Metrics)
				r.t.Metrics = append(r.t.Metrics, metricOf(e))
			} else if m := &r.t.Metrics[k]; m.Reason == "" {
				m.Reason = e.Reason
			}
			to = append(to, k)
		}
		r.column = append(r.column, to)
	}
	r.t.Values = make([][]float64, len(r.t.Metrics))
	r.t.Share = make([][]float64, len(r.t.Metrics))
}

func (r *reader) samples() error {
	n := 0
	for i := range r.rec.Samples {
		if s := &r.rec.Samples[i]; !s.WarmUp && !s.Failed {
			n++
		}
	}
	for k := range r.t.Values {
		r.t.Values[k] = make([]float64, n)
		r.t.Share[k] = make([]float64, n)
		for i := range n {
			r.t.Values[k][i] = math.NaN()
			r.t.Share[k][i] = 1
		}
	}
	r.t.Runs = make([]Run, 0, n)
	for i := range r.rec.Samples {
		s := &r.rec.Samples[i]
		if s.WarmUp || s.Failed {
			continue
		}
		at, ok := r.session[s.Session]
		if !ok {
			return fmt.Errorf("sample %d is of session %d, which the recording does not have", i, s.Session)
		}
		if s.Variant < 0 || s.Variant >= len(r.variant[at]) {
			return fmt.Errorf("sample %d is of variant %d, session %d has %d", i, s.Variant, s.Session, len(r.variant[at]))
		}
		if len(s.Counts) > len(r.column[at]) {
			return fmt.Errorf("sample %d has %d counts, session %d has %d events", i, len(s.Counts), s.Session, len(r.column[at]))
		}
		row := len(r.t.Runs)
		run := Run{
			Variant: r.variant[at][s.Variant], Session: int32(at), Boot: r.boot[at],
			Block: int32(s.Block), Position: int32(s.Position),
		}
		if r.rec.Sessions[at].Plan.Schedule != recording.RandomBlocks {
			run.Block, run.Position = -1, 0 // not by chance, so no block
		}
		r.t.Runs = append(r.t.Runs, run)
		for j, c := range s.Counts {
			if c == nil {
				continue
			}
			k := r.column[at][j]
			r.t.Values[k][row], r.t.Share[k][row] = value(&r.rec.Sessions[at].Events[j], c)
		}
	}
	return nil
}

// value is the number that a reading stands for, scaled to the whole of the
// time in which it was enabled, and the share of that time in which it really
// counted. A counter that never ran has no value.
func value(e *recording.Event, c *recording.Count) (v, share float64) {
	v = float64(c.Raw)
	if e.Scale != 0 {
		v *= e.Scale
	}
	switch {
	case c.Running == 0 && (c.Enabled > 0 || e.Source == "kernel"):
		return math.NaN(), 1
	case c.Running > 0 && c.Running < c.Enabled:
		share = float64(c.Running) / float64(c.Enabled)
		return v / share, share
	}
	return v, 1
}

// absent says why a column has no values.
func (r *reader) absent() {
	for k := range r.t.Metrics {
		m := &r.t.Metrics[k]
		if m.Absent == "" && !slices.ContainsFunc(r.t.Values[k], func(x float64) bool { return x == x }) {
			m.Absent = "<not counted>"
			if m.Reason == "" && m.Name != maxRSS {
				m.Reason = notCounted
			}
		} else if m.Absent != "" && slices.ContainsFunc(r.t.Values[k], func(x float64) bool { return x == x }) {
			m.Absent = "" // another session could count it
		}
	}
}

// shares drops the shares of columns that were counted the whole time.
func (r *reader) shares() {
	some := false
	for k, s := range r.t.Share {
		if !slices.ContainsFunc(s, func(x float64) bool { return x < 1 }) {
			r.t.Share[k] = nil
		} else {
			some = true
		}
	}
	if !some {
		r.t.Share = nil
	}
}

// disturbance moves the disturbance event, if there is one, out of the columns.
func (r *reader) disturbance() {
	k, elapsed := r.t.metric(DisturbanceEvent), r.t.metric("elapsed")
	if k < 0 {
		return
	}
	if elapsed >= 0 { // a share needs the whole
		r.t.Disturbed = make([]float64, len(r.t.Runs))
		for i := range r.t.Disturbed {
			r.t.Disturbed[i] = r.t.Values[k][i] / r.t.Values[elapsed][i]
		}
	}
	r.t.Metrics = slices.Delete(r.t.Metrics, k, k+1)
	r.t.Values = slices.Delete(r.t.Values, k, k+1)
	r.t.Share = slices.Delete(r.t.Share, k, k+1)
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
		Domain: e.Domain, Reason: e.Reason,
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
