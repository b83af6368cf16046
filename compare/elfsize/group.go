package elfsize

import (
	"cmp"
	"fmt"
	"path"
	"slices"
)

// By says what symbols are summed by.
type By string

const (
	ByFile    By = "file"    // the compile unit, by DWARF
	ByDir     By = "dir"     // its directory
	BySection By = "section" // the section
	ByObject  By = "object"  // the member or file
)

// ParseBy reads the word of a By.
func ParseBy(s string) (By, error) {
	switch b := By(s); b {
	case ByFile, ByDir, BySection, ByObject:
		return b, nil
	}
	return "", fmt.Errorf("unknown grouping %q: file, dir, section or object", s)
}

// A GroupDelta is the symbols of one group on both sides.
type GroupDelta struct {
	Name           string // "" is unknown
	A, B           uint64 // bytes
	CountA, CountB int    // symbols
}

// Delta is B minus A, in bytes.
func (d GroupDelta) Delta() int64 { return int64(d.B - d.A) }

// groupDeltas sums the symbols that pass the filters. Without DWARF, files can
// still be told apart by member or object, if there are several.
func groupDeltas(units []symbolUnit, o Options) ([]GroupDelta, *Note) {
	by := o.By
	var note *Note
	if by == ByFile || by == ByDir {
		with, without := 0, 0
		for _, u := range units {
			for _, obj := range append(slices.Clone(u.a), u.b...) {
				if obj.SourceFiles == "" {
					without++
				} else {
					with++
				}
			}
		}
		switch {
		case without == 0:
		case with == 0 && without <= 2:
			return nil, &Note{NoteNoDWARF, fmt.Sprintf("no DWARF on either side: nothing to group by %s", by)}
		default:
			note = &Note{NoteNoDWARF, fmt.Sprintf("%d of %d objects have no DWARF: their own names stand for their source files", without, with+without)}
		}
	}
	key := func(obj *Object, s *Symbol) string {
		name := s.File
		if obj.SourceFiles == "" {
			name = obj.Name
		}
		switch by {
		case BySection:
			return obj.Sections[s.Section].Name
		case ByObject:
			return obj.Name
		case ByDir:
			if name == "" {
				return ""
			}
			return path.Dir(archiveOf(name))
		}
		return name
	}
	sums := map[string]*GroupDelta{}
	for _, u := range units {
		for side, objects := range [][]*Object{u.a, u.b} {
			for _, obj := range objects {
				for i := range obj.Symbols {
					s := &obj.Symbols[i]
					if !counts(obj, s, o.Fold) || len(o.Sections) > 0 && !slices.Contains(o.Sections, obj.Sections[s.Section].Name) {
						continue
					}
					name, _, drop := o.Fold.name(s.Name)
					if drop || o.Match != nil && !o.Match.MatchString(name) {
						continue
					}
					k := key(obj, s)
					g := sums[k]
					if g == nil {
						g = &GroupDelta{Name: k}
						sums[k] = g
					}
					if side == 0 {
						g.A, g.CountA = g.A+s.Size, g.CountA+1
					} else {
						g.B, g.CountB = g.B+s.Size, g.CountB+1
					}
				}
			}
		}
	}
	var out []GroupDelta
	for _, g := range sums {
		if g.A != g.B || g.CountA != g.CountB {
			out = append(out, *g)
		}
	}
	slices.SortFunc(out, func(x, y GroupDelta) int {
		dx, dy := x.Delta(), y.Delta()
		return cmp.Or(cmp.Compare(max(dy, -dy), max(dx, -dx)), cmp.Compare(dy, dx), cmp.Compare(x.Name, y.Name))
	})
	return out, note
}
