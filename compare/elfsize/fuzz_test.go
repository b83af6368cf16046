package elfsize

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// readBytes is Read for something in memory.
func readBytes(b []byte) (*Image, error) {
	o := ReadOptions{Symbols: true, Bodies: true, SourceFiles: true, MaxUnpacked: 1 << 20, MaxDebug: 1 << 22}
	s, wrapping, err := unwrap(sourceOf(b), "fuzz", o)
	if err != nil {
		return nil, err
	}
	defer s.close()
	m := &Image{Path: "fuzz", Kind: File}
	if m.Kind, err = m.readSource(s, "fuzz", "", wrapping, o); err != nil {
		return nil, err
	}
	return m, nil
}

func FuzzRead(f *testing.F) {
	for _, s := range []elfSpec{
		simple(elf.ELFCLASS64, binary.LittleEndian, elf.EM_X86_64),
		simple(elf.ELFCLASS64, binary.LittleEndian, elf.EM_AARCH64),
		simple(elf.ELFCLASS32, binary.BigEndian, elf.EM_MIPS),
		simple(elf.ELFCLASS32, binary.LittleEndian, elf.EM_386),
	} {
		b := s.build()
		f.Add(b)
		f.Add(gz(f, b))
		f.Add(bzImage(gz(f, b), len(b)))
		f.Add([]byte(arMagic + arHeader("a.o/", len(b)) + string(b)))
		s.typ = elf.ET_REL
		s.secs = append(s.secs,
			secSpec{name: ".rela.text", typ: elf.SHT_RELA, data: make([]byte, 72), info: 1},
			secSpec{name: ".gnu_debuglink", typ: elf.SHT_PROGBITS, data: []byte("debug.file\x00\x00\x01\x02\x03\x04")},
			secSpec{name: ".note.gnu.build-id", typ: elf.SHT_NOTE, data: []byte("\x04\x00\x00\x00\x04\x00\x00\x00\x03\x00\x00\x00GNU\x00abcd")},
			secSpec{name: ".debug_info", typ: elf.SHT_PROGBITS, data: code(64)},
			secSpec{name: ".debug_abbrev", typ: elf.SHT_PROGBITS, data: []byte{1, 0x11, 1, 3, 8, 0, 0, 0}})
		f.Add(s.build())
	}
	long := "a_name_of_more_than_sixteen_bytes.o/\n\n"
	f.Add([]byte(arMagic + arHeader("//", len(long)) + long + arHeader("/0", 0)))
	f.Add([]byte(thinMagic + arHeader("//", len(long)) + long + arHeader("/0:68", 100) + arHeader("/0   /0", 100)))
	f.Add([]byte(arMagic + arHeader("#1/8", 8) + "member.o"))
	if _, err := exec.LookPath("gcc"); err == nil {
		for _, flags := range [][]string{{"-c", "-g"}, {"-c", "-g", "-gz=zlib"}} {
			b, err := os.ReadFile(compile(f, "prog", "int v; int f(int x) { return x * v; }", flags...))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := readBytes(b)
		if (err == nil) == (m == nil) {
			t.Fatalf("error %v and value %v", err, m)
		}
		if err != nil {
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, err := Compare(m, m, Options{By: ByFile})
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20+1000*uint64(len(b)) {
			t.Errorf("%d bytes allocated to compare %d", n, len(b))
		}
		if len(c.Symbols) != 0 || c.Totals.A != c.Totals.B {
			t.Errorf("a file differs from itself: %+v", c.Symbols)
		}
		for _, text := range []string{"text>+0", "symbols<0", "symbol:first>0"} {
			cond, err := ParseCondition(text)
			if err != nil {
				t.Fatal(err)
			}
			if f, err := cond.Check(c); err == nil && f.Holds {
				t.Errorf("%s holds", text)
			}
		}
	})
}

// FuzzUnwrap is about the decoders, which are other people's: whatever they are
// given, they end, and neither their output nor their memory is without bounds.
func FuzzUnwrap(f *testing.F) {
	b := simple(elf.ELFCLASS32, binary.LittleEndian, elf.EM_386).build()
	for _, z := range packers(f, b) {
		f.Add(z)
		f.Add(bzImage(z, len(b)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		const limit = 1 << 20
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, names, err := unwrap(sourceOf(b), "fuzz", ReadOptions{MaxUnpacked: limit})
		runtime.ReadMemStats(&after)
		// Four layers, each with the dictionary that its header asks for.
		if n := after.TotalAlloc - before.TotalAlloc; n > 4*(maxDict+64<<20) {
			t.Errorf("%d bytes allocated", n)
		}
		if (err == nil) == (s == nil) {
			t.Fatalf("error %v and source %v", err, s)
		}
		if err != nil {
			return
		}
		defer s.close()
		if len(names) > 0 && s.size > limit {
			t.Errorf("unpacked from %v to %d bytes", names, s.size)
		}
	})
}

func FuzzX86(f *testing.F) {
	f.Add([]byte("\x55\x48\x89\xe5\xe8\x00\x00\x00\x00\x5d\xc3"), true)
	f.Add([]byte{0x62, 0xf1, 0x7c, 0x48, 0x10, 0x05, 1, 2, 3, 4}, true)
	f.Fuzz(func(t *testing.T, b []byte, mode64 bool) {
		in, ok := decodeX86(b, mode64)
		if ok && (in.len <= 0 || in.len > len(b) || in.len > 15) {
			t.Fatalf("%x: %d bytes", b, in.len)
		}
		masked := bytes.Clone(b)
		maskX86(masked, 0x1000, mode64, span{0x400000, 0x500000})
		if len(masked) != len(b) {
			t.Fatal("another length")
		}
		again := bytes.Clone(masked)
		maskARM64(again)
	})
}

func FuzzParseCondition(f *testing.F) {
	for _, s := range []string{"text>+0", "symbol:a<b>>+1%", "section:.text<-4KiB", "total>1e9"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := ParseCondition(s)
		if err == nil && c.String() != s {
			t.Errorf("%q became %q", s, c)
		}
	})
}
