package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"microcost/compare/elfsize"
)

// SizeText writes a comparison of sizes for a terminal of o.Width columns.
func SizeText(w io.Writer, d *SizeDocument, o TextOptions) error {
	t := &sizeText{w: bufio.NewWriter(w), d: d, c: d.Comparison, p: palette{o.Color}, width: sizeWidth(o.Width)}
	t.head()
	t.berkeley()
	t.objects()
	if d.AllSections {
		t.sections()
	}
	if t.c.HasSymbols {
		t.symbols()
		t.groups()
	}
	t.foot()
	if t.err != nil {
		return t.err
	}
	return t.w.Flush()
}

type sizeText struct {
	w     *bufio.Writer
	d     *SizeDocument
	c     *elfsize.Comparison
	p     palette
	width int
	err   error
}

func (t *sizeText) line(s string) { fmt.Fprintln(t.w, s) }

// table writes a grid; its last column is cut so that lines fit.
func (t *sizeText) table(g *grid) {
	if over := g.total() - t.width; over > 0 {
		widths := g.widths()
		last := max(widths[len(widths)-1]-over, 12)
		for _, row := range g.rows {
			if len(row) == len(widths) {
				c := &row[len(row)-1]
				c.text = sizeFit(c.text, last, "...")
			}
		}
	}
	if err := g.write(t.w); err != nil && t.err == nil {
		t.err = err
	}
}

func (t *sizeText) head() {
	for _, s := range []struct {
		name string
		side elfsize.Side
	}{{"A", t.c.A}, {"B", t.c.B}} {
		about := s.side.Machine
		if s.side.Kind != elfsize.File {
			about = fmt.Sprintf("%s, %s", s.side.Kind, sizePlural(s.side.Objects, "object"))
		}
		line := t.p.bold(s.name) + "  "
		room := t.width - 3 - len(about) - 2
		if room < 24 { // the path says more
			about, room = "", t.width-3
		}
		line += sizeFit(Printable(s.side.Path), room, "...")
		if about != "" {
			line += t.p.dim("  " + about)
		}
		t.line(line)
	}
	t.line("")
}

// deltaCell colours by direction: bytes are a cost.
func (t *sizeText) deltaCell(d int64) cell {
	c := cell{text: sizeDelta(d)}
	if d != 0 {
		direction := 1
		if d < 0 {
			direction = -1
		}
		c.paint = func(s string) string { return t.p.cost(s, direction) }
	}
	return c
}

func (t *sizeText) berkeley() {
	a, b := t.c.A.Berkeley, t.c.B.Berkeley
	g := &grid{}
	row := func(name string, v elfsize.Berkeley) {
		g.add(cell{text: name, left: true}, cell{text: sizeBytes(v.Text)}, cell{text: sizeBytes(v.Data)}, cell{text: sizeBytes(v.BSS)},
			cell{text: sizeBytes(v.Total())}, cell{text: fmt.Sprintf("%x", v.Total())})
	}
	g.add(cell{text: "", left: true}, cell{text: "text"}, cell{text: "data"}, cell{text: "bss"}, cell{text: "dec"}, cell{text: "hex"})
	row("A", a)
	row("B", b)
	g.add(cell{text: "B-A", left: true}, t.deltaCell(int64(b.Text-a.Text)), t.deltaCell(int64(b.Data-a.Data)),
		t.deltaCell(int64(b.BSS-a.BSS)), t.deltaCell(int64(b.Total()-a.Total())))
	g.add(cell{text: "", left: true}, cell{text: sizePercent(a.Text, b.Text)}, cell{text: sizePercent(a.Data, b.Data)},
		cell{text: sizePercent(a.BSS, b.BSS)}, cell{text: sizePercent(a.Total(), b.Total())})
	t.table(g)
}

func (t *sizeText) objects() {
	if len(t.c.Objects) == 0 {
		return
	}
	g := &grid{}
	g.add(cell{text: "text"}, cell{text: "data"}, cell{text: "bss"}, cell{text: "object", left: true})
	shown, left := sizeShown(t.c.Objects, t.d.Top)
	for _, o := range shown {
		name := Printable(o.Name)
		switch {
		case !o.InA:
			name += "  only in B"
		case !o.InB:
			name += "  only in A"
		}
		g.add(t.deltaCell(int64(o.B.Text-o.A.Text)), t.deltaCell(int64(o.B.Data-o.A.Data)), t.deltaCell(int64(o.B.BSS-o.A.BSS)),
			cell{text: name, left: true})
	}
	t.line("")
	t.line(t.p.bold(sizePlural(len(t.c.Objects), "object") + " of other size"))
	t.table(g)
	t.more(left)
}

func (t *sizeText) more(left int) {
	if left > 0 {
		t.line(t.p.dim(fmt.Sprintf("... and %s more; --top 0 shows all", sizeBytes(uint64(left)))))
	}
}

