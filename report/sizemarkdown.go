package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"microcost/compare/elfsize"
)

// SizeMarkdown writes a comparison of sizes as GitHub-flavoured Markdown.
func SizeMarkdown(w io.Writer, d *SizeDocument) error {
	c := d.Comparison
	b := bufio.NewWriter(w)
	p := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	more := func(left int) {
		if left > 0 {
			p("\n… and %s more", sizeBytes(uint64(left)))
		}
	}
	x, y := c.A.Berkeley, c.B.Berkeley
	p("| | text | data | bss | dec | hex | |")
	p("|:--|--:|--:|--:|--:|--:|:--|")
	for _, s := range []struct {
		name string
		side elfsize.Side
	}{{"A", c.A}, {"B", c.B}} {
		v := s.side.Berkeley
		p("| %s | %s | %s | %s | %s | %x | %s |", s.name, sizeBytes(v.Text), sizeBytes(v.Data), sizeBytes(v.BSS), sizeBytes(v.Total()), v.Total(), sizeCode(s.side.Path))
	}
	p("| B-A | %s | %s | %s | %s | | %s |", sizeDelta(int64(y.Text-x.Text)), sizeDelta(int64(y.Data-x.Data)), sizeDelta(int64(y.BSS-x.BSS)),
		sizeDelta(int64(y.Total()-x.Total())), sizePercent(x.Total(), y.Total()))
	if shown, left := sizeShown(c.Objects, d.Top); len(shown) > 0 {
		p("\n| delta | A | B | object |\n|--:|--:|--:|:--|")
		for _, o := range shown {
			p("| %s | %s | %s | %s |", sizeDelta(int64(o.B.Total()-o.A.Total())), sizeSide(o.A.Total(), o.InA), sizeSide(o.B.Total(), o.InB), sizeCode(o.Name))
		}
		more(left)
	}
	if d.AllSections {
		p("\n| delta | A | B | is | section |\n|--:|--:|--:|:--|:--|")
		for _, s := range c.Sections {
			p("| %s | %s | %s | %s | %s |", sizeDelta(s.Delta()), sizeSide(s.A, s.CountA > 0), sizeSide(s.B, s.CountB > 0), string(s.Kind), sizeCode(s.Name))
		}
	}
	if c.HasSymbols {
		sized, renamed, rewritten := sizeLists(c)
		p("\n**%s**", sizeHeadline(c.Totals))
		if shown, left := sizeShown(sized, d.Top); len(shown) > 0 {
			p("\n| delta | A | B | section | symbol |\n|--:|--:|--:|:--|:--|")
			for _, s := range shown {
				name := sizeCode(s.Name)
				if s.CountA > 1 || s.CountB > 1 || s.ClonesA+s.ClonesB > 0 {
					name += " (" + sizeCounts(s) + ")"
				}
				if s.Inferred {
					name = "~" + name
				}
				if s.Object != "" {
					name = sizeCode(s.Object) + ": " + name
				}
				p("| %s | %s | %s | %s | %s |", sizeDelta(s.Delta()), sizeSide(s.A, s.CountA > 0), sizeSide(s.B, s.CountB > 0), sizeCode(s.Section), name)
			}
			more(left)
		}
		p("\n%s", sizeTotal(c.Totals))
		if shown, left := sizeShown(renamed, d.Top); len(shown) > 0 {
			p("\n%s renamed, with the same code:\n", sizeBytes(uint64(len(renamed))))
			for _, s := range shown {
				p("- %s → %s", sizeCode(s.OldName), sizeCode(s.Name))
			}
			more(left)
		}
		if shown, left := sizeShown(rewritten, d.Top); len(shown) > 0 {
			p("\n%s of the same size, but with other code:\n", sizeBytes(uint64(len(rewritten))))
			for _, s := range shown {
				p("- %s", sizeCode(s.Name))
			}
			more(left)
		}
	}
	if shown, left := sizeShown(c.Groups, d.Top); len(shown) > 0 {
		p("\n| delta | A | B | %s |\n|--:|--:|--:|:--|", c.By)
		for _, g := range shown {
			name := "(unknown)"
			if g.Name != "" {
				name = sizeCode(g.Name)
			}
			p("| %s | %s | %s | %s |", sizeDelta(g.Delta()), sizeSide(g.A, g.CountA > 0), sizeSide(g.B, g.CountB > 0), name)
		}
		more(left)
	}
	if s := sizeNothing(c); s != "" {
		p("\n%s", s)
	}
	for _, n := range c.Notes {
		p("\n> Note: %s", sizePlain(n.Text))
	}
	for _, f := range d.Findings {
		p("\n> %s", sizePlain(sizeFinding(f)))
	}
	return b.Flush()
}

// sizeCode writes a name as a code span that nothing in the name can end, nor
// the table cell around it.
func sizeCode(s string) string {
	if s == "" {
		return ""
	}
	s = Printable(s)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if fence != "`" || strings.HasPrefix(s, " ") {
		s = " " + s + " "
	}
	return fence + strings.ReplaceAll(s, "|", `\|`) + fence
}

// sizePlain escapes what Markdown would take as its own in running text.
func sizePlain(s string) string {
	var b strings.Builder
	for _, r := range Printable(s) {
		if strings.ContainsRune("\\`*_{}[]<>#|~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
