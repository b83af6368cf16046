package importer

import (
	"fmt"
	"math"
	"time"

	"microcost/workload/recording"
)

// build makes a recording of series.
func build(name string, list []series, o Options) (*recording.Recording, error) {
	if n := cells(list); n > maxCells {
		return nil, &ParseError{Form: name, Msg: fmt.Sprintf("%d runs times events are too many", n)}
	}
	if len(list) > maxColumns {
		return nil, &ParseError{Form: name, Msg: fmt.Sprintf("more than %d sessions", maxColumns)}
	}
	for _, s := range list {
		if len(s.order.list) > maxColumns {
			return nil, &ParseError{Form: name, Msg: fmt.Sprintf("more than %d events", maxColumns)}
		}
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
			if err := columns[i].measure(s, i); err != nil {
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
const maxCells = 2 << 20

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

// shareUnit is the resolution of a share, as perf prints it: 83.33 %.
const shareUnit = 10000

func sampleOf(r *run, columns []column) (recording.Sample, error) {
	s := recording.Sample{
		Run: r.index, Block: r.block, Position: r.position, WarmUp: r.warmUp, Start: r.start,
		Exit: r.exit, Failed: r.failed, Counts: make([]*recording.Count, len(columns)),
	}
	for i, c := range columns {
		v, ok := r.values.near(i, c.name)
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
