package elfsize

import (
	"debug/elf"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestDamagedFields sets every byte of a file's headers and tables to its
// extremes. Nothing is expected but an answer.
func TestDamagedFields(t *testing.T) {
	for _, spec := range []elfSpec{
		simple(elf.ELFCLASS64, binary.LittleEndian, elf.EM_X86_64),
		simple(elf.ELFCLASS32, binary.BigEndian, elf.EM_PPC),
	} {
		whole := spec.build()
		for i := range whole {
			for _, v := range []byte{0, 1, 0x80, 0xff} {
				b := slices.Clone(whole)
				b[i] = v
				if m, err := readBytes(b); err == nil {
					if _, err := Compare(m, m, Options{By: BySection}); err != nil {
						t.Fatal(err)
					}
				}
			}
			if _, err := readBytes(whole[:i]); err == nil && i < 64 {
				t.Errorf("%d bytes of an ELF file are read", i)
			}
		}
	}
}

// TestDamagedDWARF does it at random to a file with debug information. What
// debug/dwarf does with it, panics and endless loops included, has to come back
// as an error.
func TestDamagedDWARF(t *testing.T) {
	for _, flags := range [][]string{{"-c", "-g"}, {"-g", "-gz=zlib"}} {
		whole, err := os.ReadFile(compile(t, "prog", base, flags...))
		if err != nil {
			t.Fatal(err)
		}
		if m, err := readBytes(whole); err != nil || m.Objects[0].SourceFiles == "" {
			t.Fatalf("undamaged: %v", err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		failed := 0
		for range 600 {
			b := slices.Clone(whole)
			for range 1 + r.IntN(8) {
				b[r.IntN(len(b))] = byte(r.IntN(256))
			}
			if _, err := readBytes(b); err != nil {
				failed++
			}
		}
		t.Logf("%d of 600 damaged files were refused", failed)
	}
}

// TestDeepDWARF nests a million entries: debug/dwarf would recurse until the
// process dies of it, which nothing can catch.
func TestDeepDWARF(t *testing.T) {
	spec := simple(elf.ELFCLASS64, binary.LittleEndian, elf.EM_X86_64)
	info := []byte{0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1}
	for range 1 << 20 {
		info = append(info, 2)
	}
	binary.LittleEndian.PutUint32(info, uint32(len(info)-4))
	spec.secs = append(spec.secs,
		secSpec{name: ".debug_info", typ: elf.SHT_PROGBITS, data: info},
		// 1: a compile unit with children, 2: a lexical block with children
		secSpec{name: ".debug_abbrev", typ: elf.SHT_PROGBITS, data: []byte{1, 0x11, 1, 0, 0, 2, 0x0b, 1, 0, 0, 0}})
	m, err := readBytes(spec.build())
	if err != nil || m.Objects[0].SourceFiles != "DWARF" {
		t.Errorf("%v", err)
	}
}

// TestOverlappingSections has many sections that each are the whole file.
func TestOverlappingSections(t *testing.T) {
	for _, typ := range []elf.SectionType{elf.SHT_PROGBITS, elf.SHT_NOTE, elf.SHT_RELA} {
		spec := simple(elf.ELFCLASS64, binary.LittleEndian, elf.EM_X86_64)
		spec.typ = elf.ET_REL
		for range 20000 {
			spec.secs = append(spec.secs, secSpec{typ: typ, flags: elf.SHF_ALLOC, info: 1})
		}
		b := spec.build()
		shoff := binary.LittleEndian.Uint64(b[40:])
		for i := uint64(7); i < 20007; i++ {
			binary.LittleEndian.PutUint64(b[shoff+64*i+24:], 0)
			binary.LittleEndian.PutUint64(b[shoff+64*i+32:], 1<<20)
		}
		if _, err := readBytes(b); err == nil || !strings.Contains(err.Error(), "overlap") {
			t.Errorf("%v: error %v", typ, err)
		}
	}
}
