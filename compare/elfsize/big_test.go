package elfsize

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// bigELF writes a file as large as a kernel with debug information: 20 MiB of
// code, 100,000 symbols, and the rest debug sections, as a sparse file. bump is
// added to the size of one symbol.
func bigELF(t testing.TB, size int64, bump uint64) string {
	t.Helper()
	const symbols, each = 100_000, 200
	spec := elfSpec{class: elf.ELFCLASS64, order: binary.LittleEndian, machine: elf.EM_X86_64, typ: elf.ET_EXEC}
	text := code(symbols * each)
	spec.secs = []secSpec{
		{name: ".text", typ: elf.SHT_PROGBITS, flags: elf.SHF_ALLOC | elf.SHF_EXECINSTR, addr: 0xffffffff81000000, data: text},
		{name: ".data", typ: elf.SHT_PROGBITS, flags: elf.SHF_ALLOC | elf.SHF_WRITE, addr: 0xffffffff83000000, data: make([]byte, 4<<20)},
		{name: ".debug_info", typ: elf.SHT_PROGBITS, data: []byte{0}},
	}
	for i := range symbols {
		s := fn(fmt.Sprintf("function_with_a_usual_name_%d", i), 1, 0xffffffff81000000+uint64(i)*each, each-8)
		if i == 4711 {
			s.size += bump
		}
		spec.syms = append(spec.syms, s)
	}
	b := spec.build()
	// The debug section is a hole at the end of the file.
	shoff := binary.LittleEndian.Uint64(b[40:])
	binary.LittleEndian.PutUint64(b[shoff+3*64+24:], uint64(len(b)))
	binary.LittleEndian.PutUint64(b[shoff+3*64+32:], uint64(size)-uint64(len(b)))
	p := filepath.Join(t.TempDir(), "vmlinux")
	if err := os.WriteFile(p, b, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(p, size); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestBig is the promise of two files of 400 MB in less than 10 seconds and
// 1 GB. The race detector and busy machines get three times as long.
func TestBig(t *testing.T) {
	a, b := bigELF(t, 400<<20, 0), bigELF(t, 400<<20, 4)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	c := mustCompare(t, a, b, Options{})
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	if c.Totals.Grown != 1 || c.Totals.Up != 4 {
		t.Errorf("%+v", c.Totals)
	}
	allocated := after.TotalAlloc - before.TotalAlloc
	t.Logf("%v, %d MB allocated in all", took.Round(time.Millisecond), allocated>>20)
	if took > 30*time.Second {
		t.Errorf("took %v", took)
	}
	if allocated > 1<<30 {
		t.Errorf("%d MB allocated", allocated>>20)
	}
}

func BenchmarkCompareBig(b *testing.B) {
	x, y := bigELF(b, 400<<20, 0), bigELF(b, 400<<20, 4)
	b.ReportAllocs()
	for b.Loop() {
		mustCompare(b, x, y, Options{})
	}
}

func BenchmarkReadBodies(b *testing.B) {
	x := bigELF(b, 64<<20, 0)
	s, err := openSource(x)
	if err != nil {
		b.Fatal(err)
	}
	defer s.close()
	for b.Loop() {
		f, err := openELF(s.r, s.size, x)
		if err != nil {
			b.Fatal(err)
		}
		if err := f.readSymbols(); err != nil {
			b.Fatal(err)
		}
		f.readBodies()
	}
}
