package elfsize

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestClassesAndByteOrders(t *testing.T) {
	for _, m := range []struct {
		name    string
		class   elf.Class
		order   binary.ByteOrder
		machine elf.Machine
	}{
		{"s390x", elf.ELFCLASS64, binary.BigEndian, elf.EM_S390},
		{"mips", elf.ELFCLASS32, binary.BigEndian, elf.EM_MIPS},
		{"arm", elf.ELFCLASS32, binary.LittleEndian, elf.EM_ARM},
		{"riscv64", elf.ELFCLASS64, binary.LittleEndian, elf.EM_RISCV},
	} {
		t.Run(m.name, func(t *testing.T) {
			spec := simple(m.class, m.order, m.machine)
			a := write(t, m.name, spec.build())
			want := Berkeley{Text: 131, Data: 17, BSS: 1242}
			if got := mustRead(t, a, DefaultReadOptions).Berkeley(); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
			spec.syms[0].size = 44
			c := mustCompare(t, a, write(t, m.name+".new", spec.build()), Options{})
			if len(c.Symbols) != 1 || c.Symbols[0].Name != "first" || c.Symbols[0].Delta() != 4 {
				t.Errorf("symbols %+v", c.Symbols)
			}
			needTool(t, "size", "nm")
			if n := checkSize(t, []string{a}); n != 1 {
				t.Errorf("size read %d files", n)
			}
			if n := checkSizeA(t, []string{a}); n != 1 {
				t.Errorf("size -A read %d files", n)
			}
			if n := checkNM(t, a); n != 5 {
				t.Errorf("nm gave %d symbols", n)
			}
		})
	}
}

func TestFormatErrors(t *testing.T) {
	elf64 := simple(elf.ELFCLASS64, binary.LittleEndian, elf.EM_X86_64).build()
	with := func(off int, b ...byte) []byte {
		c := slices.Clone(elf64)
		copy(c[off:], b)
		return c
	}
	bz := make([]byte, 0x400)
	copy(bz[0x202:], "HdrS")
	bz[0x206], bz[0x207] = 0x0f, 2
	arm := make([]byte, 64)
	copy(arm[56:], "ARM\x64")
	zboot := make([]byte, 64)
	copy(zboot, "MZ\x00\x00zimg")
	for _, c := range []struct {
		name string
		in   []byte
		want string
	}{
		{"empty", nil, "it is empty"},
		{"text", []byte("hello\n"), "not an ELF file, an archive or a kernel image"},
		{"script", []byte("#!/bin/sh\n"), "it is a script"},
		{"PE", append([]byte("MZ"), make([]byte, 100)...), "it is a PE file"},
		{"bitcode", []byte("BC\xc0\xde...."), "LLVM bitcode"},
		{"only the magic", []byte("\x7fELF"), "not an ELF file"},
		{"cut header", elf64[:60], "cut short"},
		{"class", with(4, 9), "unknown ELF class 9"},
		{"byte order", with(5, 9), "unknown byte order 9"},
		{"section header size", with(58, 63, 0), "section headers of 63 bytes"},
		{"sections beyond the end", with(40, 0xff, 0xff, 0xff, 0xff), "beyond the end"},
		{"too many sections", with(60, 0xff, 0xfe), "do not fit"},
		{"cut", elf64[:len(elf64)-64], "beyond the end"},
		{"archive without ELF members", []byte(arMagic + arHeader("note.txt/", 2) + "hi"), "without ELF members"},
		{"damaged archive", []byte(arMagic + strings.Repeat("x", 60)), "no member header"},
		{"cut archive", []byte(arMagic + arHeader("a.o/", 1000)), "cut short"},
		{"cut bzImage", bz, "cut short"},
		{"arm64 Image", arm, "arm64 Image"},
		{"zboot", zboot, "EFI zboot"},
		{"gzip of text", gz(t, []byte("hello")), "not an ELF file"},
		{"damaged gzip", gz(t, elf64)[:100], "unpacking gzip"},
		{"damaged xz", []byte("\xfd7zXZ\x00\x00\x00garbage......................"), "unpacking xz"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(write(t, "f", c.in), DefaultReadOptions)
			var fe *FormatError
			if !errors.As(err, &fe) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want a FormatError with %q", err, c.want)
			}
		})
	}
	if _, err := Read("/nonexistent", DefaultReadOptions); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := Read("/dev/null", DefaultReadOptions); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("/dev/null: %v", err)
	}
	if _, err := Read(t.TempDir(), DefaultReadOptions); err == nil || !strings.Contains(err.Error(), "no ELF files") {
		t.Errorf("empty directory: %v", err)
	}
}

func TestInferredSizes(t *testing.T) {
	spec := simple(elf.ELFCLASS64, binary.LittleEndian, elf.EM_X86_64)
	local := elf.ST_INFO(elf.STB_LOCAL, elf.STT_NOTYPE)
	spec.syms = []symSpec{
		fn("asm", 1, 0x10000, 0),   // until inner_label? no: labels end it too
		fn("alias", 1, 0x10020, 0), // of next, which covers it wherever it stands
		fn("next", 1, 0x10020, 10),
		fn("inside", 1, 0x10024, 0), // within next: stays sizeless
		{"label", local, 1, 0x10022, 0},
		fn("last", 1, 0x10050, 0), // until the end of the section
	}
	m := mustRead(t, write(t, "f", spec.build()), DefaultReadOptions)
	got := map[string]uint64{}
	for _, s := range m.Objects[0].Symbols {
		got[s.Name] = s.Size
		if s.Inferred != (s.Name == "asm" || s.Name == "last") {
			t.Errorf("%s: inferred %v", s.Name, s.Inferred)
		}
	}
	want := map[string]uint64{"asm": 32, "alias": 0, "next": 10, "inside": 0, "label": 0, "last": 20}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s: %d bytes, want %d", k, got[k], v)
		}
	}
	if m.Objects[0].Sizeless != 4 {
		t.Errorf("%d sizeless, want 4", m.Objects[0].Sizeless)
	}
}
