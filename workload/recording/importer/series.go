package importer

import (
	"fmt"
	"math"
	"strings"
	"time"

	"microcost/workload/recording"
)

// A state says whether there is a number.
type state int

const (
	counted state = iota
	notCounted
	notSupported
)

// A unit is what a number was printed in: a power of ten of a base unit.
type unit struct {
	base string
	exp  int
}

// unitOf knows the units of time that tools print; others are their own base.
func unitOf(s string) unit {
	switch strings.ToLower(s) {
	case "s", "sec", "secs", "second", "seconds":
		return unit{"ns", 9}
	case "ms", "msec", "msecs":
		return unit{"ns", 6}
	case "us", "µs", "usec", "usecs":
		return unit{"ns", 3}
	case "ns", "nsec", "nsecs":
		return unit{"ns", 0}
	}
	return unit{s, 0}
}

// A value is what was printed for one event of one run.
type value struct {
	number  decimal
	unit    unit
	state   state
	share   float64       // of the time in which it was counted; 0 means all
	runtime time.Duration // in which it was counted; 0 when not said
	rows    int           // lines that were added up, of processors or threads
	outside bool          // measured around the run, not by a counter
}

// A run is what is known of one execution.
type run struct {
	values          map[string]value
	start           time.Duration
	block, position int
	index           int // of its variant, from 1; 0 lets it be counted
	exit            int
	warmUp, failed  bool
}

// A mean is a number over several runs of one variant.
type mean struct {
	event  string
	value  value
	n      int
	stdErr *float64 // relative
	digit  float64  // half a unit of the last digit of stdErr
}

// A variant is a command, or one side of a table.
type variant struct {
	label string
	text  string // the command, if the file names it
	runs  []run
	means []mean
}

// A series becomes a session.
type series struct {
	variants []*variant
	blocks   bool // the runs were made in blocks of random order
	started  time.Time
	order    names // of the events
	reasons  map[string]string
}

// build makes a recording of series.
func build(name string, list []series, o Options) (*recording.Recording, error) {
	if n := cells(list); n > maxCells {
		return nil, &ParseError{Form: name, Msg: fmt.Sprintf("%d runs times events are too many", n)}
	}
	tool := "imported from " + name
	rec := &recording.Recording{Head: recording.Head{Format: recording.Format, Version: recording.Version, Tool: tool}}
	for id := range list {
		s := &list[id]
		session := recording.Session{
			ID: id, Started: s.started, Tool: tool, Imported: name,
			Plan: recording.Plan{Schedule: recording.Sequential},
		}
		if s.blocks {
			session.Plan.Schedule = recording.RandomBlocks
		}
		columns := make([]column, len(s.order.list))
		for i, event := range s.order.list {
			columns[i] = column{name: event, reason: s.reasons[event]}
			if err := columns[i].measure(s); err != nil {
				return nil, err
			}
			session.Events = append(session.Events, columns[i].event())
		}
		for v, variant := range s.variants {
			label := variant.label
			switch {
			case o.Label != "" && oneLabel(list):
				label = o.Label
			case label == "":
				label = name // -x and -j do not print the command
			}
			session.Variants = append(session.Variants, recording.Variant{Label: label, Text: variant.text})
			for r := range variant.runs {
				sample, err := sampleOf(&variant.runs[r], columns)
				if err != nil {
					return nil, err
				}
				sample.Session, sample.Variant = id, v
				if sample.Run == 0 && !sample.WarmUp {
					sample.Run = r + 1
				}
				rec.Samples = append(rec.Samples, sample)
			}
			for _, m := range variant.means {
				if m.value.state == counted {
					rec.Summaries = append(rec.Summaries, summaryOf(id, v, m, s.order.at[m.event]))
				}
			}
		}
		rec.Sessions = append(rec.Sessions, session)
		rec.Ends = append(rec.Ends, recording.End{Session: id, Reason: recording.EndImported})
	}
	if len(rec.Samples)+len(rec.Summaries) == 0 {
		return nil, &ParseError{Form: name, Msg: "it holds no measurement"}
	}
	return rec, nil
}

// maxCells bounds runs times events, the size of the recording in memory,
// which could be the square of the size of the file.
const maxCells = 16 << 20

func cells(list []series) int {
	n := 0
	for _, s := range list {
		rows := 1
		for _, v := range s.variants {
			rows += 1 + len(v.runs)
		}
		n += rows * len(s.order.list)
	}
	return n
}

// oneLabel tells whether all series are of one variant of one label.
func oneLabel(list []series) bool {
	for _, s := range list {
		if len(s.variants) != 1 || s.variants[0].label != list[0].variants[0].label {
			return false
		}
	}
	return true
}

