package elfsize

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// An elfSpec is an ELF file to build: what the tests need of any class and
// byte order, without a compiler for it.
type elfSpec struct {
	class   elf.Class
	order   binary.ByteOrder
	machine elf.Machine
	typ     elf.Type
	secs    []secSpec
	syms    []symSpec
}

type secSpec struct {
	name  string
	typ   elf.SectionType
	flags elf.SectionFlag
	addr  uint64
	size  uint64 // of NOBITS; else len(data)
	data  []byte
	link  uint32
	info  uint32
}

type symSpec struct {
	name        string
	info        byte
	shndx       uint16
	value, size uint64
}

func fn(name string, sec uint16, addr, size uint64) symSpec {
	return symSpec{name, elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), sec, addr, size}
}

// build lays out: header, contents, symbols, names, section headers.
func (e elfSpec) build() []byte {
	is64 := e.class == elf.ELFCLASS64
	var b bytes.Buffer
	put := func(vs ...any) {
		for _, v := range vs {
			binary.Write(&b, e.order, v)
		}
	}
	word := func(v uint64) {
		if is64 {
			put(v)
		} else {
			put(uint32(v))
		}
	}
	hsize := 52
	if is64 {
		hsize = 64
	}
	b.Write(make([]byte, hsize))
	secs := append([]secSpec{{}}, e.secs...)
	if len(e.syms) > 0 {
		var tab, str bytes.Buffer
		entry := func(name uint32, s symSpec) {
			w := func(v any) { binary.Write(&tab, e.order, v) }
			if is64 {
				w(name)
				w(s.info)
				w(byte(0))
				w(s.shndx)
				w(s.value)
				w(s.size)
				return
			}
			w(name)
			w(uint32(s.value))
			w(uint32(s.size))
			w(s.info)
			w(byte(0))
			w(s.shndx)
		}
		str.WriteByte(0)
		entry(0, symSpec{})
		for _, s := range e.syms {
			entry(uint32(str.Len()), s)
			str.WriteString(s.name + "\x00")
		}
		secs = append(secs,
			secSpec{name: ".symtab", typ: elf.SHT_SYMTAB, data: tab.Bytes(), link: uint32(len(secs) + 1)},
			secSpec{name: ".strtab", typ: elf.SHT_STRTAB, data: str.Bytes()})
	}
	names := []byte{0}
	at := make([]uint32, len(secs)+1)
	for i := range secs {
		if i > 0 {
			at[i] = uint32(len(names))
			names = append(names, secs[i].name+"\x00"...)
		}
	}
	at[len(secs)] = uint32(len(names))
	names = append(names, ".shstrtab\x00"...)
	secs = append(secs, secSpec{name: ".shstrtab", typ: elf.SHT_STRTAB, data: names})
	offs := make([]uint64, len(secs))
	for i, s := range secs {
		offs[i] = uint64(b.Len())
		b.Write(s.data)
	}
	shoff := uint64(b.Len())
	for i, s := range secs {
		size := s.size
		if s.typ != elf.SHT_NOBITS {
			size = uint64(len(s.data))
		}
		put(at[i], uint32(s.typ))
		word(uint64(s.flags))
		word(s.addr)
		word(offs[i])
		word(size)
		put(s.link, s.info)
		word(1)
		entsize := uint64(0)
		if s.typ == elf.SHT_SYMTAB {
			entsize = 16
			if is64 {
				entsize = 24
			}
		}
		word(entsize)
	}
	out := b.Bytes()
	var h bytes.Buffer
	data := byte(elf.ELFDATA2LSB)
	if e.order == binary.ByteOrder(binary.BigEndian) {
		data = byte(elf.ELFDATA2MSB)
	}
	h.Write([]byte{0x7f, 'E', 'L', 'F', byte(e.class), data, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	w := func(vs ...any) {
		for _, v := range vs {
			binary.Write(&h, e.order, v)
		}
	}
	w(uint16(e.typ), uint16(e.machine), uint32(1))
	shsize, phsize := uint16(40), uint16(32)
	if is64 {
		w(uint64(0), uint64(0), shoff)
		shsize, phsize = 64, 56
	} else {
		w(uint32(0), uint32(0), uint32(shoff))
	}
	w(uint32(0), uint16(hsize), phsize, uint16(0), shsize, uint16(len(secs)), uint16(len(secs)-1))
	copy(out, h.Bytes())
	return out
}

// simple is a file with one section of each kind and some symbols.
func simple(class elf.Class, order binary.ByteOrder, m elf.Machine) elfSpec {
	return elfSpec{class, order, m, elf.ET_EXEC, []secSpec{
		{name: ".text", typ: elf.SHT_PROGBITS, flags: elf.SHF_ALLOC | elf.SHF_EXECINSTR, addr: 0x10000, data: code(100)},
		{name: ".rodata", typ: elf.SHT_PROGBITS, flags: elf.SHF_ALLOC, addr: 0x20000, data: make([]byte, 31)},
		{name: ".data", typ: elf.SHT_PROGBITS, flags: elf.SHF_ALLOC | elf.SHF_WRITE, addr: 0x30000, data: make([]byte, 17)},
		{name: ".bss", typ: elf.SHT_NOBITS, flags: elf.SHF_ALLOC | elf.SHF_WRITE, addr: 0x40000, size: 1234},
		{name: ".tbss", typ: elf.SHT_NOBITS, flags: elf.SHF_ALLOC | elf.SHF_WRITE | elf.SHF_TLS, addr: 0x41000, size: 8},
		{name: ".comment", typ: elf.SHT_PROGBITS, data: []byte("made by hand")},
	}, []symSpec{
		fn("first", 1, 0x10000, 40), fn("second", 1, 0x10028, 60),
		{"table", elf.ST_INFO(elf.STB_LOCAL, elf.STT_OBJECT), 2, 0x20000, 31},
		{"value", elf.ST_INFO(elf.STB_GLOBAL, elf.STT_OBJECT), 3, 0x30000, 17},
		{"space", elf.ST_INFO(elf.STB_WEAK, elf.STT_OBJECT), 4, 0x40000, 1234},
	}}
}

// code is n bytes that differ from each other.
func code(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i/64)
	}
	return b
}

func write(t testing.TB, name string, b []byte) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

func mustRead(t testing.TB, path string, o ReadOptions) *Image {
	t.Helper()
	m, err := Read(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustCompare(t testing.TB, a, b string, o Options) *Comparison {
	t.Helper()
	c, err := CompareFiles(a, b, DefaultReadOptions, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func sourceOf(b []byte) *source {
	return &source{bytes.NewReader(b), int64(len(b)), func() {}}
}
