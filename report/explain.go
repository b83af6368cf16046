package report

import (
	"bufio"
	"io"

	"github.com/mattn/go-runewidth"

	"microcost/compare"
)

// Explain writes how the verdicts of one metric came about, step by step.
func Explain(w io.Writer, list []compare.Explanation, variants []string, o TextOptions) error {
	t := &text{o: o, p: palette{o.Color}, out: bufio.NewWriter(w)}
	for i, e := range list {
		if i > 0 {
			t.printf("\n")
		}
		t.printf("%s\n", t.p.bold(Printable(e.Metric.Name+": "+variants[e.Variant]+" against "+variants[0])))
		wide := 0
		for _, s := range e.Steps {
			wide = max(wide, runewidth.StringWidth(s.Name))
		}
		for _, s := range e.Steps {
			name := runewidth.FillRight(s.Name, wide)
			t.wrap("  "+name+"  ", "  "+runewidth.FillRight("", wide)+"  ", Printable(s.Text), nil)
		}
	}
	return t.out.Flush()
}
