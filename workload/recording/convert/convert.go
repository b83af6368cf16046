// Package convert writes recordings in the forms of other tools. The samples
// that are written are those that are judged: warm-ups and failed runs are
// left out of the Go benchmark format, and marked in CSV.
//
// Means without samples have no place in these forms: a recording that holds
// nothing else is an error, not an empty file.
package convert

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"microcost/workload/recording"
)

// ErrNoSamples is returned for a recording that has none, only means perhaps.
var ErrNoSamples = errors.New("the recording holds no single runs to convert")

// GoBench writes the Go benchmark format, which benchstat reads. Every metric
// of a run is a value of the line of that run; the variant is a configuration
// key, so that `benchstat -col variant` shows them side by side. Times are in
// nanoseconds, elapsed time being the ns/op of a run.
//
// What came from that format goes back with the names that it had.
func GoBench(w io.Writer, r *recording.Recording) error {
	out := bufio.NewWriter(w)
	last := ""
	written := false
	for i := range r.Samples {
		s := &r.Samples[i]
		if s.WarmUp || s.Failed {
			continue
		}
		session := &r.Sessions[s.Session]
		config := configOf(session, s.Variant)
		if config != last {
			out.WriteString(config)
			last = config
		}
		for _, b := range benchLines(session, s) {
			fmt.Fprintf(out, "Benchmark%s 1%s\n", b.name, b.values)
			written = true
		}
	}
	if !written {
		return ErrNoSamples
	}
	return out.Flush()
}

// configOf writes every key each time, also empty ones: a key keeps its value
// until it is set again.
func configOf(s *recording.Session, variant int) string {
	oneLine := strings.NewReplacer("\n", " ", "\r", " ")
	var b strings.Builder
	for _, kv := range [][2]string{
		{"goos", s.Env.OS}, {"goarch", s.Env.Arch}, {"cpu", s.Env.CPU}, {"kernel", s.Env.Kernel},
		{"session", strconv.Itoa(s.ID)}, {"variant", s.Variants[variant].Label},
	} {
		fmt.Fprintf(&b, "%s: %s\n", kv[0], oneLine.Replace(kv[1]))
	}
	return b.String()
}

type benchLine struct{ name, values string }

// benchLines returns the lines of a sample: one, or for imported benchmarks
// one for each of their names.
func benchLines(s *recording.Session, sample *recording.Sample) []benchLine {
	var lines []benchLine
	at := map[string]int{}
	for i := range s.Events {
		e := &s.Events[i]
		v, ok := e.Value(sample.Counts[i])
		if !ok {
			continue
		}
		name, unit := "Run", benchUnit(e)
		if s.Imported == "Go benchmark format" {
			if n, u, ok := strings.Cut(e.Name, " "); ok {
				name, unit = n, u
			}
		}
		k, ok := at[name]
		if !ok {
			k = len(lines)
			at[name] = k
			lines = append(lines, benchLine{name: name})
		}
		lines[k].values += " " + format(e, sample.Counts[i], v) + " " + unit
	}
	return lines
}

// benchUnit turns an event into a unit of the format: one word, which tells
// of nanoseconds.
func benchUnit(e *recording.Event) string {
	if e.Name == "elapsed" {
		return "ns/op"
	}
	unit := strings.Join(strings.Fields(e.Name), "_")
	if e.Unit == "ns" {
		unit += "-ns"
	}
	return unit
}

// format prints a value as exactly as it is known.
func format(e *recording.Event, c *recording.Count, v float64) string {
	if c.Running >= c.Enabled {
		if e.Scale == 0 || e.Scale == 1 {
			return strconv.FormatUint(c.Raw, 10)
		}
		if places := -math.Log10(e.Scale); places == math.Trunc(places) && places > 0 && places < 18 {
			return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(v, 'f', int(places), 64), "0"), ".")
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(math.Round(v*1000)/1000, 'f', -1, 64) // extrapolated anyway
}
