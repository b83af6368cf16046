package elfsize

import (
	"cmp"
	"debug/elf"
	"slices"
)

// readSymbols reads the static symbol table, or finds that there is none. The
// dynamic one is no replacement: it holds what a program exports, not what it
// consists of.
func (f *elfFile) readSymbols() error {
	secs := f.obj.Sections
	i := slices.IndexFunc(secs, func(s Section) bool { return s.Type == elf.SHT_SYMTAB })
	if i < 0 || secs[i].Size == 0 {
		f.obj.Stripped = true
		return nil
	}
	table, err := f.contents(&secs[i])
	if err != nil {
		return f.errorf("the symbol table is beyond the end of the file")
	}
	var names stringTable
	if l := int(secs[i].link); l < len(secs) {
		b, err := f.contents(&secs[l])
		if err != nil {
			return f.errorf("the symbol names are beyond the end of the file")
		}
		names = stringTable(b)
	}
	return f.decodeSymbols(table, names, f.extendedIndices(i))
}

// extendedIndices reads the section numbers of symbols in files with 65280
// sections or more.
func (f *elfFile) extendedIndices(symtab int) []byte {
	for i := range f.obj.Sections {
		if s := &f.obj.Sections[i]; s.Type == elf.SHT_SYMTAB_SHNDX && int(s.link) == symtab {
			b, _ := f.contents(s)
			return b
		}
	}
	return nil
}

func (f *elfFile) decodeSymbols(table []byte, names stringTable, ext []byte) error {
	entry := 16
	if f.is64 {
		entry = 24
	}
	n := len(table) / entry
	f.obj.Symbols = make([]Symbol, 0, n)
	file := ""
	for i := 1; i < n; i++ {
		b := table[i*entry:]
		var s Symbol
		var info byte
		var shndx elf.SectionIndex
		if f.is64 {
			info, shndx = b[4], elf.SectionIndex(f.ord.Uint16(b[6:]))
			s.Addr, s.Size = f.ord.Uint64(b[8:]), f.ord.Uint64(b[16:])
		} else {
			info, shndx = b[12], elf.SectionIndex(f.ord.Uint16(b[14:]))
			s.Addr, s.Size = uint64(f.ord.Uint32(b[4:])), uint64(f.ord.Uint32(b[8:]))
		}
		s.Type, s.Bind = elf.ST_TYPE(info), elf.ST_BIND(info)
		s.Name = names.at(uint64(f.ord.Uint32(b)))
		if err := f.spendName(s.Name); err != nil {
			return err
		}
		if s.Type == elf.STT_FILE {
			file = s.Name
			continue
		}
		if s.Type == elf.STT_SECTION || shndx == elf.SHN_UNDEF || s.Name == "" {
			continue
		}
		if shndx == elf.SHN_XINDEX && len(ext) >= 4*(i+1) {
			shndx = elf.SectionIndex(f.ord.Uint32(ext[4*i:]))
		} else if shndx >= elf.SHN_LORESERVE && shndx != elf.SHN_ABS && shndx != elf.SHN_COMMON {
			// Processor-specific: small common and the like, with no section.
			shndx = elf.SHN_ABS
		}
		s.Section = -1
		var sec *Section
		if shndx != elf.SHN_ABS && shndx != elf.SHN_COMMON && int(shndx) < len(f.obj.Sections) {
			s.Section = int(shndx)
			sec = &f.obj.Sections[shndx]
		}
		s.Class = classOf(&s, shndx, sec)
		// Only local symbols follow the file symbol that they belong to.
		if s.Bind == elf.STB_LOCAL {
			s.File = file
		}
		f.obj.Symbols = append(f.obj.Symbols, s)
	}
	f.obj.Symbols = slices.Clip(f.obj.Symbols)
	return nil
}

// inferSizes gives each function without a size the distance to the next
// symbol or to the end of its section. Hand-written assembly forgets .size;
// labels (STT_NOTYPE) are left alone, because most of them are inside of a
// function that has one.
func (f *elfFile) inferSizes() {
	syms := f.obj.Symbols
	order := make([]int, 0, len(syms))
	sizeless := false
	for i := range syms {
		if syms[i].Section < 0 {
			continue
		}
		order = append(order, i)
		if syms[i].Size == 0 && (syms[i].Type == elf.STT_FUNC || syms[i].Type == elf.STT_OBJECT) {
			f.obj.Sizeless++
			sizeless = sizeless || syms[i].Type == elf.STT_FUNC
		}
	}
	if !sizeless {
		return
	}
	// Of symbols at one address those with a size come first: an alias of a function
	// that has one, such as the linker script's, is covered by it.
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(syms[a].Section, syms[b].Section), cmp.Compare(syms[a].Addr, syms[b].Addr), cmp.Compare(syms[b].Size, syms[a].Size))
	})
	// The next address of a symbol in the same section; 0 for none.
	next := make([]uint64, len(order))
	for k := len(order) - 2; k >= 0; k-- {
		s, after := &syms[order[k]], &syms[order[k+1]]
		switch {
		case s.Section != after.Section:
		case after.Addr > s.Addr:
			next[k] = after.Addr
		default:
			next[k] = next[k+1]
		}
	}
	covered, in := uint64(0), -1 // the end of the sized symbols so far, and their section
	for k, i := range order {
		s := &syms[i]
		if s.Section != in {
			covered, in = 0, s.Section
		}
		sec := &f.obj.Sections[s.Section]
		if s.Size == 0 && s.Type == elf.STT_FUNC && sec.Flags&elf.SHF_EXECINSTR != 0 && s.Addr >= covered {
			start := sec.Addr
			if f.obj.Type == elf.ET_REL {
				start = 0
			}
			end := start + sec.Size
			if next[k] > 0 {
				end = min(end, next[k])
			}
			if end > s.Addr && s.Addr >= start {
				s.Size, s.Inferred = end-s.Addr, true
			}
		}
		covered = max(covered, s.Addr+s.Size)
	}
}
