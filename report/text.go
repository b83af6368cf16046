package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"

	"microcost/compare"
	"microcost/workload/recording"
)

// TextOptions are those of the terminal report.
type TextOptions struct {
	Color bool
	Width int // columns; 0 is unlimited
}

// Text writes the report that people read on a terminal: what was run, one row
// for each metric, the notes, and last the verdict line of each variant.
func Text(w io.Writer, doc *Document, o TextOptions) error {
	t := &text{doc: doc, c: printableNames(doc.Comparison), o: o, p: palette{o.Color}, out: bufio.NewWriter(w)}
	t.head()
	if err := t.table(); err != nil {
		return err
	}
	t.footnotes()
	t.warnings()
	if len(doc.Sessions) > 0 && doc.Sessions[0].Plan.AA {
		if err := t.detectable(); err != nil {
			return err
		}
	}
	t.verdicts()
	return t.out.Flush()
}

// printableNames is a comparison whose metrics have names that are safe to show:
// those of imported files may hold anything.
func printableNames(c *compare.Comparison) *compare.Comparison {
	safe := *c
	safe.Metrics = printableMetrics(c.Metrics)
	return &safe
}

func printableMetrics(list []compare.MetricResult) []compare.MetricResult {
	list = slices.Clone(list)
	for i := range list {
		list[i].Metric.Name = Printable(list[i].Metric.Name)
	}
	return list
}

type text struct {
	doc   *Document
	c     *compare.Comparison
	o     TextOptions
	p     palette
	out   *bufio.Writer
	notes []string // footnotes, numbered from 1
}

func (t *text) printf(format string, args ...any) { fmt.Fprintf(t.out, format, args...) }

// wrap writes a paragraph within the width, its further lines indented.
func (t *text) wrap(first, indent, s string, paint func(string) string) {
	if paint == nil {
		paint = func(s string) string { return s }
	}
	width := t.o.Width
	if width <= 0 {
		width = math.MaxInt
	}
	line, used := first, runewidth.StringWidth(first)
	fresh := true
	for _, word := range strings.Fields(s) {
		n := runewidth.StringWidth(word)
		if !fresh && used+1+n > width {
			t.printf("%s\n", paint(line))
			line, used, fresh = indent, runewidth.StringWidth(indent), true
		}
		if !fresh {
			line += " "
			used++
		}
		line += word
		used += n
		fresh = false
	}
	t.printf("%s\n", paint(line))
}

// head says what was compared.
func (t *text) head() {
	if len(t.doc.Sessions) == 0 {
		return
	}
	for _, label := range t.c.Variants {
		t.printf("%s  %s\n", t.p.bold(Printable(label)), Printable(t.doc.textOf(label)))
	}
	t.wrap("", "", t.how(), t.p.dim)
	t.differences()
	for _, line := range t.doc.sizeLines() {
		t.wrap("", "    ", Printable(line), t.p.dim)
	}
	t.printf("\n")
}

// differences lists what else differs between the sides, kernel and binary
// first.
func (t *text) differences() {
	for _, d := range t.doc.Differences {
		paint := t.p.note
		head := "also differs: "
		if d.Class == recording.Intended {
			head, paint = "differs: ", nil
		}
		a, b := d.A, d.B
		if a == "" {
			a = "(absent)"
		}
		if b == "" {
			b = "(absent)"
		}
		t.wrap(head, "    ", Printable(fmt.Sprintf("%s: %s -> %s", d.Field, a, b)), paint)
	}
}

// how says in one line how the runs were made.
func (t *text) how() string {
	s := &t.doc.Sessions[0]
	var parts []string
	blocks := s.Plan.Schedule == recording.RandomBlocks
	switch {
	case len(t.doc.Sessions) == 1 || blocks:
		parts = append(parts, t.runs()+" of each")
		if blocks {
			parts[0] += fmt.Sprintf(" in %s (seed %d)", number(t.doc.Blocks, "random block"), s.Plan.Seed)
		}
		if len(t.doc.Sessions) > 1 {
			parts = append(parts, "in "+number(len(t.doc.Sessions), "session"))
		}
	default:
		for i, label := range t.c.Variants {
			part := number(t.doc.Runs[i], "run") + " of " + Printable(label)
			if n := t.doc.sessionsOf(label); n > 0 && s.Guest != nil {
				part += " in " + number(n, "boot")
			} else if n > 0 {
				part += " in " + number(n, "session")
			}
			parts = append(parts, part)
		}
	}
	if t.doc.WarmUps > 0 && s.Plan.WarmUp > 0 {
		parts = append(parts, "after "+number(s.Plan.WarmUp, "warm-up")+" of each")
	}
	if s.Plan.CPUs != "" {
		parts = append(parts, "on CPU "+Printable(s.Plan.CPUs))
	}
	if t.doc.Failed > 0 {
		parts = append(parts, number(t.doc.Failed, "failed run")+" left out")
	}
	for _, e := range t.doc.Ends {
		if e.Reason == recording.EndInterrupted {
			parts = append(parts, "stopped early")
			break
		}
	}
	if s.Guest != nil {
		parts = append(parts, fmt.Sprintf("seed %d", s.Plan.Seed))
	}
	line := strings.Join(parts, ", ")
	if m := guestLine(s); m != "" {
		line += "; " + m
	} else if m := machineLine(s.Env); m != "" {
		line += "; " + m
	}
	return line
}

