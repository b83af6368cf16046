package elfsize

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"microcost/internal/need"
)

// A bloat is what bloat-o-meter says.
type bloat struct {
	add, remove, grow, shrink int
	up, down, before, after   uint64
	rows                      []string // "name old new", sorted
}

// The symbols that the script counts, by nm's letters: now, and before it counted
// weak ones.
const (
	allClasses = "tTdDbBrRvVwW"
	oldClasses = "tTdDbBrR"
)

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

// bloatOfComparison puts FoldNumbers in the same words.
func bloatOfComparison(c *Comparison) bloat {
	x := c.Totals
	r := bloat{x.Added, x.Removed, x.Grown, x.Shrunk, x.Up, x.Down, x.A, x.B, nil}
	for _, s := range c.Symbols {
		side := func(n uint64, count int) string {
			if count == 0 {
				return "-"
			}
			return fmt.Sprint(n)
		}
		if s.Change != Rewritten { // of which the script does not know
			r.rows = append(r.rows, fmt.Sprintf("%s %s %s", s.Name, side(s.A, s.CountA), side(s.B, s.CountB)))
		}
	}
	slices.Sort(r.rows)
	return r
}

var (
	bloatHead  = regexp.MustCompile(`^add/remove: (\d+)/(\d+) grow/shrink: (\d+)/(\d+) up/down: (\d+)/-?(\d+) \((-?\d+)\)$`)
	bloatTotal = regexp.MustCompile(`^Total: Before=(\d+), After=(\d+), chg `)
)

// bloatOfScript runs the kernel's script.
func bloatOfScript(t *testing.T, script, a, b string) bloat {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(run(t, "python3", script, a, b)), "\n")
	head, total := bloatHead.FindStringSubmatch(lines[0]), bloatTotal.FindStringSubmatch(lines[len(lines)-1])
	if head == nil || total == nil {
		t.Fatalf("bloat-o-meter prints %q ... %q", lines[0], lines[len(lines)-1])
	}
	n := func(s string) uint64 {
		v, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	r := bloat{add: int(n(head[1])), remove: int(n(head[2])), grow: int(n(head[3])), shrink: int(n(head[4])),
		up: n(head[5]), down: n(head[6]), before: n(total[1]), after: n(total[2])}
	for _, l := range lines[2 : len(lines)-1] {
		if f := strings.Fields(l); len(f) == 4 {
			r.rows = append(r.rows, strings.Join(f[:3], " "))
		}
	}
	slices.Sort(r.rows)
	return r
}

func checkSameBloat(t *testing.T, what string, got, want bloat) {
	t.Helper()
	if !slices.Equal(got.rows, want.rows) {
		onlyHere, onlyThere := diffLines(got.rows, want.rows)
		t.Errorf("%s: rows only here %.300q, only there %.300q", what, onlyHere, onlyThere)
	}
	got.rows, want.rows = nil, nil
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

// checkBloat compares FoldNumbers with bloat-o-meter: with its arithmetic done
// on nm's output, and that with the script itself, so that both halves are
// checked even by a script that leaves weak symbols out, as Linux 6.1's does. It
// gives what the script said.
func checkBloat(t *testing.T, a, b string) bloat {
	t.Helper()
	needTool(t, "nm", "python3")
	script := need.Cached(t, "kernel-ab/bloat-o-meter", "scripts/kernel-ab.sh")
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	got := bloatOfComparison(mustCompare(t, a, b, Options{Fold: FoldNumbers}))
	checkSameBloat(t, b, got, bloatOf(t, a, b, allClasses))
	said := bloatOfScript(t, script, a, b)
	if strings.Contains(string(text), "vVwW") {
		checkSameBloat(t, b+" and the script", got, said)
	} else {
		checkSameBloat(t, b+" without weak symbols and the script", bloatOf(t, a, b, oldClasses), said)
	}
	return said
}

// TestKnownKernels is about the kernels of docs/kernel-ab.md, of which the
// difference is known: 64 nops in one function, or in one more function.
func TestKnownKernels(t *testing.T) {
	kernel := func(name string) string {
		return need.Cached(t, "kernel-ab/"+name+"-x86_64.vmlinux", "scripts/kernel-ab.sh")
	}
	base := kernel("base")
	b, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	// The values of the document are those of one source and one compiler.
	documented := bytes.Contains(b, []byte("Linux version 6.1.192-base ")) && bytes.Contains(b, []byte("gcc (Debian 12.2.0-14+deb12u1) 12.2.0"))
	if !documented {
		t.Log("another source or compiler than in docs/kernel-ab.md: its totals are not checked")
	}
	for _, c := range []struct {
		name, symbol, section string
		change                Change
		said                  bloat // by bloat-o-meter
		hidden                bool  // by the alignment of .text
	}{
		{"nops", "try_to_wake_up", ".text", Grown, bloat{grow: 1, up: 64, before: 6419320, after: 6419384, rows: []string{"try_to_wake_up 962 1026"}}, true},
		{"layout", "microcost_layout", ".text", Added, bloat{add: 1, up: 75, before: 6419320, after: 6419395, rows: []string{"microcost_layout - 75"}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := kernel(c.name)
			said := checkBloat(t, base, path)
			if documented {
				checkSameBloat(t, "bloat-o-meter and the document", said, c.said)
			}
			if checkSize(t, []string{base, path}) != 2 || checkSizeA(t, []string{base, path}) != 2 {
				t.Error("size does not read them")
			}
			cmp := mustCompare(t, base, path, Options{})
			i := slices.IndexFunc(cmp.Symbols, func(s SymbolDelta) bool { return s.Name == c.symbol })
			if i < 0 || cmp.Symbols[i].Change != c.change || cmp.Symbols[i].Section != c.section {
				t.Fatalf("%s: %+v", c.symbol, cmp.Symbols)
			}
			// A nop is a byte; jumps over them may become longer.
			if d := cmp.Symbols[i].Delta(); d < 64 || d > 96 {
				t.Errorf("%s: %+d bytes by 64 nops", c.symbol, d)
			}
			if c.hidden && documented && !hasNote(cmp, NoteHidden, ".text has the same size in A and B, but 1 symbol in it changed") {
				t.Errorf("notes %+v", cmp.Notes)
			}
			for text, holds := range map[string]bool{"symbol:" + c.symbol + ">+63": true, "symbol:" + c.symbol + ">+96": false, "symbol:schedule>+0": false} {
				cond, err := ParseCondition(text)
				if err != nil {
					t.Fatal(err)
				}
				if f, err := cond.Check(cmp); err != nil || f.Holds != holds {
					t.Errorf("%s: %+v, %v", text, f, err)
				}
			}
			// The image that is booted is of the same sizes, and finds the symbols.
			image := mustCompare(t, strings.TrimSuffix(base, ".vmlinux"), strings.TrimSuffix(path, ".vmlinux"), Options{})
			if image.A.Berkeley != cmp.A.Berkeley || image.B.Berkeley != cmp.B.Berkeley || image.Totals != cmp.Totals {
				t.Errorf("the images: %+v and %+v", image.A, image.B)
			}
			if filepath.Base(image.B.SymbolsFrom) != filepath.Base(path) {
				t.Errorf("the image's symbols are from %q", image.B.SymbolsFrom)
			}
		})
	}
}
