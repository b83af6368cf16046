package elfsize

import (
	"fmt"
	"regexp"
)

// Options says how two images are compared. The zero value compares
// everything, with FoldClones.
type Options struct {
	Fold Fold // "" is FoldClones
	// Sections limits the symbols to those in sections of these names.
	Sections []string
	// Match limits the symbols to rows whose name (or old name) it matches.
	Match *regexp.Regexp
	// By sums the symbols by group as well; "" does not.
	By By
}

// A Comparison is what differs between two images. All sizes are bytes, all
// deltas B minus A. It is immutable.
type Comparison struct {
	A, B Side
	Fold Fold
	// Objects are the files of a directory or the members of an archive that
	// differ in size or are on one side only, by name; nil for single files.
	Objects []ObjectDelta
	// Sections holds every section name of either side, in the order of B,
	// those that only A has last. Sections of one name are summed.
	Sections []SectionDelta
	// HasSymbols: there were symbols on both sides. Without, there is a note.
	HasSymbols bool
	// Symbols are the rows that differ, the largest effect first.
	Symbols []SymbolDelta
	Totals  Totals
	By      By
	Groups  []GroupDelta // those that differ, the largest effect first
	Notes   []Note
	// Identical: everything that is loaded is the same, byte for byte.
	Identical bool

	sums map[string]sizes // all rows by name, whatever the filters
}

// sizes is one thing on both sides.
type sizes struct{ a, b uint64 }

// A Side is one of the two images, without its contents.
type Side struct {
	Path     string
	Kind     ImageKind
	Berkeley Berkeley
	Objects  int
	Skipped  int // files or members that are no ELF files
	// Of a single file:
	Machine     string
	BuildID     string
	Wrapping    []string
	SymbolsFrom string
	Vmlinux     string // read in place of a flat image
	Stripped    bool   // no symbols, anywhere
}

func sideOf(m *Image) Side {
	s := Side{Path: m.Path, Kind: m.Kind, Berkeley: m.Berkeley(), Objects: len(m.Objects), Skipped: m.Skipped, Stripped: true}
	for _, o := range m.Objects {
		s.Stripped = s.Stripped && o.Stripped
	}
	if len(m.Objects) > 0 {
		s.Machine = machineName(m.Objects[0])
	}
	if m.Kind == File && len(m.Objects) == 1 {
		o := m.Objects[0]
		s.BuildID, s.Wrapping, s.SymbolsFrom, s.Vmlinux = o.BuildID, o.Wrapping, o.SymbolsFrom, o.Vmlinux
	}
	return s
}

// An ObjectDelta is a file of a directory or a member of an archive.
type ObjectDelta struct {
	Name     string
	A, B     Berkeley
	InA, InB bool
}

// A KindError says that a directory was to be compared with a file.
type KindError struct {
	A, B         string
	KindA, KindB ImageKind
}

func (e *KindError) Error() string {
	return fmt.Sprintf("%s is a %s and %s is a %s: there is nothing to match", e.A, e.KindA, e.B, e.KindB)
}

// CompareFiles reads two paths and compares them.
func CompareFiles(a, b string, ro ReadOptions, o Options) (*Comparison, error) {
	ma, err := Read(a, ro)
	if err != nil {
		return nil, err
	}
	mb, err := Read(b, ro)
	if err != nil {
		return nil, err
	}
	return Compare(ma, mb, o)
}

// Compare compares two images that were read with the same options. A
// directory compares with a directory only; else the error is a *KindError.
func Compare(a, b *Image, o Options) (*Comparison, error) {
	if (a.Kind == Directory) != (b.Kind == Directory) {
		return nil, &KindError{a.Path, b.Path, a.Kind, b.Kind}
	}
	if o.Fold == "" {
		o.Fold = FoldClones
	}
	c := &Comparison{A: sideOf(a), B: sideOf(b), Fold: o.Fold, By: o.By}
	pairs := pairObjects(a, b)
	c.Objects = objectDeltas(pairs, a.Kind)
	c.Sections = sectionDeltas(a, b)
	c.Identical = identical(pairs)
	comparable, notes := comparableUnits(pairs, a.Kind == Directory)
	c.Notes = append(c.notesOfSides(pairs), notes...)
	c.HasSymbols = len(comparable) > 0
	if c.HasSymbols {
		all := classify(buildRows(comparable, o.Fold, nil), o.Fold)
		c.sums = sumRows(all)
		// Notes are about the images, conditions about whole symbols: neither
		// looks through the filters.
		unfiltered, _ := collect(all, nil)
		rows := all
		if len(o.Sections) > 0 {
			rows = classify(buildRows(comparable, o.Fold, o.Sections), o.Fold)
		}
		c.Symbols, c.Totals = collect(rows, o.Match)
		c.Notes = append(c.Notes, c.notesOfFilters(rows, o)...)
		c.Notes = append(c.Notes, c.notesOfSymbols(unfiltered, pairs)...)
		if o.By != "" {
			var note *Note
			if c.Groups, note = groupDeltas(comparable, o); note != nil {
				c.Notes = append(c.Notes, *note)
			}
		}
	}
	return c, nil
}

// A pair is one object on both sides; nil where it is absent.
type pair struct {
	name string
	a, b *Object
}

// pairObjects matches the objects of both images by name, in the order of B
// and then of A. Two single files are the same thing whatever their names.
func pairObjects(a, b *Image) []pair {
	if a.Kind == File && b.Kind == File && len(a.Objects) == 1 && len(b.Objects) == 1 {
		return []pair{{"", a.Objects[0], b.Objects[0]}}
	}
	inA := map[string]*Object{}
	for _, o := range a.Objects {
		inA[o.Name] = o
	}
	var out []pair
	seen := map[string]bool{}
	for _, o := range b.Objects {
		seen[o.Name] = true
		out = append(out, pair{o.Name, inA[o.Name], o})
	}
	for _, o := range a.Objects {
		if !seen[o.Name] {
			out = append(out, pair{o.Name, o, nil})
		}
	}
	return out
}

func objectDeltas(pairs []pair, k ImageKind) []ObjectDelta {
	if k == File && len(pairs) == 1 {
		return nil
	}
	var out []ObjectDelta
	for _, p := range pairs {
		d := ObjectDelta{Name: p.name, InA: p.a != nil, InB: p.b != nil}
		if d.InA {
			d.A = p.a.Berkeley()
		}
		if d.InB {
			d.B = p.b.Berkeley()
		}
		if d.InA != d.InB || d.A != d.B {
			out = append(out, d)
		}
	}
	return out
}

func identical(pairs []pair) bool {
	for _, p := range pairs {
		if p.a == nil || p.b == nil || p.a.Loaded != p.b.Loaded || p.a.Loaded == [32]byte{} {
			return false
		}
	}
	return true
}
