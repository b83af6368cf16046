package workload

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	check := func(in string, want ...string) {
		t.Helper()
		got, err := Split(in)
		if err != nil {
			t.Errorf("Split(%q): %v", in, err)
		} else if !slices.Equal(got, want) {
			t.Errorf("Split(%q) = %q, want %q", in, got, want)
		}
	}
	check("true", "true")
	check("  gzip  -9\t-c  FILE ", "gzip", "-9", "-c", "FILE")
	check(`a 'b c' "d e" f\ g`, "a", "b c", "d e", "f g")
	check(`a "" ''`, "a", "", "")
	check(`a'b'"c"d`, "abcd")
	check(`"a\"b\\c\d"`, `a"b\c\d`)
	check(`a '*' "?" \* '$x' "\$x"`, "a", "*", "?", "*", "$x", "$x")
	check(`a 'x|y' 'é'`, "a", "x|y", "é")
	check("a # comment", "a")
}

func TestSplitRefusesWhatNeedsAShell(t *testing.T) {
	check := func(in, msg string, offset int) {
		t.Helper()
		got, err := Split(in)
		var s *SplitError
		if !errors.As(err, &s) {
			t.Errorf("Split(%q) = %q, %v, want a SplitError", in, got, err)
			return
		}
		if !strings.Contains(s.Msg, msg) || s.Offset != offset {
			t.Errorf("Split(%q): %q at %d, want %q at %d", in, s.Msg, s.Offset, msg, offset)
		}
	}
	check("", "empty", 0)
	check("   ", "empty", 0)
	check("a | b", `"|"`, 2)
	check("a && b", `"&&"`, 2)
	check("a; b", "more than one command", 3)
	check("a &", `"&"`, 2)
	check("a > f", `">"`, 2)
	check("a 2>&1", `">&"`, 2)
	check("a $x", `"$x"`, 2)
	check(`a "x $(b)"`, `"$(b)"`, 5)
	check("a `b`", "`b`", 2)
	check("a *.c", `"*"`, 2)
	check("a x?", `"?"`, 3)
	check("a ~/x", `"~"`, 2)
	check("X=1 a", "variable", 0)
	check("! a", "negation", 0)
	check("if a; then b; fi", "shell construct", 0)
	check("(a)", "shell construct", 0)
	check("a 'b", "cannot be split", 2)
	check("a\x00b", "NUL", 1)
	check("a b\r", "carriage return", 3)
	check("'' x", "name is empty", 0)
}

// What Split makes of a text must be what a shell makes of it, or an error.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{"a b", `a 'b c' "d\"e"`, "a | b", "x\\\ny", `"$x"`, "a\x00", "#", "é ü", `"\` + "\n" + `"`} {
		f.Add(s)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		f.Skip("needs sh to compare with")
	}
	f.Fuzz(func(t *testing.T, s string) {
		words, err := Split(s)
		if (err == nil) == (words == nil) {
			t.Fatalf("Split(%q) = %q, %v: an error or words, not both, not neither", s, words, err)
		}
		if err != nil || len(s) > 200 || strings.Contains(s, "#") {
			return // a comment in front would swallow the eval below
		}
		// The words a shell would pass on, each ended by a NUL.
		cmd := exec.Command(sh, "-c", `set -f; eval "set -- $1"; printf '%s\0' "$@"`, "sh", strings.TrimLeft(s, " \t\n"))
		out, err := cmd.Output()
		if err != nil {
			t.Skip("the shell does not take it")
		}
		if got := strings.Join(words, "\x00") + "\x00"; got != string(out) {
			t.Fatalf("Split(%q) = %q, the shell has %q", s, got, out)
		}
	})
}
