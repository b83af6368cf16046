package elfsize

import "debug/elf"

// A Symbol is one defined symbol of an object. Section symbols, file symbols
// and undefined ones are left out.
type Symbol struct {
	Name string
	Addr uint64
	// Size is in bytes. When Inferred it is the distance to the next symbol.
	Size     uint64
	Section  int // index into Object.Sections; -1: absolute or common
	Type     elf.SymType
	Bind     elf.SymBind
	Class    byte   // the letter that nm prints
	Inferred bool   // the file gives no size for this function
	File     string // the source file: by DWARF, or by the STT_FILE symbol before it
	Body     Body   // the zero Body: no code, or not read
}

// A Body identifies the code of a function whatever its address: a digest of
// its bytes with the operands that hold addresses set to zero.
type Body [16]byte

// Known says that the body was read.
func (b Body) Known() bool { return b != Body{} }

// classOf gives the letter of nm(1), by the rules of bfd_decode_symclass. sec
// is nil for absolute and common symbols.
func classOf(s *Symbol, shndx elf.SectionIndex, sec *Section) byte {
	switch {
	case shndx == elf.SHN_COMMON:
		return 'C'
	case s.Type == elf.STT_GNU_IFUNC:
		return 'i'
	case s.Bind == elf.STB_WEAK && s.Type == elf.STT_OBJECT:
		return 'V'
	case s.Bind == elf.STB_WEAK:
		return 'W'
	case s.Bind == elf.STB_LOOS: // STB_GNU_UNIQUE
		return 'u'
	}
	c := byte('a')
	if shndx != elf.SHN_ABS {
		c = sectionClass(sec)
	}
	if s.Bind == elf.STB_GLOBAL {
		c -= 'a' - 'A'
	}
	return c
}

func sectionClass(s *Section) byte {
	switch {
	case s == nil:
		return '?'
	case s.Flags&elf.SHF_EXECINSTR != 0:
		return 't'
	case s.Flags&elf.SHF_ALLOC != 0 && s.Type != elf.SHT_NOBITS && s.Flags&elf.SHF_WRITE == 0:
		return 'r'
	case s.Flags&elf.SHF_ALLOC != 0 && s.Type != elf.SHT_NOBITS:
		return 'd'
	case s.Type == elf.SHT_NOBITS:
		return 'b'
	case s.Flags&elf.SHF_WRITE == 0:
		return 'n'
	}
	return '?'
}
