package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"

	"microcost/compare/elfsize"
)

// A SizeDocument is what the size renderers show.
type SizeDocument struct {
	Comparison *elfsize.Comparison
	Findings   []elfsize.Finding // of the --fail-on conditions, in their order
	// Top is how many rows of each list are shown; 0 is all of them.
	Top int
	// AllSections lists every section; without, none.
	AllSections bool
}

// sizeShown cuts a list to the first top entries and says how many are left.
func sizeShown[T any](list []T, top int) (shown []T, left int) {
	if top <= 0 || len(list) <= top {
		return list, 0
	}
	return list[:top], len(list) - top
}

// sizeLists splits the symbol rows: those that change size, and those that do
// not but are renamed or rewritten.
func sizeLists(c *elfsize.Comparison) (sized, renamed, rewritten []elfsize.SymbolDelta) {
	for _, d := range c.Symbols {
		switch d.Change {
		case elfsize.Renamed:
			renamed = append(renamed, d)
		case elfsize.Rewritten:
			rewritten = append(rewritten, d)
		default:
			sized = append(sized, d)
		}
	}
	return sized, renamed, rewritten
}

// sizeHeadline is the first line of bloat-o-meter, which kernel developers
// read at a glance.
func sizeHeadline(t elfsize.Totals) string {
	return fmt.Sprintf("add/remove: %d/%d grow/shrink: %d/%d up/down: %d/-%d (%d)",
		t.Added, t.Removed, t.Grown, t.Shrunk, t.Up, t.Down, t.Delta())
}

// sizeTotal is its last line.
func sizeTotal(t elfsize.Totals) string {
	return fmt.Sprintf("Total: Before=%d, After=%d, chg %s", t.A, t.B, sizePercent(t.A, t.B))
}

// sizePercent is the change relative to A, "inf" from nothing.
func sizePercent(a, b uint64) string {
	switch {
	case a == b:
		return "0.00%"
	case a == 0:
		return "inf"
	}
	pct := (float64(b) - float64(a)) / float64(a) * 100
	// As many decimals as it takes to see that it is not zero.
	for decimals := 2; decimals < 8; decimals++ {
		s := fmt.Sprintf("%+.*f%%", decimals, pct)
		if strings.Trim(s, "+-0.%") != "" {
			return s
		}
	}
	return fmt.Sprintf("%+.1g%%", pct)
}

// sizeBytes separates thousands.
func sizeBytes(n uint64) string { return group(strconv.FormatUint(n, 10)) }

// sizeDelta has a sign, and is "0" for no difference: sizes are exact, so that
// nothing is no difference is known and not just not seen.
func sizeDelta(d int64) string {
	if d > 0 {
		return "+" + group(strconv.FormatInt(d, 10))
	}
	return group(strconv.FormatInt(d, 10))
}

// sizeSide is a size, or "-" where the thing does not exist.
func sizeSide(n uint64, exists bool) string {
	if !exists {
		return "-"
	}
	return sizeBytes(n)
}

// sizeName is how a row is called: with the number of symbols that it sums,
// if it is not one on both sides, and of clones among them.
func sizeName(d elfsize.SymbolDelta) string {
	name := d.Name
	if d.Inferred {
		name = "~" + name
	}
	if d.CountA > 1 || d.CountB > 1 || d.ClonesA+d.ClonesB > 0 {
		name += " (" + sizeCounts(d) + ")"
	}
	return Printable(name)
}

func sizeCounts(d elfsize.SymbolDelta) string {
	clones := func(n, of int) string {
		switch {
		case of == 0:
			return strconv.Itoa(n)
		case of == n:
			return sizePlural(of, "clone")
		}
		return fmt.Sprintf("%d, %s", n, sizePlural(of, "clone"))
	}
	if d.CountA == d.CountB && d.ClonesA == d.ClonesB || d.CountA == 0 {
		return "x" + clones(d.CountB, d.ClonesB)
	}
	if d.CountB == 0 {
		return "x" + clones(d.CountA, d.ClonesA)
	}
	return "x" + clones(d.CountA, d.ClonesA) + " -> x" + clones(d.CountB, d.ClonesB)
}

func sizePlural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return sizeBytes(uint64(n)) + " " + what + "s"
}

// sizeWhere is the group, file or section name to show for an empty one.
func sizeWhere(s string) string {
	if s == "" {
		return "(unknown)"
	}
	return Printable(s)
}

// sizeFit shortens a name to width columns by taking out its middle: the start
// and the end of a symbol tell more than what is between.
func sizeFit(s string, width int, mark string) string {
	if runewidth.StringWidth(s) <= width {
		return s
	}
	room := width - runewidth.StringWidth(mark)
	if room < 2 {
		return runewidth.Truncate(s, max(width, 1), "")
	}
	head := runewidth.Truncate(s, (room+1)/2, "")
	tail := []rune(s)
	for len(tail) > 0 && runewidth.StringWidth(string(tail)) > room/2 {
		tail = tail[1:]
	}
	return head + mark + string(tail)
}

// sizeFinding is one --fail-on condition and what became of it.
func sizeFinding(f elfsize.Finding) string {
	verdict := "does not hold"
	if f.Holds {
		verdict = "holds"
	}
	what := f.What
	if what == "*" {
		return fmt.Sprintf("fail-on %s: %s for no symbol", Printable(f.Condition), "holds")
	}
	return fmt.Sprintf("fail-on %s: %s (%s %s -> %s, %s)", Printable(f.Condition), verdict, Printable(what),
		sizeBytes(f.A), sizeBytes(f.B), sizeDelta(int64(f.B-f.A)))
}

// sizeNothing is the sentence for two sides without any difference.
func sizeNothing(c *elfsize.Comparison) string {
	switch {
	case c.Identical:
		return "A and B are the same, byte for byte, in all that is loaded"
	case c.A.Berkeley == c.B.Berkeley && c.HasSymbols && len(c.Symbols) == 0:
		return "no symbol differs in size or code"
	}
	return ""
}

// sizeWrap breaks a sentence into lines of at most width columns; a word that
// is longer is cut.
func sizeWrap(s string, width int, indent string) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		for runewidth.StringWidth(word) > width-len(indent) {
			if line != "" {
				lines, line = append(lines, line), indent
			}
			head := runewidth.Truncate(word, width-len(indent), "")
			if head == "" {
				break
			}
			lines, word = append(lines, line+head), word[len(head):]
			line = indent
		}
		switch {
		case line == "":
			line = word
		case strings.TrimSpace(line) == "":
			line += word
		case runewidth.StringWidth(line)+1+runewidth.StringWidth(word) > width:
			lines, line = append(lines, line), indent+word
		default:
			line += " " + word
		}
	}
	if strings.TrimSpace(line) != "" {
		lines = append(lines, line)
	}
	return lines
}
