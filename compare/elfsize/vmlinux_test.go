package elfsize

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// buildTree lays a program out as a kernel tree: vmlinux at its top and an image
// that is made of it in arch/xxx/boot.
func buildTree(t *testing.T, vmlinux, arch, name string, image []byte) string {
	t.Helper()
	root := t.TempDir()
	b, err := os.ReadFile(vmlinux)
	if err != nil {
		t.Fatal(err)
	}
	boot := filepath.Join(root, "arch", arch, "boot")
	if err := os.MkdirAll(boot, 0o755); err != nil {
		t.Fatal(err)
	}
	for p, data := range map[string][]byte{filepath.Join(root, "vmlinux"): b, filepath.Join(boot, name): image} {
		if err := os.WriteFile(p, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(boot, name)
}

// A bzImage in the tree that it was built in has the symbols of its vmlinux.
func TestBootImageInItsTree(t *testing.T) {
	needTool(t, "strip")
	a := compile(t, "prog", base, "-Wl,--build-id")
	b := compile(t, "prog", strings.Replace(base, "table[10]", "table[20]", 1), "-Wl,--build-id")
	image := func(path string) []byte {
		stripped := filepath.Join(t.TempDir(), "stripped")
		run(t, "strip", "-o", stripped, path)
		data, err := os.ReadFile(stripped)
		if err != nil {
			t.Fatal(err)
		}
		return bzImage(gz(t, data), len(data))
	}
	x, y := buildTree(t, a, "x86", "bzImage", image(a)), buildTree(t, b, "x86", "bzImage", image(b))
	// arch/x86_64/boot/bzImage is a link.
	linked := filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(y))), "x86_64", "boot")
	if err := os.MkdirAll(linked, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(linked, "bzImage")
	if err := os.Symlink("../../x86/boot/bzImage", link); err != nil {
		t.Fatal(err)
	}
	c := mustCompare(t, x, link, Options{})
	if !c.HasSymbols || c.Totals.Up != 40 || c.Symbols[0].Name != "table" {
		t.Errorf("%+v, notes %+v", c.Totals, c.Notes)
	}
	// The vmlinux of another build is not its own.
	z := buildTree(t, a, "x86", "bzImage", image(b))
	if c := mustCompare(t, x, z, Options{}); c.HasSymbols || !hasNote(c, NoteStripped, "B is stripped") {
		t.Errorf("another build's symbols: %+v", c.Notes)
	}
}

// An arm64 Image stands for the vmlinux that it was made from.
func TestFlatImage(t *testing.T) {
	needTool(t, "objcopy")
	a := compile(t, "prog", base, "-Wl,--build-id")
	b := compile(t, "prog", strings.Replace(base, "table[10]", "table[20]", 1), "-Wl,--build-id")
	image := func(path string) []byte {
		flat := filepath.Join(t.TempDir(), "flat")
		run(t, "objcopy", "-O", "binary", path, flat)
		data, err := os.ReadFile(flat)
		if err != nil {
			t.Fatal(err)
		}
		head := make([]byte, 64)
		copy(head[56:], "ARM\x64")
		return append(head, data...)
	}
	x := buildTree(t, a, "arm64", "Image", image(a))
	for name, y := range map[string]string{
		"Image":    buildTree(t, b, "arm64", "Image", image(b)),
		"Image.gz": buildTree(t, b, "arm64", "Image.gz", gz(t, image(b))),
	} {
		c := mustCompare(t, x, y, Options{})
		if c.A.Berkeley != mustRead(t, a, DefaultReadOptions).Berkeley() || c.Totals.Up != 40 {
			t.Errorf("%s: %+v", name, c)
		}
		if !hasNote(c, NoteVmlinux, "B is an arm64 Image, which has no sections: they are those of /") {
			t.Errorf("%s: notes %+v", name, c.Notes)
		}
	}
	for name, y := range map[string]string{
		"another build": buildTree(t, a, "arm64", "Image", image(b)),
		"no tree":       write(t, "Image", image(b)),
	} {
		if _, err := Read(y, DefaultReadOptions); err == nil || !strings.Contains(err.Error(), "an arm64 Image has no sections") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
