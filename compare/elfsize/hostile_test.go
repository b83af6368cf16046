package elfsize

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// refused checks that a file is an error that says why, and costs little memory.
func refused(t *testing.T, path, why string, o ReadOptions) {
	t.Helper()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Read(path, o)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("error %v, want one with %q", err, why)
	}
	// xz allocates the dictionary that its header asks for.
	if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 300 {
		t.Errorf("%d MB allocated", n)
	}
}

// Names lie in one string. Many that are all of it would take the product of
// both in time, and in memory where they are copied.
func TestOverlappingNames(t *testing.T) {
	spec := elfSpec{class: elf.ELFCLASS64, order: binary.LittleEndian, machine: elf.EM_X86_64, typ: elf.ET_REL}
	spec.secs = []secSpec{{name: strings.Repeat("n", 1<<20), typ: elf.SHT_PROGBITS}}
	for range 40000 {
		spec.secs = append(spec.secs, secSpec{typ: elf.SHT_PROGBITS})
	}
	b := spec.build()
	shoff := int(binary.LittleEndian.Uint64(b[40:]))
	for i := 2; i < 40002; i++ {
		binary.LittleEndian.PutUint32(b[shoff+64*i:], 1)
	}
	refused(t, write(t, "sections", b), "its names overlap", DefaultReadOptions)

	spec = simple(elf.ELFCLASS64, binary.LittleEndian, elf.EM_X86_64)
	spec.syms = []symSpec{fn(strings.Repeat("n", 1<<20), 1, 0x10000, 8)}
	for range 40000 {
		spec.syms = append(spec.syms, fn("", 1, 0x10000, 8))
	}
	b = spec.build()
	// Each symbol of 24 bytes begins with the offset of its name.
	symtab := bytes.Index(b, []byte("\x01\x00\x00\x00\x12\x00\x01\x00\x00\x00\x01\x00"))
	for i := 1; i <= 40000; i++ {
		binary.LittleEndian.PutUint32(b[symtab+24*i:], 1)
	}
	refused(t, write(t, "symbols", b), "its names overlap", DefaultReadOptions)
}

// Symbols without a size at the end of their section, and relocations of one
// place: each would look at all the others.
func TestManyAtOnePlace(t *testing.T) {
	const n = 1 << 17
	spec := simple(elf.ELFCLASS64, binary.LittleEndian, elf.EM_X86_64)
	end := spec.secs[0].addr + uint64(len(spec.secs[0].data))
	spec.syms = nil
	for range n {
		spec.syms = append(spec.syms, fn("s", 1, end, 0))
	}
	m := mustRead(t, write(t, "symbols", spec.build()), DefaultReadOptions)
	if o := m.Objects[0]; o.Sizeless != n || o.Symbols[0].Inferred {
		t.Errorf("%d sizeless, the first of %d bytes", o.Sizeless, o.Symbols[0].Size)
	}

	spec = simple(elf.ELFCLASS64, binary.LittleEndian, elf.EM_X86_64)
	spec.typ = elf.ET_REL
	relocs := make([]byte, 24*n) // all of the first byte
	spec.secs = append(spec.secs, secSpec{name: ".rela.text", typ: elf.SHT_RELA, data: relocs, info: 1})
	spec.syms = nil
	for range n {
		spec.syms = append(spec.syms, fn("s", 1, 0, 8))
	}
	m = mustRead(t, write(t, "relocations", spec.build()), DefaultReadOptions)
	if o := m.Objects[0]; len(o.Symbols) != n || !o.Symbols[0].Body.Known() {
		t.Errorf("%d symbols", len(o.Symbols))
	}
}

// Compressed debug sections whose sizes are lies.
func TestLyingDebugSections(t *testing.T) {
	o := DefaultReadOptions
	o.SourceFiles = true
	for _, sizes := range [][]uint64{{1 << 63, 1 << 63}, {1 << 62}, {1 << 40}} {
		spec := simple(elf.ELFCLASS64, binary.LittleEndian, elf.EM_X86_64)
		for i, n := range sizes {
			head := make([]byte, 24)
			binary.LittleEndian.PutUint32(head, uint32(elf.COMPRESS_ZLIB))
			binary.LittleEndian.PutUint64(head[8:], n)
			name := []string{".debug_info", ".debug_abbrev"}[i]
			spec.secs = append(spec.secs, secSpec{name: name, typ: elf.SHT_PROGBITS, flags: elf.SHF_COMPRESSED, data: head})
		}
		refused(t, write(t, "f", spec.build()), "unpacks to", o)
	}
	// Within the limit, and still a lie.
	spec := simple(elf.ELFCLASS64, binary.LittleEndian, elf.EM_X86_64)
	head := make([]byte, 24)
	binary.LittleEndian.PutUint32(head, uint32(elf.COMPRESS_ZLIB))
	binary.LittleEndian.PutUint64(head[8:], 3<<30)
	spec.secs = append(spec.secs, secSpec{name: ".debug_info", typ: elf.SHT_PROGBITS, flags: elf.SHF_COMPRESSED, data: head})
	refused(t, write(t, "f", spec.build()), "reading DWARF", o)
}

