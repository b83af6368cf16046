package convert

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"microcost/workload/recording"
)

// CSV writes a table with a row for each run and a column for each event, with
// its unit in parentheses. Runs made in random blocks have their block and
// position; the importer reads it back. An event without a value is an empty
// field, or <not counted>.
func CSV(w io.Writer, r *recording.Recording) error {
	if len(r.Samples) == 0 {
		return ErrNoSamples
	}
	out := csv.NewWriter(w)
	header := []string{"variant", "session", "block", "position", "run", "start_ns", "exit", "warm_up", "failed"}
	fixed := len(header)
	index := map[string]int{} // of a column by its name
	columns := make([][]int, len(r.Sessions))
	for id, s := range r.Sessions {
		for _, e := range s.Events {
			name := e.Name
			if e.Unit != "" {
				name += " (" + e.Unit + ")"
			}
			at, ok := index[name]
			if !ok {
				at = len(header)
				index[name] = at
				header = append(header, name)
			}
			columns[id] = append(columns[id], at)
		}
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for i := range r.Samples {
		s := &r.Samples[i]
		session := &r.Sessions[s.Session]
		row := make([]string, len(header))
		block, position := strconv.Itoa(s.Block), strconv.Itoa(s.Position)
		if session.Plan.Schedule != recording.RandomBlocks {
			block, position = "", "" // no chance decided on its place
		}
		copy(row[:fixed], []string{
			labelOf(session, s.Variant), strconv.Itoa(s.Session), block, position, strconv.Itoa(s.Run),
			strconv.FormatInt(int64(s.Start), 10), strconv.Itoa(s.Exit), mark(s.WarmUp), mark(s.Failed),
		})
		for k, c := range s.Counts {
			e := &session.Events[k]
			if v, ok := e.Value(c); ok {
				row[columns[s.Session][k]] = format(e, c, v)
			} else if c != nil {
				row[columns[s.Session][k]] = "<not counted>"
			}
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// labelOf makes labels of one session different.
func labelOf(s *recording.Session, variant int) string {
	label := s.Variants[variant].Label
	for i, v := range s.Variants {
		if v.Label == label && i != variant || label == "" {
			return fmt.Sprintf("%s#%d", label, variant+1)
		}
	}
	return label
}

func mark(b bool) string {
	if b {
		return "true"
	}
	return ""
}
