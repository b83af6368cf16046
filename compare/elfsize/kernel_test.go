package elfsize

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// cached finds the one file below the cache that matches the pattern. Without it
// the test is skipped; where CI is set everything was promised, and it fails.
func cached(t *testing.T, pattern, script string) string {
	t.Helper()
	cache := os.Getenv("MICROCOST_CACHE")
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			t.Skip(err)
		}
		cache = filepath.Join(dir, "microcost")
	}
	found, _ := filepath.Glob(filepath.Join(cache, pattern))
	switch {
	case len(found) == 1:
		return found[0]
	case os.Getenv("CI") == "true":
		t.Fatalf("no %s in %s: %s makes it", pattern, cache, script)
	}
	t.Skipf("no %s in %s: %s makes it", pattern, cache, script)
	return ""
}

// debian finds one thing in two kernels of Debian's, the older first.
func debian(t *testing.T, pattern string) (a, b string) {
	t.Helper()
	return cached(t, "guest-kernels/amd64-old/"+pattern, "scripts/fetch-kernels.sh"),
		cached(t, "guest-kernels/amd64-1/"+pattern, "scripts/fetch-kernels.sh")
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

// A bloat is what bloat-o-meter says.
type bloat struct {
	add, remove, grow, shrink int
	up, down, before, after   uint64
	rows                      []string // "name old new", sorted
}

// bloatOf computes it from nm, as the script does: names without .NUMBER,
// generated ones left out, sizes of one name summed.
func bloatOf(t *testing.T, a, b, classes string) bloat {
	t.Helper()
	sizes := func(path string) map[string]uint64 {
		m := map[string]uint64{}
		for _, line := range strings.Split(run(t, "nm", "--size-sort", path), "\n") {
			f := strings.Fields(line)
			if len(f) != 3 || strings.Contains(line, ":") || !strings.Contains(classes, f[1]) || generated(f[2]) {
				continue
			}
			n, err := strconv.ParseUint(f[0], 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			m[allNumbers.ReplaceAllString(f[2], "")] += n
		}
		return m
	}
	old, now := sizes(a), sizes(b)
	var r bloat
	for n, s := range old {
		r.before += s
		v, ok := now[n]
		switch {
		case !ok:
			r.remove++
			r.down += s
			r.rows = append(r.rows, fmt.Sprintf("%s %d -", n, s))
		case v != s:
			if v > s {
				r.grow++
				r.up += v - s
			} else {
				r.shrink++
				r.down += s - v
			}
			r.rows = append(r.rows, fmt.Sprintf("%s %d %d", n, s, v))
		}
	}
	for n, s := range now {
		r.after += s
		if _, ok := old[n]; !ok {
			r.add++
			r.up += s
			r.rows = append(r.rows, fmt.Sprintf("%s - %d", n, s))
		}
	}
	slices.Sort(r.rows)
	return r
}

// checkBloat compares FoldNumbers with bloat-o-meter: its arithmetic, and the
// script itself where the kernel's source is installed.
func checkBloat(t *testing.T, a, b string) {
	t.Helper()
	c := mustCompare(t, a, b, Options{Fold: FoldNumbers})
	x := c.Totals
	got := bloat{x.Added, x.Removed, x.Grown, x.Shrunk, x.Up, x.Down, x.A, x.B, nil}
	for _, s := range c.Symbols {
		side := func(n uint64, count int) string {
			if count == 0 {
				return "-"
			}
			return fmt.Sprint(n)
		}
		got.rows = append(got.rows, fmt.Sprintf("%s %s %s", s.Name, side(s.A, s.CountA), side(s.B, s.CountB)))
	}
	slices.Sort(got.rows)
	want := bloatOf(t, a, b, "tTdDbBrRvVwW")
	if !slices.Equal(got.rows, want.rows) {
		onlyHere, onlyThere := diffLines(got.rows, want.rows)
		t.Errorf("%s: rows only here %.300q, only of bloat-o-meter %.300q", b, onlyHere, onlyThere)
	}
	got.rows, want.rows = nil, nil
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %+v, bloat-o-meter %+v", b, got, want)
	}
	script := bloatScript()
	if _, err := exec.LookPath("python3"); script == "" || err != nil {
		return
	}
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	// Before Linux 6.6 weak symbols are left out.
	classes := "tTdDbBrR"
	if strings.Contains(string(text), "vVwW") {
		classes = "tTdDbBrRvVwW"
	}
	want = bloatOf(t, a, b, classes)
	lines := strings.Split(strings.TrimSpace(run(t, "python3", script, a, b)), "\n")
	head := fmt.Sprintf("add/remove: %d/%d grow/shrink: %d/%d up/down: %d/%d (%d)",
		want.add, want.remove, want.grow, want.shrink, want.up, -int64(want.down), int64(want.up-want.down))
	if lines[0] != head {
		t.Errorf("%s:\n got %s\nwant %s", b, head, lines[0])
	}
	if total := fmt.Sprintf("Total: Before=%d, After=%d, chg ", want.before, want.after); !strings.HasPrefix(lines[len(lines)-1], total) {
		t.Errorf("%s:\n got %s\nwant %s", b, total, lines[len(lines)-1])
	}
	var rows []string
	for _, l := range lines[2 : len(lines)-1] {
		if f := strings.Fields(l); len(f) == 4 {
			rows = append(rows, strings.Join(f[:3], " "))
		}
	}
	slices.Sort(rows)
	if !slices.Equal(rows, want.rows) {
		t.Errorf("%s: the rows of the script differ", b)
	}
}

// bloatScript finds the script in an installed kernel source.
func bloatScript() string {
	if s := os.Getenv("MICROCOST_BLOAT_O_METER"); s != "" {
		return s
	}
	for _, pattern := range []string{"/usr/src/linux-*/scripts/bloat-o-meter", "/lib/modules/*/source/scripts/bloat-o-meter"} {
		if m, _ := filepath.Glob(pattern); len(m) > 0 {
			return m[len(m)-1]
		}
	}
	return ""
}
