package elfsize

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
)

// Change says what happened to a symbol.
type Change string

const (
	Added     Change = "added"
	Removed   Change = "removed"
	Grown     Change = "grown"
	Shrunk    Change = "shrunk"
	Renamed   Change = "renamed"   // another name, the same code
	Rewritten Change = "rewritten" // the same size, other code
	unchanged Change = ""
)

// A SymbolDelta is one row: the symbols that fold to one name.
type SymbolDelta struct {
	Name    string
	OldName string // of Renamed: the name in A
	Object  string // in a directory: the file it is in
	Change  Change
	A, B    uint64 // bytes, of all symbols of the row together
	// CountA and CountB are how many symbols that is; ClonesA and ClonesB how
	// many of them are clones.
	CountA, CountB   int
	ClonesA, ClonesB int
	Section          string // of the largest symbol, in B if it is there
	File             string // its source file, "" unknown
	Inferred         bool   // at least one size is the distance to the next symbol
}

// Delta is B minus A, in bytes.
func (d SymbolDelta) Delta() int64 { return int64(d.B - d.A) }

// Totals sums the rows, as the first line of bloat-o-meter does: a renamed or
// rewritten symbol is neither added nor grown.
type Totals struct {
	Added, Removed, Grown, Shrunk, Renamed, Rewritten int
	Up, Down                                          uint64 // bytes
	A, B                                              uint64 // bytes of all symbols, changed or not
}

// Delta is what the symbols gained, in bytes.
func (t Totals) Delta() int64 { return int64(t.B - t.A) }

// rowKey: in a directory every file has symbols of its own.
type rowKey struct{ object, name string }

// A row collects what folds to one key.
type row struct {
	SymbolDelta
	largest          uint64
	bodiesA, bodiesB []Body
	unknown          bool // a symbol without a body: the code cannot be compared
}

// buildRows folds the symbols of all units. sections nil is all of them.
func buildRows(units []symbolUnit, fold Fold, sections []string) []*row {
	index := map[rowKey]*row{}
	var order []*row
	for _, u := range units {
		for side, objects := range [][]*Object{u.a, u.b} {
			for _, o := range objects {
				for i := range o.Symbols {
					s := &o.Symbols[i]
					if !counts(o, s, fold) || sections != nil && !slices.Contains(sections, o.Sections[s.Section].Name) {
						continue
					}
					name, clone, drop := fold.name(s.Name)
					if drop {
						continue
					}
					k := rowKey{u.name, name}
					r := index[k]
					if r == nil {
						r = &row{SymbolDelta: SymbolDelta{Name: name, Object: u.name}}
						index[k] = r
						order = append(order, r)
					}
					r.add(side == 1, o, s, clone)
				}
			}
		}
	}
	return order
}

// counts says whether a symbol takes part: it is loaded and has a size.
func counts(o *Object, s *Symbol, fold Fold) bool {
	if s.Size == 0 || s.Section < 0 || o.Sections[s.Section].Kind == Unloaded {
		return false
	}
	if fold == FoldNumbers {
		return !s.Inferred && bytes.IndexByte([]byte("tTdDbBrRvVwW"), s.Class) >= 0
	}
	return true
}

func (r *row) add(inB bool, o *Object, s *Symbol, clone bool) {
	n := 0
	if clone {
		n = 1
	}
	if inB {
		if r.CountB == 0 {
			r.largest = 0 // B decides where the row is
		}
		r.B, r.CountB, r.ClonesB = r.B+s.Size, r.CountB+1, r.ClonesB+n
	} else {
		r.A, r.CountA, r.ClonesA = r.A+s.Size, r.CountA+1, r.ClonesA+n
	}
	if s.Size > r.largest {
		r.largest, r.Section, r.File = s.Size, o.Sections[s.Section].Name, s.File
	}
	r.Inferred = r.Inferred || s.Inferred
	switch {
	case !s.Body.Known():
		r.unknown = true
	case inB:
		r.bodiesB = append(r.bodiesB, s.Body)
	default:
		r.bodiesA = append(r.bodiesA, s.Body)
	}
}

// change classifies a row by its sizes and bodies.
func (r *row) change() Change {
	switch {
	case r.CountA == 0:
		return Added
	case r.CountB == 0:
		return Removed
	case r.B > r.A:
		return Grown
	case r.B < r.A:
		return Shrunk
	case r.unknown:
		return unchanged
	}
	order := func(a, b Body) int { return bytes.Compare(a[:], b[:]) }
	slices.SortFunc(r.bodiesA, order)
	slices.SortFunc(r.bodiesB, order)
	if slices.Equal(r.bodiesA, r.bodiesB) {
		return unchanged
	}
	return Rewritten
}

func sumRows(rows []*row) map[string]sizes {
	m := make(map[string]sizes, len(rows))
	for _, r := range rows {
		s := m[r.Name]
		m[r.Name] = sizes{s.a + r.A, s.b + r.B}
	}
	return m
}

// classify says of every row what happened to it, and joins the renamed ones.
func classify(rows []*row, fold Fold) []*row {
	for _, r := range rows {
		r.Change = r.change()
		if r.Change == Rewritten && fold == FoldNumbers {
			r.Change = unchanged // bloat-o-meter looks at sizes alone
		}
	}
	if fold == FoldNumbers {
		return rows
	}
	return findRenames(rows)
}

// collect gives the rows that differ and match, the largest effect first, and
// what all matching rows sum to.
func collect(rows []*row, match *regexp.Regexp) ([]SymbolDelta, Totals) {
	var out []SymbolDelta
	var t Totals
	for _, r := range rows {
		if match != nil && !r.matches(match) {
			continue
		}
		t.count(r.SymbolDelta)
		if r.Change != unchanged {
			out = append(out, r.SymbolDelta)
		}
	}
	slices.SortFunc(out, byEffect)
	return out, t
}

// matches looks at the old name of a renamed function, too.
func (r *row) matches(e *regexp.Regexp) bool {
	return e.MatchString(r.Name) || r.OldName != "" && e.MatchString(r.OldName)
}

func (t *Totals) count(d SymbolDelta) {
	t.A, t.B = t.A+d.A, t.B+d.B
	if d.B > d.A {
		t.Up += d.B - d.A
	} else {
		t.Down += d.A - d.B
	}
	switch d.Change {
	case Added:
		t.Added++
	case Removed:
		t.Removed++
	case Grown:
		t.Grown++
	case Shrunk:
		t.Shrunk++
	case Renamed:
		t.Renamed++
	case Rewritten:
		t.Rewritten++
	}
}

// byEffect sorts by the size of the delta; growth before the same shrinkage;
// then by what happened and by name, so that the order is always the same.
func byEffect(x, y SymbolDelta) int {
	dx, dy := x.Delta(), y.Delta()
	return cmp.Or(
		cmp.Compare(max(dy, -dy), max(dx, -dx)),
		cmp.Compare(dy, dx),
		cmp.Compare(x.Change, y.Change),
		cmp.Compare(x.Name, y.Name),
		cmp.Compare(x.Object, y.Object))
}
