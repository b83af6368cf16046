package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"microcost/perfctr"
)

// EventList writes what can be counted, by kind.
func EventList(w io.Writer, list []perfctr.Listing, pmus []perfctr.PMU, o TextOptions) error {
	t := &text{o: o, p: palette{o.Color}, out: bufio.NewWriter(w)}
	var kind perfctr.Kind
	g := &grid{}
	flush := func() error {
		err := g.write(t.out)
		g = &grid{}
		return err
	}
	for _, l := range list {
		if l.Kind != kind {
			if err := flush(); err != nil {
				return err
			}
			if kind != "" {
				t.printf("\n")
			}
			kind = l.Kind
			t.printf("%s\n", t.p.bold(string(kind)+"s"))
		}
		name := Printable(l.Name)
		if len(l.Aliases) > 0 {
			name += " OR " + Printable(strings.Join(l.Aliases, " OR "))
		}
		g.add(cell{text: "  " + name, left: true}, t.support(l.Support))
	}
	if err := flush(); err != nil {
		return err
	}
	t.reasons("")
	for i, p := range pmus {
		if i == 0 {
			t.printf("\n%s\n", t.p.bold("PMUs"))
		}
		t.printf("  %s\n", pmuLine(p))
	}
	return t.out.Flush()
}

// support is one event's answer, with the mark of its footnote.
func (t *text) support(s perfctr.Support) cell {
	mark := ""
	if s.Reason != "" {
		mark = t.mark(s.Reason)
	}
	switch s.Status {
	case perfctr.Yes:
		if s.Reason == "" {
			return cell{}
		}
		return cell{text: "counted as " + Printable(s.Event.Name) + mark, left: true, paint: t.p.note}
	case perfctr.CannotTell:
		return cell{text: s.Status.String() + mark, left: true, paint: t.p.note}
	}
	return cell{text: "<" + s.Status.String() + ">" + mark, left: true, paint: t.p.dim}
}

// reasons writes the footnotes, after one without a number where there is such.
func (t *text) reasons(first string) {
	if len(t.notes) == 0 && first == "" {
		return
	}
	t.printf("\n")
	if first != "" {
		t.wrap("", "", first, t.p.dim)
	}
	for i, n := range t.notes {
		t.wrap(fmt.Sprintf("[%d] ", i+1), "    ", Printable(n), t.p.dim)
	}
}

// pmuLine says what is known of one device.
func pmuLine(p perfctr.PMU) string {
	s := Printable(p.Name)
	if p.Counters > 0 {
		s += fmt.Sprintf(", %s at a time", number(p.Counters, "event"))
	}
	if p.Width > 0 {
		s += fmt.Sprintf(", %d bits", p.Width)
	}
	if p.CPUs != "" {
		s += ", CPUs " + Printable(p.CPUs)
	}
	if p.Uncore {
		s += ", counts whole packages: not a task"
	}
	return s
}

type jsonEvent struct {
	Name      string   `json:"name"`
	Aliases   []string `json:"aliases,omitempty"`
	Kind      string   `json:"kind"`
	Support   string   `json:"support"` // yes, not supported, not permitted, could not tell
	CountedAs string   `json:"counted_as,omitempty"`
	Reason    string   `json:"reason,omitempty"`
	PMU       string   `json:"pmu,omitempty"`
	Unit      string   `json:"unit,omitempty"`
}

type jsonPMU struct {
	Name     string `json:"name"`
	Type     uint32 `json:"type"`
	CPUs     string `json:"cpus,omitempty"`
	Uncore   bool   `json:"uncore,omitempty"`
	Width    int    `json:"counter_bits,omitempty"`
	Counters int    `json:"counters,omitempty"`
}

// EventListJSON writes the same as one JSON document.
func EventListJSON(w io.Writer, list []perfctr.Listing, pmus []perfctr.PMU) error {
	doc := struct {
		Format  string      `json:"format"` // "microcost-events"
		Version int         `json:"version"`
		Events  []jsonEvent `json:"events"`
		PMUs    []jsonPMU   `json:"pmus"`
	}{Format: "microcost-events", Version: 1, Events: []jsonEvent{}, PMUs: []jsonPMU{}}
	for _, l := range list {
		e := jsonEvent{
			Name: l.Name, Aliases: l.Aliases, Kind: string(l.Kind), Support: l.Support.Status.String(),
			Reason: l.Support.Reason, PMU: l.Support.Event.PMU, Unit: string(l.Support.Event.Unit),
		}
		if l.Support.Status == perfctr.Yes {
			e.CountedAs = l.Support.Event.Name
		}
		doc.Events = append(doc.Events, e)
	}
	for _, p := range pmus {
		doc.PMUs = append(doc.PMUs, jsonPMU{Name: p.Name, Type: p.Type, CPUs: p.CPUs, Uncore: p.Uncore, Width: p.Width, Counters: p.Counters})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(doc)
}
