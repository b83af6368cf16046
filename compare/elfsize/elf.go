package elfsize

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A FormatError says that a file is not what Read can read, or is damaged.
type FormatError struct {
	Path string // as given, with the member of the archive or the like
	Msg  string
}

func (e *FormatError) Error() string { return e.Path + ": " + e.Msg }

// An Object is one ELF file: an executable, a shared or relocatable object, a
// kernel, or a member of an archive.
type Object struct {
	Name      string // within its image; "" when the image is this file
	Class     elf.Class
	ByteOrder binary.ByteOrder
	Machine   elf.Machine
	Type      elf.Type
	BuildID   string   // hexadecimal, "" if there is none
	Wrapping  []string // what it was taken out of: "bzImage", "lz4"
	Sections  []Section
	Symbols   []Symbol // in the order of the symbol table
	// SymbolsFrom is the separate debug file that Symbols were read from; ""
	// when it is the file itself, or when there are none.
	SymbolsFrom string
	// Stripped says that no symbol table was found, here or in a debug file.
	Stripped bool
	// Sizeless counts the functions and objects whose size the file does not
	// give. Functions have it inferred, see Symbol.Inferred.
	Sizeless int
	// Loaded is a digest of all that is loaded: names, flags, addresses and
	// contents of the allocated sections. Zero: not read.
	Loaded [32]byte
	// Code is a digest of the contents of the executable sections. Zero: not
	// read, or there are none.
	Code [32]byte
	// Vmlinux is the file that all of this was read from, when the image was a
	// flat one without sections: the vmlinux of the same build beside it.
	Vmlinux string
	// SourceFiles says where Symbol.File comes from: "DWARF" or "".
	SourceFiles string
}

// An elfFile is an ELF file being read. It parses headers and symbols itself:
// debug/elf copies every name out of its string table, so that a small file
// with overlapping names takes unbounded memory; here names share one string.
type elfFile struct {
	r    io.ReaderAt
	size int64
	path string // for errors
	obj  Object
	is64 bool
	ord  binary.ByteOrder
	read uint64 // bytes of sections read so far, see spend
	name uint64 // bytes of names so far, see spendName
}

func (f *elfFile) errorf(format string, args ...any) error {
	return &FormatError{f.path, fmt.Sprintf(format, args...)}
}

