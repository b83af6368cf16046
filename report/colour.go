package report

import "github.com/fatih/color"

// A palette colours text, or leaves it alone. Whether to colour is decided by
// the caller for the stream it writes to: the library's own decision looks at
// standard output only.
type palette struct{ on bool }

func (p palette) paint(s string, attrs ...color.Attribute) string {
	if !p.on || s == "" {
		return s
	}
	c := color.New(attrs...)
	c.EnableColor() // NO_COLOR is pinned at New otherwise
	return c.Sprint(s)
}

func (p palette) bold(s string) string { return p.paint(s, color.Bold) }
func (p palette) dim(s string) string  { return p.paint(s, color.Faint) }
func (p palette) bad(s string) string  { return p.paint(s, color.FgRed) }
func (p palette) good(s string) string { return p.paint(s, color.FgGreen) }
func (p palette) note(s string) string { return p.paint(s, color.FgYellow) }

// cost colours by direction: +1 costs more, -1 costs less.
func (p palette) cost(s string, direction int) string {
	switch {
	case direction > 0:
		return p.bad(s)
	case direction < 0:
		return p.good(s)
	}
	return p.bold(s)
}
