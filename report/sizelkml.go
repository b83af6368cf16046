package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"

	"microcost/compare/elfsize"
)

// sizeMailWidth is what mail on kernel lists keeps to, so that quoting it
// once or twice stays below 80 columns.
const sizeMailWidth = 72

// SizeLKML writes a comparison of sizes as plain text for a mail: no line is
// wider than 72 columns, rows are laid out as size and bloat-o-meter do.
func SizeLKML(w io.Writer, d *SizeDocument) error {
	c := d.Comparison
	b := bufio.NewWriter(w)
	line := func(s string) { fmt.Fprintln(b, strings.TrimRight(s, " ")) }
	wrapped := func(s string) {
		for _, l := range sizeWrap(Printable(s), sizeMailWidth, "  ") {
			line(l)
		}
	}
	line("A: " + sizeFit(Printable(c.A.Path), sizeMailWidth-3, "..."))
	line("B: " + sizeFit(Printable(c.B.Path), sizeMailWidth-3, "..."))
	line("")
	line("          text       data        bss        dec        hex")
	for _, s := range []struct {
		name string
		v    elfsize.Berkeley
	}{{"A", c.A.Berkeley}, {"B", c.B.Berkeley}} {
		line(fmt.Sprintf("%-3s %10d %10d %10d %10d %10x", s.name, s.v.Text, s.v.Data, s.v.BSS, s.v.Total(), s.v.Total()))
	}
	x, y := c.A.Berkeley, c.B.Berkeley
	line(fmt.Sprintf("%-3s %10s %10s %10s %10s", "B-A", sizeMailDelta(int64(y.Text-x.Text)), sizeMailDelta(int64(y.Data-x.Data)),
		sizeMailDelta(int64(y.BSS-x.BSS)), sizeMailDelta(int64(y.Total()-x.Total()))))
	cells := func(name, old, new, delta string) {
		numbers := fmt.Sprintf(" %9s %9s %9s", old, new, delta)
		const room = sizeMailWidth - 30
		if runewidth.StringWidth(name) > room {
			line(sizeFit(name, sizeMailWidth, "..."))
			name = ""
		}
		line(runewidth.FillRight(name, room) + numbers)
	}
	header := func(what string) {
		line("")
		cells(what, "old", "new", "delta")
	}
	row := func(name, old, new string, delta int64) { cells(name, old, new, sizeMailDelta(delta)) }
	more := func(left int) {
		if left > 0 {
			line(fmt.Sprintf("[... %d more]", left))
		}
	}
	if d.AllSections {
		header("Section")
		for _, s := range c.Sections {
			row(Printable(s.Name), sizeMailSide(s.A, s.CountA > 0), sizeMailSide(s.B, s.CountB > 0), s.Delta())
		}
	}
	if shown, left := sizeShown(c.Objects, d.Top); len(shown) > 0 {
		header("Object (text+data+bss)")
		for _, o := range shown {
			row(Printable(o.Name), sizeMailSide(o.A.Total(), o.InA), sizeMailSide(o.B.Total(), o.InB), int64(o.B.Total()-o.A.Total()))
		}
		more(left)
	}
	if c.HasSymbols {
		sized, renamed, rewritten := sizeLists(c)
		line("")
		wrapped(sizeHeadline(c.Totals))
		shown, left := sizeShown(sized, d.Top)
		if len(shown) > 0 {
			cells("Symbol", "old", "new", "delta")
		}
		for _, s := range shown {
			name := sizeName(s)
			if s.Object != "" {
				name = Printable(s.Object) + ": " + name
			}
			row(name, sizeMailSide(s.A, s.CountA > 0), sizeMailSide(s.B, s.CountB > 0), s.Delta())
		}
		more(left)
		wrapped(sizeTotal(c.Totals))
		if len(renamed) > 0 {
			line("")
			line(fmt.Sprintf("Renamed, with the same code: %d", len(renamed)))
			shown, left := sizeShown(renamed, d.Top)
			for _, s := range shown {
				wrapped(s.OldName + " -> " + s.Name)
			}
			more(left)
		}
		if len(rewritten) > 0 {
			line("")
			line(fmt.Sprintf("The same size, but other code: %d", len(rewritten)))
			shown, left := sizeShown(rewritten, d.Top)
			var names []string
			for _, s := range shown {
				names = append(names, Printable(s.Name))
			}
			wrapped(strings.Join(names, ", "))
			more(left)
		}
	}
	if shown, left := sizeShown(c.Groups, d.Top); len(shown) > 0 {
		header("By " + string(c.By))
		for _, g := range shown {
			row(sizeWhere(g.Name), sizeMailSide(g.A, g.CountA > 0), sizeMailSide(g.B, g.CountB > 0), g.Delta())
		}
		more(left)
	}
	if s := sizeNothing(c); s != "" {
		line("")
		wrapped(s)
	}
	for i, n := range c.Notes {
		if i == 0 {
			line("")
		}
		wrapped("Note: " + n.Text)
	}
	for i, f := range d.Findings {
		if i == 0 {
			line("")
		}
		wrapped(sizeFinding(f))
	}
	return b.Flush()
}

// sizeMailDelta has no separators: the numbers of a mail get pasted into other
// programs.
func sizeMailDelta(d int64) string {
	if d > 0 {
		return "+" + strconv.FormatInt(d, 10)
	}
	return strconv.FormatInt(d, 10)
}

func sizeMailSide(n uint64, exists bool) string {
	if !exists {
		return "-"
	}
	return strconv.FormatUint(n, 10)
}
