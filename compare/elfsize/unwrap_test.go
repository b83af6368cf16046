package elfsize

import (
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	uxz "github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"
)

func gz(t testing.TB, b []byte) []byte {
	return packed(t, b, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
}

func packed(t testing.TB, b []byte, open func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := open(&out)
	if err == nil {
		_, err = w.Write(b)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// packers make every format, with a Go library or with the tool that kernels
// are packed with.
func packers(t testing.TB, b []byte) map[string][]byte {
	out := map[string][]byte{
		"gzip": gz(t, b),
		"zstd": packed(t, b, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }),
		"xz":   packed(t, b, func(w io.Writer) (io.WriteCloser, error) { return uxz.NewWriter(w) }),
		"lzma": packed(t, b, func(w io.Writer) (io.WriteCloser, error) { return lzma.NewWriter(w) }),
		"lz4":  packed(t, b, func(w io.Writer) (io.WriteCloser, error) { return lz4.NewWriter(w), nil }),
		"lz4 legacy": packed(t, b, func(w io.Writer) (io.WriteCloser, error) {
			z := lz4.NewWriter(w)
			return z, z.Apply(lz4.LegacyOption(true))
		}),
	}
	for name, argv := range map[string][]string{
		"xz as kernels":          {"xz", "--check=crc32", "--x86", "--lzma2=dict=32MiB"}, // scripts/xz_wrap.sh
		"xz with another filter": {"xz", "--check=crc32", "--arm", "--lzma2=dict=32MiB"},
		"lzma tool":              {"xz", "--format=lzma"},
		"bzip2":                  {"bzip2", "-9"},
		"zstd tool":              {"zstd", "-22", "--ultra"},
		"lz4 tool":               {"lz4", "-l", "-9"},
	} {
		if _, err := exec.LookPath(argv[0]); err != nil {
			t.Logf("%s is not tested: no %s here", name, argv[0])
			continue
		}
		cmd := exec.Command(argv[0], append(argv[1:], "-c")...)
		cmd.Stdin = bytes.NewReader(b)
		z, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = z
	}
	return out
}

// bzImage puts a payload where the boot protocol says, with the size behind it
// as all but gzip have, and more of a kernel after that.
func bzImage(payload []byte, size int) []byte {
	const setup = 3
	b := make([]byte, (setup+1)*512+64)
	b[0x1f1] = setup
	copy(b[0x202:], "HdrS")
	binary.LittleEndian.PutUint16(b[0x206:], 0x20f)
	binary.LittleEndian.PutUint32(b[0x248:], 64)
	if !bytes.HasPrefix(payload, []byte("\x1f\x8b")) {
		payload = binary.LittleEndian.AppendUint32(payload[:len(payload):len(payload)], uint32(size))
	}
	binary.LittleEndian.PutUint32(b[0x24c:], uint32(len(payload)))
	b = append(b, payload...)
	return append(b, code(5000)...)
}

func TestPackings(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // ours alone: what is left there was left by this
	spec := simple(elf.ELFCLASS64, binary.LittleEndian, elf.EM_X86_64)
	spec.secs[0].data = code(60000)
	for i := range spec.secs[0].data {
		if i%16 == 0 {
			spec.secs[0].data[i] = 0xe8 // calls, for the branch filter to find
		}
	}
	plain := spec.build()
	want := mustRead(t, write(t, "plain", plain), DefaultReadOptions)
	check := func(t *testing.T, name string, b []byte, wrapping string) {
		m := mustRead(t, write(t, name, b), DefaultReadOptions)
		o := m.Objects[0]
		if o.Loaded != want.Objects[0].Loaded || len(o.Symbols) != len(want.Objects[0].Symbols) {
			t.Errorf("%s: another file came out", name)
		}
		if got := strings.Join(o.Wrapping, " "); got != wrapping {
			t.Errorf("%s: unpacked from %q, want %q", name, got, wrapping)
		}
	}
	for name, z := range packers(t, plain) {
		kind, _, _ := strings.Cut(name, " ")
		t.Run(name, func(t *testing.T) {
			check(t, "vmlinux.z", z, kind)
			check(t, "bzImage", bzImage(z, len(plain)), "bzImage "+kind)
			check(t, "bzImage.gz", gz(t, bzImage(z, len(plain))), "gzip bzImage "+kind)
			if _, err := Read(write(t, "cut", z[:len(z)/2]), DefaultReadOptions); err == nil {
				t.Error("half of it is read without an error")
			}
		})
	}
	t.Run("not compressed", func(t *testing.T) { check(t, "bzImage", bzImage(plain, len(plain)), "bzImage") })
	t.Run("limit", func(t *testing.T) {
		o := DefaultReadOptions
		o.MaxUnpacked = 1000
		if _, err := Read(write(t, "f.gz", gz(t, plain)), o); err == nil || !strings.Contains(err.Error(), "more than 1000 bytes") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("nothing left behind", func(t *testing.T) {
		left, _ := filepath.Glob(filepath.Join(os.TempDir(), "microcost-size-*"))
		if len(left) > 0 {
			t.Errorf("temporary files: %v", left)
		}
	})
}

func arHeader(name string, size int) string {
	return fmt.Sprintf("%-16s%-12d%-6d%-6d%-8s%-10d`\n", name, 0, 0, 0, "644", size)
}

func TestArchives(t *testing.T) {
	a := simple(elf.ELFCLASS64, binary.LittleEndian, elf.EM_X86_64).build()
	pad := func(b []byte) string { return string(b) + strings.Repeat("\n", len(b)%2) }
	long := strings.Repeat("long", 8) + ".o"
	gnu := arMagic + arHeader("/", 4) + "\x00\x00\x00\x00" +
		arHeader("//", len(long)+2) + pad([]byte(long+"/\n")) +
		arHeader("a.o/", len(a)) + pad(a) + arHeader("/0", len(a)) + pad(a) +
		arHeader("a.o/", len(a)) + pad(a) + arHeader("note.txt/", 3) + "hi\n\n"
	bsd := arMagic + arHeader("#1/20", len(a)+20) + pad([]byte("bsd_member.o\x00\x00\x00\x00\x00\x00\x00\x00"+string(a)))
	for _, c := range []struct {
		name, in string
		want     []string
		skipped  int
	}{
		{"GNU", gnu, []string{"a.o", long, "a.o #2"}, 1},
		{"BSD", bsd, []string{"bsd_member.o"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := mustRead(t, write(t, "lib.a", []byte(c.in)), DefaultReadOptions)
			var got []string
			for _, o := range m.Objects {
				got = append(got, o.Name)
			}
			if strings.Join(got, ",") != strings.Join(c.want, ",") || m.Skipped != c.skipped || m.Kind != Archive {
				t.Errorf("members %q, %d skipped, %s", got, m.Skipped, m.Kind)
			}
			if b := m.Berkeley(); b.Text != 131*uint64(len(c.want)) {
				t.Errorf("text %d", b.Text)
			}
		})
	}
	t.Run("thin", func(t *testing.T) {
		needTool(t, "ar", "size")
		dir := t.TempDir()
		for _, n := range []string{"one.o", "a_name_that_is_longer_than_sixteen.o"} {
			if err := os.WriteFile(filepath.Join(dir, n), a, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		lib := filepath.Join(dir, "thin.a")
		run(t, "ar", "rcT", lib, filepath.Join(dir, "one.o"), filepath.Join(dir, "a_name_that_is_longer_than_sixteen.o"))
		m := mustRead(t, lib, DefaultReadOptions)
		if len(m.Objects) != 2 || !strings.HasSuffix(m.Objects[1].Name, "a_name_that_is_longer_than_sixteen.o") {
			t.Errorf("%d objects, the last is %q", len(m.Objects), m.Objects[len(m.Objects)-1].Name)
		}
	})
	t.Run("thin, of another archive", func(t *testing.T) {
		needTool(t, "ar", "size")
		dir := t.TempDir()
		var members []string
		for i := range 30 {
			n := filepath.Join(dir, fmt.Sprintf("member_with_a_long_name_%d.o", i))
			if err := os.WriteFile(n, a, 0o644); err != nil {
				t.Fatal(err)
			}
			members = append(members, n)
		}
		plain, lib := filepath.Join(dir, "plain.a"), filepath.Join(dir, "thin.a")
		run(t, "ar", append([]string{"rc", plain}, members[1:]...)...)
		run(t, "ar", "rcT", lib, members[0], plain)
		m := mustRead(t, lib, DefaultReadOptions)
		if len(m.Objects) != 30 || !strings.HasSuffix(m.Objects[29].Name, "plain.a(member_with_a_long_name_29.o)") {
			t.Errorf("%d objects, the last is %q", len(m.Objects), m.Objects[len(m.Objects)-1].Name)
		}
		if total := run(t, "size", "-t", lib); !strings.Contains(total, fmt.Sprintf("%d\t", m.Berkeley().Text)) {
			t.Errorf("text %d, size prints %s", m.Berkeley().Text, total)
		}
		for _, broken := range []struct{ from, to, want string }{
			{"plain.a/", "plain.b/", "no such file"},
			{"plain.a/", "thin.aa/", "no such file"},
			{":68", ":69", "names the member at byte"},
		} {
			b, err := os.ReadFile(lib)
			if err != nil {
				t.Fatal(err)
			}
			p := filepath.Join(dir, "broken.a")
			if err := os.WriteFile(p, bytes.ReplaceAll(b, []byte(broken.from), []byte(broken.to)), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(p, DefaultReadOptions); err == nil || !strings.Contains(err.Error(), broken.want) {
				t.Logf("%q", b[:400])
				t.Errorf("%s for %s: %v", broken.to, broken.from, err)
			}
		}
	})
	t.Run("empty", func(t *testing.T) {
		e := write(t, "empty.a", []byte(arMagic))
		c := mustCompare(t, e, write(t, "lib.a", []byte(gnu)), Options{})
		if c.A.Berkeley != (Berkeley{}) || c.Totals.Added == 0 || len(c.Notes) > 1 {
			t.Errorf("%+v, %+v, notes %+v", c.A, c.Totals, c.Notes)
		}
	})
}

func TestDirectories(t *testing.T) {
	spec := simple(elf.ELFCLASS64, binary.LittleEndian, elf.EM_X86_64)
	tree := func(files map[string][]byte) string {
		dir := t.TempDir()
		for n, b := range files {
			p := filepath.Join(dir, n)
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	old := spec.build()
	spec.secs[0].data = code(132)
	spec.syms[1].size = 92
	grown := spec.build()
	a := tree(map[string][]byte{"sub/x.ko": old, "sub/y.ko": old, "z.ko": old, "README": []byte("hello"), "page.1.gz": gz(t, []byte("a manual page"))})
	b := tree(map[string][]byte{"sub/x.ko": grown, "sub/y.ko.gz": gz(t, old), "new/w.ko": old, "README": []byte("hello")})
	c := mustCompare(t, a, b, Options{})
	var got []string
	for _, o := range c.Objects {
		got = append(got, fmt.Sprintf("%s %v %v %d", o.Name, o.InA, o.InB, int64(o.B.Text-o.A.Text)))
	}
	want := "new/w.ko false true 131,sub/x.ko true true 32,z.ko true false -131"
	if strings.Join(got, ",") != want {
		t.Errorf("objects %q, want %q", got, want)
	}
	grew := 0
	for _, s := range c.Symbols {
		if s.Change == Grown {
			grew++
			if s.Object != "sub/x.ko" || s.Name != "second" || s.Delta() != 32 {
				t.Errorf("%+v", s)
			}
		}
	}
	if grew != 1 || c.Totals.Added != 5 || c.Totals.Removed != 5 || c.A.Skipped != 2 || c.B.Skipped != 1 {
		t.Errorf("%d grown, %+v, skipped %d and %d", grew, c.Totals, c.A.Skipped, c.B.Skipped)
	}
	if _, err := CompareFiles(a, filepath.Join(b, "sub/x.ko"), DefaultReadOptions, Options{}); err == nil {
		t.Error("a directory against a file is no error")
	}
	if hasNote(c, NoteUnmatched, "") {
		t.Errorf("notes %+v", c.Notes)
	}
	if c := mustCompare(t, a, filepath.Join(b, "sub"), Options{}); !hasNote(c, NoteUnmatched, "no file has the same path in A and B") {
		t.Errorf("notes %+v", c.Notes)
	}
}
