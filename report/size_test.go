package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"

	"microcost/compare/elfsize"
)

var sizeUpdate = flag.Bool("size.update", false, "write the golden files of the size reports")

// sizeExample has a row of every kind, and names that are not to be trusted.
func sizeExample() *SizeDocument {
	hostile := "evil\x1b[31m|`name`\n_*x*_\xff\u202e"
	return &SizeDocument{
		Comparison: &elfsize.Comparison{
			A:    elfsize.Side{Path: "old/vmlinux", Kind: elfsize.File, Berkeley: elfsize.Berkeley{Text: 1000000, Data: 2000, BSS: 300}, Objects: 1, Machine: "x86_64, 64-bit, little-endian"},
			B:    elfsize.Side{Path: "new/" + strings.Repeat("long/", 20) + "vmlinux", Kind: elfsize.File, Berkeley: elfsize.Berkeley{Text: 1000064, Data: 2000, BSS: 200}, Objects: 1, Machine: "x86_64, 64-bit, little-endian"},
			Fold: elfsize.FoldClones,
			Sections: []elfsize.SectionDelta{
				{Name: ".text", Kind: elfsize.Text, A: 1000000, B: 1000064, AddrA: 0x1000, AddrB: 0x1000, CountA: 1, CountB: 1},
				{Name: ".new", Kind: elfsize.Data, B: 5, CountB: 1},
				{Name: ".comment", A: 7, CountA: 1},
			},
			HasSymbols: true,
			Symbols: []elfsize.SymbolDelta{
				{Name: "try_to_wake_up", Change: elfsize.Grown, A: 1280, B: 1344, CountA: 2, CountB: 3, ClonesA: 1, ClonesB: 2, Section: ".text"},
				{Name: "gone", Change: elfsize.Removed, A: 60, CountA: 1, Section: ".text"},
				{Name: hostile, Change: elfsize.Added, B: 50, CountB: 1, Section: ".text"},
				{Name: "asm_entry", Change: elfsize.Shrunk, A: 48, B: 40, CountA: 1, CountB: 1, Section: ".entry.text", Inferred: true},
				{Name: strings.Repeat("a_very_long_name_", 8), Change: elfsize.Grown, A: 1, B: 2, CountA: 1, CountB: 1, Section: ".data"},
				{Name: "new_name", OldName: "old_name", Change: elfsize.Renamed, A: 32, B: 32, CountA: 1, CountB: 1, Section: ".text"},
				{Name: "same_size", Change: elfsize.Rewritten, A: 32, B: 32, CountA: 1, CountB: 1, Section: ".text"},
			},
			Totals: elfsize.Totals{Added: 1, Removed: 1, Grown: 2, Shrunk: 1, Renamed: 1, Rewritten: 1, Up: 115, Down: 68, A: 9000, B: 9047},
			By:     elfsize.ByFile,
			Groups: []elfsize.GroupDelta{{Name: "kernel/sched/core.c", A: 5000, B: 5064, CountA: 10, CountB: 11}, {Name: "", A: 9, B: 7, CountA: 1, CountB: 1}},
			Notes:  []elfsize.Note{{Kind: elfsize.NoteHidden, Text: ".text has the same size in A and B, but 2 symbols in it changed (+64/-8 bytes): alignment hides it"}},
		},
		Findings: []elfsize.Finding{
			{Condition: "text>+0", Holds: true, What: "text", A: 1000000, B: 1000064},
			{Condition: "symbol:*>+1KiB", What: "*"},
		},
		AllSections: true,
	}
}

func TestSizeGoldens(t *testing.T) {
	for name, render := range map[string]func(*bytes.Buffer) error{
		"size.txt":       func(b *bytes.Buffer) error { return SizeText(b, sizeExample(), TextOptions{Width: 80}) },
		"size-color.txt": func(b *bytes.Buffer) error { return SizeText(b, sizeExample(), TextOptions{Width: 100, Color: true}) },
		"size.md":        func(b *bytes.Buffer) error { return SizeMarkdown(b, sizeExample()) },
		"size.json":      func(b *bytes.Buffer) error { return SizeJSON(b, sizeExample()) },
		"size.lkml": func(b *bytes.Buffer) error {
			d := sizeExample()
			d.Top = 3
			return SizeLKML(b, d)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := render(&b); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name)
			if *sizeUpdate {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), b.String()); d != "" {
				t.Errorf("%s, -want +got:\n%s", path, d)
			}
		})
	}
}

