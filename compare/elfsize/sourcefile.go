package elfsize

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

var errNoDWARF = errors.New("no DWARF")

// sourceFiles sets Symbol.File from the DWARF of d: f itself or its debug
// file. Functions are found by the address ranges of the compile units,
// variables by name in the unit that defines them.
//
// debug/dwarf and debug/elf are not made for hostile files: what they may
// allocate is bounded first, and a panic is an error.
func (f *elfFile) sourceFiles(d *elfFile, limit int64) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = f.errorf("reading DWARF: damaged: %v", e)
		}
	}()
	var total, info uint64
	found := false
	for i := range d.obj.Sections {
		s := &d.obj.Sections[i]
		if !strings.HasPrefix(s.Name, ".debug_") && !strings.HasPrefix(s.Name, ".zdebug_") {
			continue
		}
		size := d.unpackedSize(s)
		if size > uint64(limit) { // before sums wrap around
			return f.errorf("the debug section %s unpacks to %d bytes, more than %d", s.Name, size, limit)
		}
		total += size
		if s.Name == ".debug_info" || s.Name == ".zdebug_info" {
			found = true
			info += size
		}
	}
	if !found {
		return errNoDWARF
	}
	if total > uint64(limit) {
		return f.errorf("the debug sections unpack to %d bytes, more than %d", total, limit)
	}
	// debug/elf copies each section name; see elfFile.
	names := 0
	for i := range d.obj.Sections {
		names += len(d.obj.Sections[i].Name)
	}
	if names > 64<<20 {
		return f.errorf("section names of %d bytes", names)
	}
	ef, err := elf.NewFile(io.NewSectionReader(d.r, 0, d.size))
	if err != nil {
		return f.errorf("reading DWARF: %v", err)
	}
	// Line tables, types and locations are not needed and are most of it.
	for _, s := range ef.Sections {
		switch strings.TrimPrefix(strings.TrimPrefix(s.Name, ".z"), ".") {
		case "debug_line", "debug_types", "debug_loc", "debug_loclists", "debug_macro", "debug_frame":
			s.Name = "unused"
		}
	}
	dw, err := ef.DWARF()
	if err != nil {
		return f.errorf("reading DWARF: %v", err)
	}
	units, err := readUnits(dw, info)
	if err != nil {
		return f.errorf("reading DWARF: %v", err)
	}
	if len(units) == 0 {
		return errNoDWARF
	}
	units.relate()
	f.obj.SourceFiles = "DWARF"
	units.assign(&f.obj)
	return nil
}

// unpackedSize is what a debug section becomes in memory.
func (f *elfFile) unpackedSize(s *Section) uint64 {
	off := uint64(8) // Elf64_Chdr.ch_size
	switch {
	case strings.HasPrefix(s.Name, ".zdebug_"):
		// "ZLIB" and eight bytes, big-endian: assume the worst ratio of zlib.
		return min(s.Size, 1<<48) * 1032
	case s.Flags&elf.SHF_COMPRESSED == 0:
		return s.Size
	case !f.is64:
		off = 4
	}
	b, err := f.bytesAt(s.offset+off, 8)
	if err != nil {
		return 0
	}
	if f.is64 {
		return f.ord.Uint64(b)
	}
	return uint64(f.ord.Uint32(b))
}

// A unit is a compile unit: a source file and what it defines.
type unit struct {
	file   string // "" unknown
	dir    string // where it was compiled
	ranges [][2]uint64
	names  []string // functions and variables defined by it
}

type units []unit

// maxUnits bounds what all units together take in memory: names may be shared
// in the file and are not here, and so may lists of ranges.
const maxUnits = 512 << 20

// readUnits walks the direct children of all units. size is that of .debug_info.
func readUnits(dw *dwarf.Data, size uint64) (units, error) {
	var us units
	var u *unit
	next, taken := dwarf.Offset(0), 0
	level := 0 // 1: the direct children of a unit
	r := dw.Reader()
	// An entry is a byte or more; debug/dwarf stands still at a damaged one.
	for range size + 1 {
		e, err := r.Next()
		if err != nil {
			return nil, err
		}
		if e == nil {
			return us, nil
		}
		if e.Tag == 0 && e.Offset == 0 { // the end of a list of children
			level--
			continue
		}
		// A sibling reference that points backwards would be read for ever.
		if e.Offset < next {
			return nil, fmt.Errorf("the entry at %#x is before the one read last", e.Offset)
		}
		next = e.Offset + 1
		if taken > maxUnits {
			return nil, fmt.Errorf("the units take more than %d bytes", maxUnits)
		}
		switch e.Tag {
		case dwarf.TagCompileUnit, dwarf.TagSkeletonUnit:
			name, dir := unitName(e)
			ranges, err := dw.Ranges(e)
			if err != nil {
				return nil, fmt.Errorf("ranges of %s: %v", name, err)
			}
			us = append(us, unit{file: name, dir: dir, ranges: ranges})
			taken += len(name) + len(dir) + 16*len(ranges)
			u, level = &us[len(us)-1], 0
		case dwarf.TagPartialUnit, dwarf.TagTypeUnit:
			u, level = nil, 0
		case dwarf.TagSubprogram, dwarf.TagVariable:
			if name := definedName(e); u != nil && level == 1 && name != "" {
				u.names = append(u.names, name)
				taken += len(name) + 16
			}
		}
		if !e.Children {
			continue
		}
		// Reader.SkipChildren recurses as deep as the file says.
		if sibling, ok := e.Val(dwarf.AttrSibling).(dwarf.Offset); ok && sibling > e.Offset {
			r.Seek(sibling)
			continue
		}
		level++
	}
	return nil, errors.New("more entries than bytes")
}

