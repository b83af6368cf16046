package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sizeRun runs "microcost size ..." and gives the status and both streams.
func sizeRun(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = Run(context.Background(), World{
		Args: append([]string{"microcost", "size"}, args...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
	})
	return status, out.String(), errs.String()
}

func TestSizeCommand(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc here")
	}
	dir := t.TempDir()
	object := func(name, source string) string {
		src := filepath.Join(dir, name+".c")
		if err := os.WriteFile(src, []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, name+".o")
		if b, err := exec.Command("gcc", "-O1", "-c", "-o", out, src).CombinedOutput(); err != nil {
			t.Skipf("gcc: %v\n%s", err, b)
		}
		return out
	}
	a := object("a", "int table[10] = {1}; int f(int x) { return x * table[x]; }")
	b := object("b", "int table[20] = {1}; int f(int x) { return x * table[x]; }")
	stripped := filepath.Join(dir, "stripped.o")
	if out, err := exec.Command("strip", "-o", stripped, b).CombinedOutput(); err != nil {
		t.Fatalf("strip: %v\n%s", err, out)
	}
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		args   []string
		status int
		stdout string // contained; "" is silence
		stderr string // contained; "" is silence
	}{
		{"compares", []string{a, b}, 0, "add/remove: 0/0 grow/shrink: 1/0 up/down: 40/-0 (40)", ""},
		{"the same", []string{a, a}, 0, "A and B are the same, byte for byte", ""},
		{"condition holds", []string{"--fail-on", "data>+0", a, b}, 1, "fail-on data>+0: holds (data 40 -> 80, +40)", ""},
		{"condition does not hold", []string{"--fail-on", "symbol:table>+40", a, b}, 0, "does not hold", ""},
		{"one of two holds", []string{"--fail-on", "text>+0", "--fail-on", "symbol:table>+99%", a, b}, 1, "symbol:table>+99%: holds", ""},
		{"condition about nothing", []string{"--fail-on", "symbol:tabel>0", a, b}, 3, "add/remove", "neither side has a symbol tabel"},
		{"condition without symbols", []string{"--fail-on", "symbol:table>0", a, stripped}, 3, "B is stripped", "there are no symbols to compare"},
		{"bad condition", []string{"--fail-on", "data", a, b}, 2, "", "no > or <"},
		{"one file", []string{a}, 2, "", "compares two files, 1 given"},
		{"flag behind the files", []string{a, b, "--top", "3"}, 2, "", "flags go before the files"},
		{"missing file", []string{a, filepath.Join(dir, "none")}, 2, "", "none does not exist"},
		{"no ELF file", []string{a, text}, 2, "", "not an ELF file, an archive or a kernel image"},
		{"directory and file", []string{dir, a}, 2, "", "nothing to match"},
		{"unknown format", []string{"--format", "xml", a, b}, 2, "", `unknown format "xml"`},
		{"unknown group", []string{"--by", "author", a, b}, 2, "", `unknown grouping "author"`},
		{"unknown fold", []string{"--fold", "all", a, b}, 2, "", `unknown fold "all"`},
		{"bad expression", []string{"--match", "(", a, b}, 2, "", "--match"},
		{"negative top", []string{"--top", "-1", a, b}, 2, "", "--top"},
		{"all sections", []string{"--all-sections", a, b}, 0, ".note.GNU-stack", ""},
		{"match", []string{"--match", "^f$", a, b}, 0, "up/down: 0/-0", ""},
		{"by section", []string{"--by", "section", a, b}, 0, "symbols by section", ""},
		{"by file without DWARF", []string{"--by", "file", a, b}, 0, "nothing to group by file", ""},
		{"markdown", []string{"--format", "markdown", a, b}, 0, "| +40 | 40 | 80 | `.data` | `table` |", ""},
		{"lkml", []string{"--format", "lkml", a, b}, 0, "table                                             40        80       +40", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, stdout, stderr := sizeRun(c.args...)
			if status != c.status {
				t.Errorf("status %d, want %d", status, c.status)
			}
			if !strings.Contains(stdout, c.stdout) || (c.stdout == "") != (stdout == "") {
				t.Errorf("standard output is %q, want %q", stdout, c.stdout)
			}
			if !strings.Contains(stderr, c.stderr) || (c.stderr == "") != (stderr == "") {
				t.Errorf("standard error is %q, want %q", stderr, c.stderr)
			}
		})
	}
	t.Run("json", func(t *testing.T) {
		_, stdout, _ := sizeRun("--format", "json", a, b)
		var v struct {
			Format  string
			A, B    struct{ Data int }
			Symbols []struct{ Name string }
		}
		if err := json.Unmarshal([]byte(stdout), &v); err != nil || v.Format != "microcost-size" || v.A.Data != 40 || v.B.Data != 80 || len(v.Symbols) != 1 {
			t.Errorf("%v %+v", err, v)
		}
	})
	t.Run("colour", func(t *testing.T) {
		if _, out, _ := sizeRun("--color", "always", a, b); !strings.Contains(out, "\x1b[31m+40\x1b[0") {
			t.Errorf("no colour: %q", out)
		}
		if _, out, _ := sizeRun(a, b); strings.Contains(out, "\x1b") {
			t.Errorf("colour: %q", out)
		}
	})
}
