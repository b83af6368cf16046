package elfsize

import (
	"debug/elf"
	"fmt"
	"slices"
	"strings"
)

// A Note is something that the reader of the numbers has to know.
type Note struct {
	Kind NoteKind
	Text string // one sentence, without a full stop
}

// NoteKind is one of a closed list.
type NoteKind string

const (
	NoteExtracted NoteKind = "extracted"   // the ELF file was inside of something
	NoteVmlinux   NoteKind = "vmlinux"     // read in place of a flat image
	NoteDebugFile NoteKind = "debug-file"  // symbols are from a separate file
	NoteStripped  NoteKind = "stripped"    // there are no symbols to compare
	NoteMachine   NoteKind = "machine"     // the sides are not for the same machine
	NoteSkipped   NoteKind = "skipped"     // some files are no ELF files
	NoteHidden    NoteKind = "hidden"      // symbols differ within a section that does not
	NoteSizeless  NoteKind = "sizeless"    // symbols without a size
	NoteBodies    NoteKind = "bodies"      // code is compared with the addresses in it
	NoteNoDWARF   NoteKind = "no-dwarf"    // no source files to group by
	NoteLTO       NoteKind = "lto"         // the code is not generated yet
	NoteEmpty     NoteKind = "no-sections" // there is nothing to sum
	NoteFilter    NoteKind = "filter"      // what was asked for is on neither side
	NoteUnmatched NoteKind = "unmatched"   // no file of one directory is in the other
)

func machineName(o *Object) string {
	name := strings.ToLower(strings.TrimPrefix(o.Machine.String(), "EM_"))
	bits, order := 64, "little-endian"
	if o.Class == elf.ELFCLASS32 {
		bits = 32
	}
	if o.ByteOrder.String() == "BigEndian" {
		order = "big-endian"
	}
	return fmt.Sprintf("%s, %d-bit, %s", name, bits, order)
}

// isLTO says that the object holds bytecode for the linker to compile.
func (o *Object) isLTO() bool {
	return slices.ContainsFunc(o.Sections, func(s Section) bool { return strings.HasPrefix(s.Name, ".gnu.lto_") })
}

// notesOfSides describes where the numbers come from.
func (c *Comparison) notesOfSides(pairs []pair) []Note {
	var out []Note
	note := func(k NoteKind, format string, args ...any) {
		out = append(out, Note{k, fmt.Sprintf(format, args...)})
	}
	for _, s := range []struct {
		name string
		*Side
	}{{"A", &c.A}, {"B", &c.B}} {
		if len(s.Wrapping) > 0 {
			note(NoteExtracted, "%s was unpacked from %s", s.name, strings.Join(s.Wrapping, ", "))
		}
		if s.Vmlinux != "" {
			note(NoteVmlinux, "%s is an arm64 Image, which has no sections: they are those of %s, of the same build", s.name, s.Vmlinux)
		}
		if s.SymbolsFrom != "" {
			note(NoteDebugFile, "the symbols of %s are from %s", s.name, s.SymbolsFrom)
		}
		if s.Skipped > 0 {
			note(NoteSkipped, "%s: %d files are no ELF files and are not counted", s.name, s.Skipped)
		}
	}
	if c.A.Machine != c.B.Machine && c.A.Objects > 0 && c.B.Objects > 0 {
		note(NoteMachine, "A is for %s, B for %s", c.A.Machine, c.B.Machine)
	}
	exact, lto, empty := false, false, false
	for _, p := range pairs {
		for _, o := range []*Object{p.a, p.b} {
			if o == nil {
				continue
			}
			exact = exact || !o.Stripped && !masksAddresses(o.Machine)
			empty = empty || len(o.Sections) == 0
			lto = lto || o.isLTO()
		}
	}
	if c.A.Kind == Directory && !slices.ContainsFunc(pairs, func(p pair) bool { return p.a != nil && p.b != nil }) {
		note(NoteUnmatched, "no file has the same path in A and B: give the directories below which the paths agree")
	}
	if exact {
		note(NoteBodies, "the code of this machine is compared with the addresses in it: a function that only moved looks rewritten, and a rename may look like added and removed")
	}
	if lto {
		note(NoteLTO, "some objects hold code of link-time optimisation, which has no final size before it is linked")
	}
	if empty {
		note(NoteEmpty, "a file without section headers has no sizes: all of it counts as 0")
	}
	return out
}

// notesOfFilters tells a mistyped name from one without a difference.
func (c *Comparison) notesOfFilters(rows []*row, o Options) []Note {
	var out []Note
	for _, name := range o.Sections {
		if !slices.ContainsFunc(c.Sections, func(s SectionDelta) bool { return s.Name == name }) {
			out = append(out, Note{NoteFilter, fmt.Sprintf("neither side has a section %s", name)})
		}
	}
	if o.Match != nil && len(out) == 0 && !slices.ContainsFunc(rows, func(r *row) bool { return r.matches(o.Match) }) {
		out = append(out, Note{NoteFilter, fmt.Sprintf("no symbol of either side matches %s", o.Match)})
	}
	return out
}

// notesOfSymbols says where section sizes hide what happened to symbols: the
// sections of a kernel are aligned to pages and more.
func (c *Comparison) notesOfSymbols(symbols []SymbolDelta, pairs []pair) []Note {
	out := c.notesOfSizeless(symbols, pairs)
	if c.A.Kind == Directory {
		return out // sums of many files: nothing is hidden by one alignment
	}
	type change struct {
		rows     int
		up, down uint64
	}
	changes := map[string]*change{}
	rewritten := 0
	for _, d := range symbols {
		if d.Change == Rewritten {
			rewritten++
		}
		if d.A == d.B {
			continue
		}
		ch := changes[d.Section]
		if ch == nil {
			ch = &change{}
			changes[d.Section] = ch
		}
		ch.rows++
		if d.B > d.A {
			ch.up += d.B - d.A
		} else {
			ch.down += d.A - d.B
		}
	}
	hidden := false
	for _, s := range c.Sections {
		ch := changes[s.Name]
		if ch == nil || s.A != s.B || s.Kind == Unloaded {
			continue
		}
		why := "alignment hides it"
		if ch.up == ch.down {
			why = "they cancel out"
		}
		hidden = true
		out = append(out, Note{NoteHidden, fmt.Sprintf("%s has the same size in A and B, but %s in it changed (+%d/-%d bytes): %s",
			s.Name, plural(ch.rows, "symbol"), ch.up, ch.down, why)})
	}
	if c.A.Berkeley == c.B.Berkeley && !hidden && rewritten > 0 {
		out = append(out, Note{NoteHidden, fmt.Sprintf("all sizes are the same, but the code of %s is not", plural(rewritten, "function"))})
	}
	return out
}

// notesOfSizeless is silent where it makes no difference: every kernel has
// hundreds of such symbols.
func (c *Comparison) notesOfSizeless(symbols []SymbolDelta, pairs []pair) []Note {
	var n [2]int
	for _, p := range pairs {
		for i, o := range []*Object{p.a, p.b} {
			if o != nil {
				n[i] += o.Sizeless
			}
		}
	}
	inferred := 0
	for _, d := range symbols {
		if d.Inferred {
			inferred++
		}
	}
	if c.Fold == FoldNumbers || n[0] == n[1] && inferred == 0 {
		return nil
	}
	return []Note{{NoteSizeless, fmt.Sprintf("%s of A and %d of B have no size in the file; functions among them are taken to reach to the next symbol, marked ~", plural(n[0], "symbol"), n[1])}}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