// A bomb fills neither memory nor disk.
func TestBombs(t *testing.T) {
	needTool(t, "gzip", "xz", "zstd")
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	zeros := filepath.Join(t.TempDir(), "zeros")
	if err := os.WriteFile(zeros, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(zeros, 160<<20); err != nil {
		t.Fatal(err)
	}
	for _, argv := range [][]string{{"gzip", "-1"}, {"xz", "-0"}, {"zstd", "-1"}} {
		b := []byte(run(t, argv[0], argv[1], "-c", zeros))
		refused(t, write(t, argv[0], b), "bytes when unpacked", DefaultReadOptions)
		if argv[0] == "zstd" {
			refused(t, write(t, "bzImage", bzImage(b, 0)), "bytes when unpacked", DefaultReadOptions)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "microcost-size-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestHostileArchives(t *testing.T) {
	long := strings.Repeat("n", 1<<20)
	endless := arMagic + arHeader("//", len(long)) + long
	for range 1000 {
		endless += arHeader("/0", 0)
	}
	refused(t, write(t, "endless", []byte(endless)), "has no name of at most 4096 bytes", DefaultReadOptions)

	dir := t.TempDir()
	thin := func(name, names string, members ...string) string {
		b := thinMagic + arHeader("//", len(names)) + names + strings.Repeat("\n", len(names)%2)
		for _, m := range members {
			b += arHeader(m, 100)
		}
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(b), 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, thin("zero.a", "/dev/zero/\n", "/0"), "not a regular file", DefaultReadOptions)
	refused(t, thin("fifo.a", "fifo/\n", "/0"), "not a regular file", DefaultReadOptions)
	refused(t, thin("itself.a", "itself.a/\n", "/0"), "without ELF members", DefaultReadOptions)
	refused(t, thin("missing.a", "missing.o/\n", "/0"), "no such file", DefaultReadOptions)
	again := make([]string, 100)
	for i := range again {
		again[i] = "/0"
	}
	refused(t, thin("again.a", "again.a/\n", again...), "again and again", DefaultReadOptions)
}

// Loops of symbolic links, pipes and devices in a directory are not its files.
func TestHostileDirectories(t *testing.T) {
	dir := t.TempDir()
	plain := simple(elf.ELFCLASS64, binary.LittleEndian, elf.EM_X86_64).build()
	for name, b := range map[string][]byte{"a.o": plain, "b.ko": plain, "b.ko.gz": gz(t, plain), "cut.ko.gz": gz(t, plain)[:40], "page.gz": gz(t, []byte("text"))} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// As Kbuild makes them: of files that are in the tree.
	if err := os.WriteFile(filepath.Join(dir, "built-in.a"), []byte(thinMagic+arHeader("a.o/", len(plain))), 0o644); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"loop": ".", "self": "self", "up": "..", "zero": "/dev/zero", "object": "a.o"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, "cut.ko.gz: unpacking gzip: unexpected EOF", DefaultReadOptions)
	if err := os.Remove(filepath.Join(dir, "cut.ko.gz")); err != nil {
		t.Fatal(err)
	}
	m := mustRead(t, dir, DefaultReadOptions)
	var names []string
	for _, o := range m.Objects {
		names = append(names, o.Name)
	}
	// Two forms of one module do not take each other's place.
	if got := strings.Join(names, " "); got != "a.o b.ko b.ko.gz" {
		t.Errorf("objects %q", got)
	}
	if c := mustCompare(t, dir, dir, Options{}); len(c.Objects)+len(c.Symbols) != 0 {
		t.Errorf("a directory differs from itself: %+v %+v", c.Objects, c.Symbols)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if c := mustCompare(t, link, dir, Options{}); c.A.Objects != 3 || len(c.Objects) != 0 || c.A.Path != link {
		t.Errorf("a link to a directory: %+v", c.A)
	}
}

// A file that shrinks while it is read is an error, not a smaller file.
func TestFileCutWhileRead(t *testing.T) {
	b := simple(elf.ELFCLASS64, binary.LittleEndian, elf.EM_X86_64).build()
	for n := 0; n < len(b); n += 61 {
		p := write(t, "f", b)
		s, err := openSource(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(p, int64(n)); err != nil {
			t.Fatal(err)
		}
		m := &Image{Path: p, Kind: File}
		if _, err := m.readSource(s, p, "", nil, DefaultReadOptions); err == nil {
			t.Errorf("cut to %d of %d bytes: no error", n, len(b))
		}
		s.close()
	}
}
