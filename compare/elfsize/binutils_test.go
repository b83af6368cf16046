package elfsize

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// needTool skips unless the program is there, and fails where CI promised it.
func needTool(t testing.TB, names ...string) {
	t.Helper()
	for _, n := range names {
		if _, err := exec.LookPath(n); err != nil {
			if os.Getenv("CI") != "" && (n == "size" || n == "nm") {
				t.Fatalf("CI has no %s: %v", n, err)
			}
			t.Skipf("no %s here", n)
		}
	}
}

// elfFiles lists the ELF files and archives below the roots.
func elfFiles(t testing.TB, roots ...string) []string {
	t.Helper()
	var out []string
	for _, root := range roots {
		filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			f, err := os.Open(path)
			if err != nil {
				return nil
			}
			defer f.Close()
			b := make([]byte, 8)
			n, _ := f.Read(b)
			if isELF(b[:n]) || isArchive(b[:n]) {
				out = append(out, path)
			}
			return nil
		})
	}
	return out
}

// run runs a program and gives its standard output; what it says about files
// that it cannot read is in the comparison.
func run(t testing.TB, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && out.Len() == 0 {
		t.Fatalf("%s: %v: %s", name, err, errs.String())
	}
	return out.String()
}

// sizeLines is what size(1) would print of the image without its header.
func sizeLines(m *Image) []string {
	var out []string
	for _, o := range m.Objects {
		b := o.Berkeley()
		name := m.Path
		if m.Kind == Archive {
			name = fmt.Sprintf("%s (ex %s)", memberName(o.Name), m.Path)
		}
		out = append(out, fmt.Sprintf("%d %d %d %d %x %s", b.Text, b.Data, b.BSS, b.Total(), b.Total(), name))
	}
	return out
}

func memberName(s string) string { s, _, _ = strings.Cut(s, " #"); return s }

func checkSize(t *testing.T, paths []string) (checked int) {
	t.Helper()
	for chunk := range slices.Chunk(paths, 200) {
		want := map[string][]string{} // by file
		for _, line := range strings.Split(strings.TrimSpace(run(t, "size", chunk...)), "\n")[1:] {
			f := strings.SplitN(line, "\t", 6)
			if len(f) != 6 {
				t.Fatalf("size printed %q", line)
			}
			for i := range f {
				f[i] = strings.TrimSpace(f[i])
			}
			file := f[5]
			if _, a, ok := strings.Cut(file, " (ex "); ok {
				file = strings.TrimSuffix(a, ")")
			}
			want[file] = append(want[file], strings.Join(f, " "))
		}
		for _, p := range chunk {
			m, err := Read(p, ReadOptions{})
			if err != nil {
				if len(want[p]) > 0 {
					t.Errorf("%v, but size reads it", err)
				}
				continue
			}
			if got := sizeLines(m); len(want[p]) > 0 && !slices.Equal(got, want[p]) {
				t.Errorf("%s:\n got %v\nwant %v", p, got, want[p])
			}
			checked += len(want[p])
		}
	}
	return checked
}

func checkSizeA(t *testing.T, paths []string) (checked int) {
	t.Helper()
	for _, p := range paths {
		m, err := Read(p, ReadOptions{})
		if err != nil || m.Kind != File {
			continue
		}
		var got, want []string
		for _, s := range m.Objects[0].Sections {
			if s.Listed {
				got = append(got, fmt.Sprintf("%s %d %d", s.Name, s.Size, s.Addr))
			}
		}
		for _, line := range strings.Split(run(t, "size", "-A", p), "\n")[2:] {
			f := strings.Fields(line)
			if len(f) < 3 {
				break // Total
			}
			want = append(want, strings.Join(f, " "))
		}
		// size lists a section early when another one refers to it.
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: size -A:\n got %q\nwant %q", p, got, want)
		}
		checked++
	}
	return checked
}

// checkNM compares size, class and name of every symbol that nm sorts by size.
func checkNM(t *testing.T, path string) (checked int) {
	t.Helper()
	m, err := Read(path, ReadOptions{Symbols: true})
	if err != nil {
		t.Errorf("%v", err)
		return 0
	}
	var got, want []string
	for _, o := range m.Objects {
		for _, s := range o.Symbols {
			if s.Size > 0 && !s.Inferred && s.Section >= 0 && !strings.HasPrefix(s.Name, "$") && !strings.HasPrefix(s.Name, ".L") {
				got = append(got, fmt.Sprintf("%x %c %s", s.Size, s.Class, s.Name))
			}
		}
	}
	for _, line := range strings.Split(run(t, "nm", "--size-sort", path), "\n") {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		n, err := strconv.ParseUint(f[0], 16, 64)
		if err != nil {
			continue
		}
		if f[1] == "C" || strings.HasPrefix(f[2], ".L") {
			continue // common: no section
		}
		want = append(want, fmt.Sprintf("%x %s %s", n, f[1], f[2]))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		g, w := diffLines(got, want)
		t.Errorf("%s: nm: %d symbols, want %d\nonly here: %.500q\nonly nm: %.500q", path, len(got), len(want), g, w)
	}
	return len(want)
}

func diffLines(a, b []string) (onlyA, onlyB []string) {
	n := map[string]int{}
	for _, s := range b {
		n[s]++
	}
	for _, s := range a {
		if n[s]--; n[s] < 0 {
			onlyA = append(onlyA, s)
		}
	}
	for s, k := range n {
		for ; k > 0; k-- {
			onlyB = append(onlyB, s)
		}
	}
	return onlyA, onlyB
}

// sample takes about n of the files, or all with MICROCOST_ALL: the whole of a
// distribution takes minutes, most of them in binutils.
func sample(paths []string, n int) []string {
	if os.Getenv("MICROCOST_ALL") != "" || len(paths) <= n {
		return paths
	}
	var out []string
	for i := range n {
		out = append(out, paths[i*len(paths)/n])
	}
	return out
}

func TestSizeOfInstalledFiles(t *testing.T) {
	needTool(t, "size")
	bin := elfFiles(t, "/usr/bin")
	lib := elfFiles(t, "/usr/lib")
	paths := append(bin, sample(lib, 150)...)
	n := checkSize(t, paths)
	t.Logf("%d lines of size in %d files, %d of %d in /usr/lib", n, len(paths), len(paths)-len(bin), len(lib))
	if len(bin) < 100 {
		t.Logf("only %d ELF files in /usr/bin", len(bin))
	}
}

func TestSizeAOfInstalledFiles(t *testing.T) {
	needTool(t, "size")
	some := append(sample(elfFiles(t, "/usr/bin"), 40), sample(elfFiles(t, "/usr/lib"), 40)...)
	t.Logf("size -A of %d files", checkSizeA(t, some))
}

func TestNMOfInstalledFiles(t *testing.T) {
	needTool(t, "nm")
	files, symbols := 0, 0
	paths := append(elfFiles(t, "/usr/bin"), sample(elfFiles(t, "/usr/lib"), 40)...)
	for _, p := range paths {
		if st, err := os.Stat(p); err != nil || st.Size() > 40<<20 {
			continue
		}
		m, err := Read(p, ReadOptions{Symbols: true})
		if err != nil || !slices.ContainsFunc(m.Objects, func(o *Object) bool { return !o.Stripped }) {
			continue
		}
		// nm asks a plugin about LTO bytecode and does not look into debug files.
		if slices.ContainsFunc(m.Objects, func(o *Object) bool { return o.SymbolsFrom != "" || o.isLTO() }) {
			continue
		}
		files++
		symbols += checkNM(t, p)
	}
	t.Logf("%d symbols of %d files", symbols, files)
}
