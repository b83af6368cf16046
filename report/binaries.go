package report

import (
	"fmt"

	"microcost/workload/recording"
)

// sizeLines say how the programs of the further variants differ in size from
// the base's, in the words of size(1). Nothing is said of equal files, and of
// those whose sections are not known.
func (d *Document) sizeLines() []string {
	var lines []string
	base := d.sectionsOf(d.Comparison.Variants[0])
	for _, label := range d.Comparison.Variants[1:] {
		other := d.sectionsOf(label)
		if base == nil || other == nil || base.SHA256 == other.SHA256 {
			continue
		}
		a, b := base.Sections, other.Sections
		if *a == *b {
			lines = append(lines, fmt.Sprintf("size: %s has sections of the same sizes as %s, in another file", label, d.Comparison.Variants[0]))
			continue
		}
		lines = append(lines, fmt.Sprintf("size of %s: text %s, data %s, bss %s", label,
			grown(a.Text, b.Text), grown(a.Data, b.Data), grown(a.BSS, b.BSS)))
	}
	return lines
}

// sectionsOf is the program that the variant of this label ran, nil when its
// sections are not known.
func (d *Document) sectionsOf(label string) *recording.Binary {
	for i := range d.Sessions {
		for _, v := range d.Sessions[i].Variants {
			if v.Label == label && v.Binary != nil && v.Binary.Sections != nil {
				return v.Binary
			}
		}
	}
	return nil
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