// openELF reads the ELF header and the section headers.
func openELF(r io.ReaderAt, size int64, path string) (*elfFile, error) {
	f := &elfFile{r: r, size: size, path: path}
	var h [64]byte
	n, err := r.ReadAt(h[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if n < 52 || string(h[:4]) != elf.ELFMAG {
		return nil, f.errorf("not an ELF file")
	}
	switch elf.Class(h[elf.EI_CLASS]) {
	case elf.ELFCLASS64:
		f.is64 = true
		if n < 64 {
			return nil, f.errorf("the ELF header is cut short")
		}
	case elf.ELFCLASS32:
	default:
		return nil, f.errorf("unknown ELF class %d", h[elf.EI_CLASS])
	}
	switch elf.Data(h[elf.EI_DATA]) {
	case elf.ELFDATA2LSB:
		f.ord = binary.LittleEndian
	case elf.ELFDATA2MSB:
		f.ord = binary.BigEndian
	default:
		return nil, f.errorf("unknown byte order %d", h[elf.EI_DATA])
	}
	f.obj.Class = elf.Class(h[elf.EI_CLASS])
	f.obj.ByteOrder = f.ord
	f.obj.Type = elf.Type(f.ord.Uint16(h[16:]))
	f.obj.Machine = elf.Machine(f.ord.Uint16(h[18:]))
	shoff, at := uint64(f.ord.Uint32(h[32:])), 46
	if f.is64 {
		shoff, at = f.ord.Uint64(h[40:]), 58
	}
	entsize, num, strndx := f.ord.Uint16(h[at:]), uint64(f.ord.Uint16(h[at+2:])), uint32(f.ord.Uint16(h[at+4:]))
	if shoff == 0 {
		return f, nil // legal for executables: no sections at all
	}
	return f, f.readSections(shoff, uint64(entsize), num, strndx)
}

func (f *elfFile) readSections(shoff, entsize, num uint64, strndx uint32) error {
	want := uint64(40)
	if f.is64 {
		want = 64
	}
	if entsize != want {
		return f.errorf("section headers of %d bytes, want %d", entsize, want)
	}
	first, err := f.bytesAt(shoff, want)
	if err != nil {
		return f.errorf("the section headers are beyond the end of the file")
	}
	zero := f.section(first, nil)
	// Files with 65280 sections or more keep both numbers in the first header.
	if num == 0 {
		num = zero.Size
	}
	if strndx == uint32(elf.SHN_XINDEX) {
		strndx = zero.link
	}
	if num > uint64(f.size)/want {
		return f.errorf("%d section headers do not fit in the file", num)
	}
	table, err := f.bytesAt(shoff, num*want)
	if err != nil {
		return f.errorf("the section headers are beyond the end of the file")
	}
	names := stringTable("")
	if uint64(strndx) < num && strndx != 0 {
		s := f.section(table[uint64(strndx)*want:], nil)
		b, err := f.contents(&s)
		if err != nil {
			return f.errorf("the section names are beyond the end of the file")
		}
		names = stringTable(b)
	}
	secs := make([]Section, num)
	for i := range secs {
		secs[i] = f.section(table[uint64(i)*want:], &names)
		if err := f.spendName(secs[i].Name); err != nil {
			return err
		}
	}
	markListed(secs, f.obj.Type, int(strndx))
	f.obj.Sections = secs
	return nil
}

// section decodes one section header; names nil leaves the name empty.
func (f *elfFile) section(b []byte, names *stringTable) Section {
	var s Section
	u32 := func(off int) uint64 { return uint64(f.ord.Uint32(b[off:])) }
	s.Type = elf.SectionType(u32(4))
	if f.is64 {
		u64 := func(off int) uint64 { return f.ord.Uint64(b[off:]) }
		s.Flags, s.Addr, s.offset, s.Size = elf.SectionFlag(u64(8)), u64(16), u64(24), u64(32)
		s.link, s.info, s.Align, s.entsize = uint32(u32(40)), uint32(u32(44)), u64(48), u64(56)
	} else {
		s.Flags, s.Addr, s.offset, s.Size = elf.SectionFlag(u32(8)), u32(12), u32(16), u32(20)
		s.link, s.info, s.Align, s.entsize = uint32(u32(24)), uint32(u32(28)), u32(32), u32(36)
	}
	if s.Type == elf.SHT_NULL {
		return s
	}
	if names != nil {
		s.Name = names.at(u32(0))
	}
	s.Kind = kindOf(s.Type, s.Flags)
	return s
}

// spend accounts for n bytes that are about to be read. Each section may be as
// large as the file and there may be many of them: sections that overlap could
// make a small file take hours and more memory than there is.
func (f *elfFile) spend(n uint64) error {
	if f.read += n; f.read > 8*uint64(f.size)+1<<20 {
		return f.errorf("its sections overlap")
	}
	return nil
}

// spendName accounts for a name. They lie in one string and may overlap: a name
// without an end could be had by every symbol.
func (f *elfFile) spendName(s string) error {
	if f.name += uint64(len(s)); f.name > 4*uint64(f.size)+1<<20 {
		return f.errorf("its names overlap")
	}
	return nil
}

// contents reads a whole section, which cannot be more than the file.
func (f *elfFile) contents(s *Section) ([]byte, error) {
	if s.Type == elf.SHT_NOBITS || s.Type == elf.SHT_NULL {
		return nil, nil
	}
	if s.Size <= uint64(f.size) {
		if err := f.spend(s.Size); err != nil {
			return nil, err
		}
	}
	return f.bytesAt(s.offset, s.Size)
}

// bytesAt reads n bytes; the length is checked before anything is allocated.
func (f *elfFile) bytesAt(off, n uint64) ([]byte, error) {
	if off > uint64(f.size) || n > uint64(f.size)-off {
		return nil, io.ErrUnexpectedEOF
	}
	b := make([]byte, n)
	if _, err := f.r.ReadAt(b, int64(off)); err != nil {
		return nil, err
	}
	return b, nil
}

// A stringTable is the contents of a string section; names are slices of it.
type stringTable string

func (t stringTable) at(off uint64) string {
	if off >= uint64(len(t)) {
		return ""
	}
	s := string(t[off:])
	if i := strings.IndexByte(s, 0); i >= 0 {
		return s[:i]
	}
	return s
}

// buildID finds the GNU build id note. Kernels have it in .notes.
func (f *elfFile) buildID() string {
	for i := range f.obj.Sections {
		s := &f.obj.Sections[i]
		if s.Type != elf.SHT_NOTE || s.Size > 1<<20 {
			continue
		}
		b, err := f.contents(s)
		if err != nil {
			continue
		}
		for len(b) >= 12 {
			name, desc, typ := uint64(f.ord.Uint32(b)), uint64(f.ord.Uint32(b[4:])), f.ord.Uint32(b[8:])
			b = b[12:]
			n, d := (name+3)&^3, (desc+3)&^3
			if n+desc > uint64(len(b)) {
				break
			}
			if typ == 3 && bytes.Equal(b[:name], []byte("GNU\x00")) { // NT_GNU_BUILD_ID
				return fmt.Sprintf("%x", b[n:n+desc])
			}
			b = b[min(n+d, uint64(len(b))):]
		}
	}
	return ""
}
