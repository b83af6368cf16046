package compare

import (
	"fmt"
	"strings"
	"testing"
)

// A markdown table, printed by the long calibration.
type mdTable struct {
	head []string
	rows [][]string
}

func (m *mdTable) row(cells ...any) {
	var r []string
	for _, c := range cells {
		switch c := c.(type) {
		case float64:
			r = append(r, fmt.Sprintf("%.1f", c))
		default:
			r = append(r, fmt.Sprint(c))
		}
	}
	m.rows = append(m.rows, r)
}

func (m *mdTable) print(t *testing.T, title string) {
	if !*calibrationLong {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n\n| %s |\n|%s\n", title, strings.Join(m.head, " | "), strings.Repeat("---|", len(m.head)))
	for _, r := range m.rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(r, " | "))
	}
	t.Log(b.String())
}
