package report

import (
	"fmt"

	"microcost/workload/recording"
)

// sizeLines say how the programs or kernels of the further variants differ in
// size from the base's, in the words of size(1). Nothing is said of equal files,
// and of those whose sizes are not known.
func (d *Document) sizeLines() []string {
	var lines []string
	name := d.Comparison.Variants[0]
	base := d.binaryOf(name)
	for _, label := range d.Comparison.Variants[1:] {
		other := d.binaryOf(label)
		if base == nil || other == nil || base.SHA256 == other.SHA256 {
			continue
		}
		if line := sizeOf(label, name, base, other); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func sizeOf(label, base string, x, y *recording.Binary) string {
	switch a, b := x.Sections, y.Sections; {
	case a != nil && b != nil:
		if a.Text != b.Text || a.Data != b.Data || a.BSS != b.BSS {
			return fmt.Sprintf("size of %s: text %s, data %s, bss %s", label, grown(a.Text, b.Text), grown(a.Data, b.Data), grown(a.BSS, b.BSS))
		}
		what := "in another file"
		switch {
		case a.Code == "" || b.Code == "":
		case a.Code == b.Code:
			what = "and the same code; something else differs"
		default:
			what = "but other code in them: microcost size says where"
		}
		return fmt.Sprintf("size: %s has sections of the same sizes as %s, %s", label, base, what)
	case x.Flat > 0 && y.Flat > 0:
		// A flat image is rounded up to pages and more.
		if x.Flat == y.Flat && x.Memory == y.Memory {
			return fmt.Sprintf("size: the Image of %s is as large as that of %s, with other contents", label, base)
		}
		return fmt.Sprintf("size of %s: Image %s, in memory %s", label, grown(x.Flat, y.Flat), grown(x.Memory, y.Memory))
	}
	return ""
}

// binaryOf is what the variant of this label ran, nil when that is not known, or
// not one thing.
func (d *Document) binaryOf(label string) *recording.Binary {
	var found *recording.Binary
	for i := range d.Sessions {
		for _, v := range d.Sessions[i].Variants {
			switch {
			case v.Label != label || v.Binary == nil:
			case found == nil:
				found = v.Binary
			case found.SHA256 != v.Binary.SHA256:
				return nil
			}
		}
	}
	return found
}

// grown writes a size in bytes and by how much it differs.
func grown(a, b uint64) string {
	s := group(fmt.Sprint(b))
	if a == b {
		return s + " (+0)"
	}
	d := int64(b) - int64(a)
	s += fmt.Sprintf(" (%s", signed(float64(d), 0))
	if a > 0 {
		rel := 100 * float64(d) / float64(a)
		s += fmt.Sprintf(", %s %%", signed(rel, percentDecimals(max(rel, -rel)/10)))
	}
	return s + ")"
}