// definedName is the symbol name of what an entry defines; "" if it only
// declares.
func definedName(e *dwarf.Entry) string {
	if declared, _ := e.Val(dwarf.AttrDeclaration).(bool); declared {
		return ""
	}
	name, _ := e.Val(dwarf.AttrLinkageName).(string)
	if name == "" {
		name, _ = e.Val(dwarf.AttrName).(string)
	}
	return name
}

// unitName gives the source of a unit and the directory that it was compiled
// in, as DWARF has them.
func unitName(e *dwarf.Entry) (name, dir string) {
	name, _ = e.Val(dwarf.AttrName).(string)
	dir, _ = e.Val(dwarf.AttrCompDir).(string)
	if name == "" {
		name, _ = e.Val(dwarf.Attr(0x76)).(string) // DW_AT_dwo_name
	}
	return name, dir
}

// relate makes the paths of units relative to where the tree was built, so
// that A and B can be built in different places: the directory shared by the
// compile directories, but for the odd ones (startup code of the C library).
func (us units) relate() {
	often := map[string]int{}
	root := ""
	for i := range us {
		if !path.IsAbs(us[i].dir) {
			continue // -ffile-prefix-map has been there before
		}
		often[us[i].dir]++
		if n := often[us[i].dir]; n > often[root] || n == often[root] && us[i].dir < root {
			root = us[i].dir
		}
	}
	for i := range us {
		if p := sharedDir(root, us[i].dir); strings.Count(p, "/") >= 2 {
			root = p
		}
	}
	for i := range us {
		u := &us[i]
		full := u.file
		if full == "" {
			continue
		}
		if !path.IsAbs(full) && path.IsAbs(u.dir) {
			full = path.Join(u.dir, full)
		}
		// With a build directory of its own below the source tree, sources are
		// outside of the root, and what the two share is the tree.
		if p := sharedDir(root, full); strings.Count(p, "/") >= 2 {
			full = strings.TrimPrefix(full[len(p):], "/")
		}
		u.file = path.Clean(full)
	}
}

// sharedDir is the longest directory that two absolute paths have in common.
func sharedDir(a, b string) string {
	end := 0
	for i := 0; i <= len(a) && i <= len(b); i++ {
		ca, cb := byte('/'), byte('/')
		if i < len(a) {
			ca = a[i]
		}
		if i < len(b) {
			cb = b[i]
		}
		if ca != cb {
			break
		}
		if ca == '/' {
			end = i
		}
	}
	return a[:end]
}

// assign finds the unit of every symbol.
func (us units) assign(o *Object) {
	type rng struct {
		lo, hi uint64
		unit   int
	}
	var ranges []rng
	byName := map[string]int{} // -2: defined by several units
	for i := range us {
		for _, r := range us[i].ranges {
			ranges = append(ranges, rng{r[0], r[1], i})
		}
		for _, n := range us[i].names {
			if at, ok := byName[n]; ok && at != i {
				byName[n] = -2
			} else {
				byName[n] = i
			}
		}
	}
	slices.SortFunc(ranges, func(a, b rng) int { return cmp.Compare(a.lo, b.lo) })
	byBase := us.byBase()
	for k := range o.Symbols {
		s := &o.Symbols[k]
		if s.Section < 0 {
			continue
		}
		switch {
		case len(us) == 1:
			s.File = us[0].file
			continue
		case o.Type != elf.ET_REL:
			// Addresses of relocatable objects all start at zero.
			j, ok := slices.BinarySearchFunc(ranges, s.Addr, func(r rng, a uint64) int { return cmp.Compare(r.lo, a) })
			if !ok {
				j--
			}
			if j >= 0 && s.Addr >= ranges[j].lo && s.Addr < ranges[j].hi {
				s.File = us[ranges[j].unit].file
				continue
			}
		}
		base, _, _ := FoldClones.name(s.Name)
		if i, ok := byName[base]; ok && i >= 0 {
			s.File = us[i].file
			continue
		}
		// A local symbol of several units: the one whose source has the name
		// that the symbol table gives.
		if s.File != "" {
			if i, ok := byBase[path.Base(s.File)]; ok && i >= 0 {
				s.File = us[i].file
			}
		}
	}
}

// byBase finds units by the base name of their file; -2: several have it.
func (us units) byBase() map[string]int {
	m := map[string]int{}
	for i := range us {
		b := path.Base(us[i].file)
		if _, ok := m[b]; ok {
			m[b] = -2
		} else {
			m[b] = i
		}
	}
	return m
}
