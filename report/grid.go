package report

import (
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// A cell is text with what happens to it after it was measured and padded.
type cell struct {
	text  string
	left  bool
	paint func(string) string // nil leaves it
}

// A grid aligns rows of cells in columns.
type grid struct{ rows [][]cell }

func (g *grid) add(cells ...cell) { g.rows = append(g.rows, cells) }

// widths are those of the columns.
func (g *grid) widths() []int {
	var w []int
	for _, row := range g.rows {
		for i, c := range row {
			if i == len(w) {
				w = append(w, 0)
			}
			w[i] = max(w[i], runewidth.StringWidth(c.text))
		}
	}
	return w
}

// total is the width of the whole grid.
func (g *grid) total() int {
	sum := 0
	for _, w := range g.widths() {
		sum += w + len(gap)
	}
	return sum - len(gap)
}

const gap = "  "

// write prints the rows, without blanks at their ends.
func (g *grid) write(w io.Writer) error {
	widths := g.widths()
	for _, row := range g.rows {
		var b strings.Builder
		blanks := 0
		for i, c := range row {
			pad := widths[i] - runewidth.StringWidth(c.text)
			text := c.text
			if c.paint != nil {
				text = c.paint(text)
			}
			before, after := pad, 0
			if c.left {
				before, after = 0, pad
			}
			if i > 0 {
				blanks += len(gap)
			}
			if c.text == "" {
				blanks += pad
				continue
			}
			b.WriteString(strings.Repeat(" ", blanks+before))
			b.WriteString(text)
			blanks = after
		}
		b.WriteByte('\n')
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}