// A column is an event with what its numbers have in common.
type column struct {
	name, reason string
	unit         unit
	places       int
	outside      bool
	supported    bool
	share        float64
	rows         int
}

// measure looks at every number of the column.
func (c *column) measure(s *series) error {
	first := true
	c.share = 1
	note := func(v value) error {
		if v.state != notSupported {
			c.supported = true
		}
		if v.state != counted {
			return nil
		}
		if !first && c.unit != v.unit {
			return &ParseError{Msg: fmt.Sprintf("%s is in %q and in %q", c.name, c.unit.base, v.unit.base)}
		}
		first = false
		c.unit, c.outside = v.unit, v.outside
		c.places = max(c.places, v.number.places)
		c.rows = max(c.rows, v.rows)
		if v.share > 0 {
			c.share = min(c.share, v.share)
		}
		return nil
	}
	for _, variant := range s.variants {
		for _, r := range variant.runs {
			if v, ok := r.values[c.name]; ok {
				if err := note(v); err != nil {
					return err
				}
			}
		}
		for _, m := range variant.means {
			if m.event == c.name {
				if err := note(m.value); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (c *column) event() recording.Event {
	e := recording.Event{Name: c.name, Source: "kernel", Unit: c.unit.base, Support: recording.Supported, Domain: domainOf(c.name)}
	if c.outside {
		e.Source = "run"
	}
	if exp := c.unit.exp - c.places; exp != 0 {
		e.Scale = math.Pow10(exp)
	}
	var reasons []string
	if !c.supported {
		e.Support = recording.NotSupported
		reasons = append(reasons, "the file says <not supported>")
	}
	if c.share < 1 {
		reasons = append(reasons, fmt.Sprintf("counted %.2f %% of the time at least, and extrapolated", 100*c.share))
	}
	if c.rows > 1 {
		reasons = append(reasons, fmt.Sprintf("sum of %d lines", c.rows))
	}
	if c.reason != "" {
		reasons = append(reasons, c.reason)
	}
	e.Reason = strings.Join(reasons, "; ")
	return e
}

// domainOf returns the modes that the modifiers of an event name, such as u
// and k in "cycles:u" and "cpu_core/cycles/k".
func domainOf(name string) string {
	i := strings.LastIndexAny(name, ":/")
	if i < 0 {
		return ""
	}
	mods := name[i+1:]
	if mods == "" || strings.Trim(mods, "ukhGHpPSDIWeb") != "" {
		return ""
	}
	u, k := strings.Contains(mods, "u"), strings.Contains(mods, "k")
	switch {
	case u && !k:
		return "u"
	case k && !u:
		return "k"
	}
	return ""
}

// shareUnit is the resolution of a share, as perf prints it: 83.33 %.
const shareUnit = 10000

func sampleOf(r *run, columns []column) (recording.Sample, error) {
	s := recording.Sample{
		Run: r.index, Block: r.block, Position: r.position, WarmUp: r.warmUp, Start: r.start,
		Exit: r.exit, Failed: r.failed, Counts: make([]*recording.Count, len(columns)),
	}
	for i, c := range columns {
		v, ok := r.values[c.name]
		switch {
		case !ok || v.state == notSupported:
			continue
		case v.state == notCounted:
			s.Counts[i] = &recording.Count{Enabled: 1}
			continue
		}
		raw, ok := v.number.at(c.places)
		if !ok {
			return s, &ParseError{Msg: fmt.Sprintf("%s of %v is too large with %d decimal places", c.name, v.number.float(), c.places)}
		}
		s.Counts[i] = countOf(raw, v)
	}
	return s, nil
}

// countOf undoes the extrapolation that perf did, so that the share in which
// an event was counted is seen; the count is right to about half a unit.
// Times that the file does not give are 1 ns, or stand in the right relation.
func countOf(raw uint64, v value) *recording.Count {
	c := &recording.Count{Raw: raw, Enabled: max(v.runtime, 1), Running: max(v.runtime, 1)}
	if v.share <= 0 || v.share >= 1 {
		return c
	}
	c.Enabled = time.Duration(float64(c.Running) / v.share)
	if c.Running < shareUnit {
		c.Enabled, c.Running = shareUnit, max(1, time.Duration(math.Round(v.share*shareUnit)))
	}
	c.Raw = uint64(math.Round(float64(raw) * float64(c.Running) / float64(c.Enabled)))
	return c
}

func summaryOf(session, variant int, m mean, event int) recording.Summary {
	s := recording.Summary{
		Session: session, Variant: variant, Event: event, N: m.n, StdErr: m.stdErr, StdErrDigit: m.digit,
		Mean: m.value.number.float() * math.Pow10(m.value.unit.exp),
	}
	if m.value.share < 1 {
		s.Share = m.value.share
	}
	return s
}