// guestLine names the engine and the processor of a guest; the kernels are in the
// lines above.
func guestLine(s *recording.Session) string {
	if s.Guest == nil {
		return ""
	}
	line := "in QEMU " + Printable(s.Guest.QEMU) + ", engine " + Printable(s.Guest.Engine)
	if s.Env.CPUs > 0 {
		line += ", " + number(s.Env.CPUs, "CPU")
	}
	return line
}

// machineLine names the kernel and the processor.
func machineLine(env recording.Env) string {
	var parts []string
	if env.Kernel != "" {
		parts = append(parts, "Linux "+Printable(env.Kernel))
	}
	if env.CPU != "" {
		parts = append(parts, Printable(env.CPU))
	}
	if env.CPUs > 0 {
		parts = append(parts, number(env.CPUs, "CPU"))
	}
	return strings.Join(parts, ", ")
}

// runs says how many runs there were, as a range where variants differ.
func (t *text) runs() string {
	if len(t.doc.Runs) == 0 {
		return "no runs"
	}
	lo, hi := t.doc.Runs[0], t.doc.Runs[0]
	for _, n := range t.doc.Runs[1:] {
		lo, hi = min(lo, n), max(hi, n)
	}
	if lo != hi {
		return fmt.Sprintf("%s to %s runs", thousands(lo), thousands(hi))
	}
	return number(lo, "run")
}

func number(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return thousands(n) + " " + what
}

// footnote returns the mark of a metric's reason.
func (t *text) footnote(m compare.Metric) string {
	if m.Reason == "" {
		return ""
	}
	return t.mark(m.Reason)
}

// mark numbers a footnote; equal texts share one.
func (t *text) mark(note string) string {
	i := slices.Index(t.notes, note)
	if i < 0 {
		i = len(t.notes)
		t.notes = append(t.notes, note)
	}
	return fmt.Sprintf(" [%d]", i+1)
}

func (t *text) footnotes() {
	t.printf("\n")
	switch {
	case t.c.Design == compare.DesignMeans:
		t.wrap("", "", "Means, as they were printed; nothing is decided by them.", t.p.dim)
	case t.c.Family > 0:
		s := fmt.Sprintf("Medians. Intervals hold with %s %% confidence for all %s together (%s %% each).",
			trim(100*(1-t.c.Alpha)), number(t.c.Family, "comparison"), trim(100*(1-t.c.Level)))
		if t.c.Family == 1 {
			s = fmt.Sprintf("Medians. The interval holds with %s %% confidence.", trim(100*(1-t.c.Alpha)))
		}
		s += " Floor: the smallest delta that could have been told from zero"
		if t.oneBoot() {
			s += ", in this boot"
		}
		s += "."
		t.wrap("", "", s, t.p.dim)
	}
	if note := shareNote(t.c.Metrics); note != "" {
		t.wrap("", "", note, t.p.dim)
	}
	for i, n := range t.notes {
		t.wrap(fmt.Sprintf("[%d] ", i+1), "    ", Printable(n), t.p.dim)
	}
}

// oneBoot says whether the result speaks of one boot only.
func (t *text) oneBoot() bool {
	return slices.ContainsFunc(t.c.Warnings, func(w compare.Warning) bool { return w.Kind == compare.WarnOneBoot })
}

// trim writes a level of confidence with as many digits as set it apart from
// 100 %.
func trim(x float64) string {
	decimals := 2
	for rest := 100 - x; rest < 0.1 && decimals < 9; rest *= 10 {
		decimals++
	}
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.*f", decimals, x), "0"), ".")
}

func (t *text) warnings() {
	for _, n := range t.doc.Notes {
		t.wrap("note: ", "      ", Printable(n), t.p.note)
	}
	if len(t.doc.Sessions) > 0 && t.doc.Sessions[0].AA != nil {
		if line := aaLine(t.doc.Sessions[0].AA, t.c); line != "" {
			t.wrap("note: ", "      ", line, t.p.note)
		}
	}
	for _, line := range warningLines(t.c) {
		t.wrap("note: ", "      ", Printable(line), t.p.note)
	}
}

func (t *text) verdicts() {
	t.printf("\n")
	primary := ""
	if len(t.doc.Sessions) > 0 {
		primary = t.doc.Sessions[0].Judge.Primary
	}
	for v := 1; v < len(t.c.Variants); v++ {
		t.wrap("", "  ", VerdictLine(t.c, v, primary), t.p.bold)
	}
}