// Whatever the names are, no control character leaves, and no line is wider
// than asked.
func TestSizeHostileNames(t *testing.T) {
	for _, width := range []int{40, 60, 72, 80, 120, 200} {
		var b bytes.Buffer
		if err := SizeText(&b, sizeExample(), TextOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		sizeCheckClean(t, b.String())
		for _, l := range strings.Split(b.String(), "\n") {
			// Tables of numbers have a width of their own.
			if w := runewidth.StringWidth(l); w > max(width, 72) {
				t.Errorf("%d columns, want %d: %q", w, width, l)
			}
		}
	}
	var b bytes.Buffer
	if err := SizeLKML(&b, sizeExample()); err != nil {
		t.Fatal(err)
	}
	sizeCheckClean(t, b.String())
	for _, l := range strings.Split(b.String(), "\n") {
		if w := runewidth.StringWidth(l); w > 72 || strings.HasSuffix(l, " ") {
			t.Errorf("%d columns: %q", w, l)
		}
	}
	b.Reset()
	if err := SizeMarkdown(&b, sizeExample()); err != nil {
		t.Fatal(err)
	}
	sizeCheckClean(t, b.String())
	for _, l := range strings.Split(b.String(), "\n") {
		if strings.Contains(l, "evil") && strings.Count(strings.ReplaceAll(l, `\|`, ""), "|") != 6 {
			t.Errorf("the name ends its cell: %q", l)
		}
	}
}

func sizeCheckClean(t *testing.T, s string) {
	t.Helper()
	for _, r := range s {
		if r != '\n' && !safe(r) {
			t.Errorf("%q is written", r)
			return
		}
	}
}

func TestSizeJSONIsComplete(t *testing.T) {
	var b bytes.Buffer
	d := sizeExample()
	d.Top = 2
	if err := SizeJSON(&b, d); err != nil {
		t.Fatal(err)
	}
	var v struct {
		Format  string
		Symbols []struct {
			Name  string
			A, B  *uint64
			Delta int64
		}
		Left   int                    `json:"symbols_left_out"`
		FailOn []struct{ Holds bool } `json:"fail_on"`
	}
	if err := json.Unmarshal(b.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	if v.Format != "microcost-size" || len(v.Symbols) != 2 || v.Left != 5 || !v.FailOn[0].Holds {
		t.Errorf("%+v", v)
	}
	if v.Symbols[1].B != nil || *v.Symbols[1].A != 60 || v.Symbols[1].Delta != -60 {
		t.Errorf("a removed symbol: %+v", v.Symbols[1])
	}
}

// A name that is valid text comes out of the JSON as it was, and no character of
// it moves a terminal.
func TestSizeJSONNames(t *testing.T) {
	name := "c1\u009b31m bidi\u202e esc\x1b[0m del\x7f tag\U000E0041 é日"
	d := sizeExample()
	d.Comparison.Symbols[0].Name = name
	var b bytes.Buffer
	if err := SizeJSON(&b, d); err != nil {
		t.Fatal(err)
	}
	sizeCheckClean(t, b.String())
	var v struct{ Symbols []struct{ Name string } }
	if err := json.Unmarshal(b.Bytes(), &v); err != nil || v.Symbols[0].Name != name {
		t.Errorf("%v, %q, want %q", err, v.Symbols[0].Name, name)
	}
}

func TestSizeFit(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"short", 10, "short"},
		{"0123456789", 10, "0123456789"},
		{"0123456789a", 10, "0123...89a"},
		{"日本語日本語", 9, "日...本語"},
		{"abcdef", 4, "abcd"},
	} {
		if got := sizeFit(c.in, c.width, "..."); got != c.want && runewidth.StringWidth(got) > c.width {
			t.Errorf("%q in %d: %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

func TestSizePercent(t *testing.T) {
	for _, c := range []struct {
		a, b uint64
		want string
	}{
		{0, 0, "0.00%"}, {0, 1, "inf"}, {100, 100, "0.00%"}, {100, 101, "+1.00%"}, {200, 100, "-50.00%"},
		{42284345, 42282491, "-0.004%"}, {1 << 62, 1<<62 + 1<<40, "+0.00002%"},
	} {
		if got := sizePercent(c.a, c.b); got != c.want {
			t.Errorf("%d to %d: %s, want %s", c.a, c.b, got, c.want)
		}
	}
}
