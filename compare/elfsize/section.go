package elfsize

import "debug/elf"

// Kind is the column of size(1) that a section is counted in.
type Kind string

const (
	Text     Kind = "text" // allocated, and code or not writable
	Data     Kind = "data" // allocated, writable, with contents in the file
	BSS      Kind = "bss"  // allocated, writable, no contents
	Unloaded Kind = ""     // not allocated: debug sections, comments, symbols
)

// A Section is one section of an object, in the order of the file.
type Section struct {
	Name  string
	Addr  uint64
	Size  uint64 // bytes as size(1) counts them: compressed sections compressed
	Align uint64
	Type  elf.SectionType
	Flags elf.SectionFlag
	Kind  Kind
	// Listed says that `size -A` lists the section. Symbol tables, their
	// strings and the relocations of object files are not.
	Listed bool

	offset  uint64
	entsize uint64
	link    uint32
	info    uint32
}

// kindOf classifies as binutils' size.c does for the Berkeley format, whose
// flags BFD derives from the section header: SEC_CODE is SHF_EXECINSTR,
// SEC_READONLY is the absence of SHF_WRITE, SEC_HAS_CONTENTS is any type but
// SHT_NOBITS. Read-only data is therefore text, and so is a NOBITS section
// that is not writable.
func kindOf(t elf.SectionType, f elf.SectionFlag) Kind {
	switch {
	case f&elf.SHF_ALLOC == 0:
		return Unloaded
	case f&elf.SHF_EXECINSTR != 0 || f&elf.SHF_WRITE == 0:
		return Text
	case t != elf.SHT_NOBITS:
		return Data
	}
	return BSS
}

// markListed sets Listed as BFD makes sections of section headers: the main
// symbol table, its strings, the section names and relocations that belong to
// a section are its own business, everything else is a section.
func markListed(secs []Section, typ elf.Type, shstrndx int) {
	symtab := -1
	for i := range secs {
		if secs[i].Type == elf.SHT_SYMTAB {
			symtab = i
			break
		}
	}
	linked := typ == elf.ET_DYN || typ == elf.ET_EXEC
	for i := range secs {
		s := &secs[i]
		switch s.Type {
		case elf.SHT_NULL, elf.SHT_SYMTAB_SHNDX:
		case elf.SHT_SYMTAB:
			s.Listed = s.Flags&elf.SHF_ALLOC != 0 && typ == elf.ET_DYN
		case elf.SHT_STRTAB:
			s.Listed = i != shstrndx && (symtab < 0 || int(secs[symtab].link) != i)
		case elf.SHT_REL, elf.SHT_RELA:
			belongs := symtab >= 0 && int(s.link) == symtab &&
				s.info != 0 && int(s.info) < len(secs) &&
				secs[s.info].Type != elf.SHT_REL && secs[s.info].Type != elf.SHT_RELA
			s.Listed = !belongs || linked && s.Flags&elf.SHF_ALLOC != 0
		default:
			s.Listed = true
		}
	}
}

// A Berkeley is the line that `size` prints: bytes by kind of section.
type Berkeley struct {
	Text, Data, BSS uint64
}

// Total is the sum that size prints as dec and hex.
func (b Berkeley) Total() uint64 { return b.Text + b.Data + b.BSS }

func (b *Berkeley) add(k Kind, n uint64) {
	switch k {
	case Text:
		b.Text += n
	case Data:
		b.Data += n
	case BSS:
		b.BSS += n
	}
}

// berkeley sums sections.
func berkeley(secs []Section) Berkeley {
	var b Berkeley
	for _, s := range secs {
		b.add(s.Kind, s.Size)
	}
	return b
}
