package elfsize

import (
	"os"
	"path/filepath"
	"testing"

	"microcost/internal/need"
)

// debian finds one thing in two kernels of Debian's, the older first.
func debian(t *testing.T, pattern string) (a, b string) {
	t.Helper()
	return need.Cached(t, "guest-kernels/amd64-old/"+pattern, "scripts/fetch-kernels.sh"),
		need.Cached(t, "guest-kernels/amd64-1/"+pattern, "scripts/fetch-kernels.sh")
}

// TestKernelImages unpacks both boot images and checks what comes out with
// size.
func TestKernelImages(t *testing.T) {
	needTool(t, "size")
	a, b := debian(t, "boot/vmlinuz-*")
	for _, k := range []string{a, b} {
		s, err := openSource(k)
		if err != nil {
			t.Fatal(err)
		}
		s, wrapping, err := unwrap(s, k, DefaultReadOptions)
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		if len(wrapping) != 2 || wrapping[0] != "bzImage" {
			t.Errorf("unpacked from %v", wrapping)
		}
		vmlinux := make([]byte, s.size)
		if _, err := s.r.ReadAt(vmlinux, 0); err != nil {
			t.Fatal(err)
		}
		p := write(t, "vmlinux", vmlinux)
		if checkSize(t, []string{p}) != 1 || checkSizeA(t, []string{p}) != 1 {
			t.Error("size does not read it")
		}
	}
	c := mustCompare(t, a, b, Options{})
	if c.HasSymbols || !hasNote(c, NoteStripped, "A and B are stripped") || c.A.Berkeley == c.B.Berkeley {
		t.Errorf("%+v", c)
	}
	t.Logf("A %+v, B %+v", c.A.Berkeley, c.B.Berkeley)
}

// TestKernelModules compares all modules of both kernels, and checks the
// symbols with nm and the sums with what bloat-o-meter computes.
func TestKernelModules(t *testing.T) {
	needTool(t, "size", "nm")
	a, b := debian(t, "lib/modules/*/kernel/net")
	c := mustCompare(t, a, b, Options{})
	if c.A.Objects < 100 || c.Totals.Grown == 0 || !c.HasSymbols {
		t.Errorf("%d objects, %+v", c.A.Objects, c.Totals)
	}
	paths := elfFiles(t, b)
	if n := checkSize(t, paths); n != len(paths) {
		t.Errorf("size read %d of %d", n, len(paths))
	}
	symbols := 0
	for i := 0; i < len(paths); i += 24 {
		symbols += checkNM(t, paths[i])
		rel, _ := filepath.Rel(b, paths[i])
		if old := filepath.Join(a, rel); exists(old) {
			checkBloat(t, old, paths[i])
		}
	}
	t.Logf("%d objects, %d symbols, %+v", len(paths), symbols, c.Totals)
}

func exists(p string) bool { _, err := os.Stat(p); return err == nil }

// TestVmlinux checks the kernels with symbols, for those who fetched the debug
// packages too.
func TestVmlinux(t *testing.T) {
	needTool(t, "size", "nm")
	a, b := debian(t, "boot/vmlinuz-*")
	var path []string
	for _, k := range []string{a, b} {
		found, _ := filepath.Glob(filepath.Join(filepath.Dir(k), "..", "usr", "lib", "debug", "boot", "vmlinux-*"))
		if len(found) != 1 {
			t.Skip("no debug packages; scripts/fetch-kernels.sh --debug fetches them (600 MB)")
		}
		path = append(path, found[0])
	}
	checkSize(t, path)
	t.Logf("%d symbols", checkNM(t, path[0])+checkNM(t, path[1]))
	checkBloat(t, path[0], path[1])
	c := mustCompare(t, path[0], path[1], Options{})
	// The very case of the note: .text is aligned to 2 MiB.
	if !hasNote(c, NoteHidden, ".text has the same size in A and B") {
		t.Errorf("notes %+v", c.Notes)
	}
	// Each boot image finds its own, one by its version and one by its build id.
	root := t.TempDir()
	for i, p := range path {
		id := []string{c.A.BuildID, c.B.BuildID}[i]
		link := filepath.Join(root, ".build-id", id[:2], id[2:]+".debug")
		if i == 0 {
			link = filepath.Join(root, "boot", filepath.Base(p))
		}
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(p, link); err != nil {
			t.Fatal(err)
		}
	}
	ro := DefaultReadOptions
	ro.DebugDirs = []string{root}
	boot, err := CompareFiles(a, b, ro, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if boot.Totals != c.Totals {
		t.Errorf("the boot images: %+v, their vmlinux: %+v", boot.Totals, c.Totals)
	}
	t.Logf("%+v", c.Totals)
}