func (t *sizeText) sections() {
	g := &grid{}
	g.add(cell{text: "delta"}, cell{text: "A"}, cell{text: "B"}, cell{text: "is", left: true}, cell{text: "addr"}, cell{text: "section", left: true})
	for _, s := range t.c.Sections {
		kind, addr := string(s.Kind), s.AddrB
		if s.CountB == 0 {
			addr = s.AddrA
		}
		if s.Kind == elfsize.Unloaded {
			kind = "-"
		}
		g.add(t.deltaCell(s.Delta()), cell{text: sizeSide(s.A, s.CountA > 0)}, cell{text: sizeSide(s.B, s.CountB > 0)},
			cell{text: kind, left: true}, cell{text: fmt.Sprintf("%x", addr)}, cell{text: Printable(s.Name), left: true})
	}
	t.line("")
	t.line(t.p.bold("sections"))
	t.table(g)
}

func (t *sizeText) symbols() {
	sized, renamed, rewritten := sizeLists(t.c)
	t.line("")
	t.line(t.p.bold(sizeHeadline(t.c.Totals)))
	shown, left := sizeShown(sized, t.d.Top)
	if len(shown) > 0 {
		g := &grid{}
		g.add(cell{text: "delta"}, cell{text: "A"}, cell{text: "B"}, cell{text: "section", left: true}, cell{text: "symbol", left: true})
		for _, s := range shown {
			name := sizeName(s)
			if s.Object != "" {
				name = Printable(s.Object) + ": " + name
			}
			g.add(t.deltaCell(s.Delta()), cell{text: sizeSide(s.A, s.CountA > 0)}, cell{text: sizeSide(s.B, s.CountB > 0)},
				cell{text: Printable(s.Section), left: true}, cell{text: name, left: true})
		}
		t.table(g)
		t.more(left)
	}
	t.line(sizeTotal(t.c.Totals))
	if len(renamed) > 0 {
		t.line("")
		t.line(t.p.bold("renamed, with the same code: " + sizeBytes(uint64(len(renamed)))))
		shown, left := sizeShown(renamed, t.d.Top)
		for _, s := range shown {
			t.line("  " + sizeFit(Printable(s.OldName)+" -> "+Printable(s.Name), t.width-2, "..."))
		}
		t.more(left)
	}
	if len(rewritten) > 0 {
		t.line("")
		t.line(t.p.bold("the same size, but other code: " + sizeBytes(uint64(len(rewritten)))))
		shown, left := sizeShown(rewritten, t.d.Top)
		var names []string
		for _, s := range shown {
			names = append(names, Printable(s.Name))
		}
		for _, l := range sizeWrap("  "+strings.Join(names, ", "), t.width-2, "") {
			t.line("  " + l)
		}
		t.more(left)
	}
}

func (t *sizeText) groups() {
	if t.c.By == "" || len(t.c.Groups) == 0 {
		return
	}
	g := &grid{}
	g.add(cell{text: "delta"}, cell{text: "A"}, cell{text: "B"}, cell{text: "symbols"}, cell{text: string(t.c.By), left: true})
	shown, left := sizeShown(t.c.Groups, t.d.Top)
	for _, r := range shown {
		count := fmt.Sprint(r.CountB)
		if r.CountA != r.CountB {
			count = fmt.Sprintf("%d -> %d", r.CountA, r.CountB)
		}
		g.add(t.deltaCell(r.Delta()), cell{text: sizeSide(r.A, r.CountA > 0)}, cell{text: sizeSide(r.B, r.CountB > 0)},
			cell{text: count}, cell{text: sizeWhere(r.Name), left: true})
	}
	t.line("")
	t.line(t.p.bold("symbols by " + string(t.c.By)))
	t.table(g)
	t.more(left)
}

func (t *sizeText) foot() {
	if s := sizeNothing(t.c); s != "" {
		t.line("")
		t.line(s)
	}
	if len(t.c.Notes) > 0 {
		t.line("")
	}
	for _, n := range t.c.Notes {
		for i, l := range sizeWrap("note: "+Printable(n.Text), t.width, "      ") {
			if rest, ok := strings.CutPrefix(l, "note:"); ok && i == 0 {
				l = t.p.note("note:") + rest
			}
			t.line(l)
		}
	}
	if len(t.d.Findings) > 0 {
		t.line("")
	}
	for _, f := range t.d.Findings {
		s := sizeFinding(f)
		if f.Holds {
			s = t.p.bad(s)
		}
		t.line(s)
	}
}

// sizeWidth is the number of columns to fit in; 0 is unlimited.
func sizeWidth(columns int) int {
	if columns == 0 {
		return 1 << 20
	}
	return max(columns, 40)
}
