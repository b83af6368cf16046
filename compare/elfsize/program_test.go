package elfsize

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// compile makes a program or object of C source, in its own directory.
func compile(t testing.TB, name, source string, flags ...string) string {
	t.Helper()
	needTool(t, "gcc")
	dir := t.TempDir()
	src := filepath.Join(dir, name+".c")
	if err := os.WriteFile(src, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, name)
	cmd := exec.Command("gcc", append(append([]string{"-O2", "-fno-inline", "-fno-ipa-icf", "-fcf-protection=none", "-o", out}, flags...), name+".c")...)
	cmd.Dir = dir
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("gcc cannot build for this test: %v\n%s", err, b)
	}
	return out
}

const base = `
volatile int sink; int table[10] = {1}; int space[100]; int spare[3];
static const int squares[4] = {0, 1, 4, 9};
__attribute__((noinline)) int callee(int x) { sink = x; return sink * 3; }
__attribute__((noinline)) static int helper(int x) { for (int i = 0; i < x; i++) sink += callee(i) ^ table[i & 7]; return sink; }
__attribute__((noinline)) int work(int x) { return helper(x) + squares[x & 3] + space[x & 31]; }
int main(int argc, char **argv) { return work(argc); }
`

// TestKnownChanges compiles a program before and after a change of which the
// effect is known.
func TestKnownChanges(t *testing.T) {
	top, before := t, map[string]string{}
	for _, c := range []struct {
		name     string
		from, to string // replaced in base
		want     []string
		code     bool // the change is one of code: try other code models as well
	}{
		{"nothing", "", "", nil, false},
		{"data grows", "table[10]", "table[20]", []string{"grown table 40 80"}, false},
		{"bss shrinks", "space[100]", "space[50]", []string{"shrunk space 400 200"}, false},
		{"read-only data grows", "squares[4]", "squares[8]", []string{"grown squares 16 32"}, false},
		{"a variable is added", "volatile int sink;", "volatile int sink; int more[7];", []string{"added more 0 28"}, false},
		{"a variable is removed", " int spare[3];", "", []string{"removed spare 12 0"}, false},
		{"a static function is renamed", "helper", "assistant", []string{"renamed helper=assistant"}, true},
		{"a constant is changed", "* 3", "* 9", []string{"rewritten callee"}, true},
		{"nops are added", "{ sink = x;", "{ asm volatile(\".rept 64; nop; .endr\"); sink = x;", []string{"grown callee +64"}, true},
	} {
		for _, kind := range []struct {
			name  string
			flags []string
		}{{"program", nil}, {"object", []string{"-c"}}, {"no-pie", []string{"-no-pie", "-fno-pie"}}, {"32-bit object", []string{"-c", "-m32"}}} {
			if strings.Contains(kind.name, "-") && !c.code {
				continue
			}
			t.Run(c.name+" in a "+kind.name, func(t *testing.T) {
				a := before[kind.name]
				if a == "" {
					a = compile(top, "prog", base, kind.flags...)
					before[kind.name] = a
				}
				after := base
				if c.from != "" {
					after = strings.ReplaceAll(base, c.from, c.to)
				}
				b := compile(t, "prog", after, kind.flags...)
				var got []string
				cmp := mustCompare(t, a, b, Options{})
				for _, s := range cmp.Symbols {
					switch {
					case s.Change == Renamed:
						got = append(got, fmt.Sprintf("renamed %s=%s", s.OldName, s.Name))
					case s.Change == Rewritten:
						got = append(got, "rewritten "+s.Name)
					case strings.HasPrefix(c.name, "nops"):
						got = append(got, fmt.Sprintf("%s %s %+d", s.Change, s.Name, s.Delta()))
					default:
						got = append(got, fmt.Sprintf("%s %s %d %d", s.Change, s.Name, s.A, s.B))
					}
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("rows %q, want %q", got, c.want)
				}
				// A name is not loaded.
				if cmp.Identical != (c.from == "") && cmp.Totals.Renamed == 0 {
					t.Errorf("identical: %v", cmp.Identical)
				}
				checkSize(t, []string{a, b})
			})
		}
	}
}

// TestHidden is the case of a kernel whose sections are aligned: 64 more bytes
// of code in a section that is as large as before.
func TestHidden(t *testing.T) {
	spec := simple(2, leOrder, 62)
	a := write(t, "a", spec.build())
	spec.syms[1].size -= 20
	c := mustCompare(t, a, write(t, "b", spec.build()), Options{})
	if c.A.Berkeley != c.B.Berkeley || len(c.Symbols) != 1 {
		t.Fatalf("%+v", c)
	}
	if !hasNote(c, NoteHidden, ".text has the same size in A and B, but 1 symbol in it changed (+0/-20 bytes)") {
		t.Errorf("notes %+v", c.Notes)
	}
	// The note is about the image, whatever is shown of it.
	c = mustCompare(t, a, write(t, "b", spec.build()), Options{Match: regexp.MustCompile("nothing")})
	if len(c.Symbols) != 0 || !hasNote(c, NoteHidden, "1 symbol") {
		t.Errorf("filtered: %+v %+v", c.Symbols, c.Notes)
	}
	spec = simple(2, leOrder, 62)
	spec.secs[0].data[3]++
	c = mustCompare(t, a, write(t, "c", spec.build()), Options{})
	if !hasNote(c, NoteHidden, "the code of 1 function is not") {
		t.Errorf("notes %+v", c.Notes)
	}
}

func hasNote(c *Comparison, k NoteKind, text string) bool {
	return slices.ContainsFunc(c.Notes, func(n Note) bool { return n.Kind == k && strings.Contains(n.Text, text) })
}

func TestRenameIsUnambiguous(t *testing.T) {
	// Two functions with one body each way: nobody can tell which is which.
	body := code(32)
	two := append(slices.Clone(body), body...)
	spec := simple(2, leOrder, 62)
	spec.secs[0].data = two
	spec.syms = []symSpec{fn("p", 1, 0x10000, 32), fn("q", 1, 0x10020, 32)}
	a := write(t, "a", spec.build())
	spec.syms[0].name, spec.syms[1].name = "r", "s"
	c := mustCompare(t, a, write(t, "b", spec.build()), Options{})
	if c.Totals.Renamed != 0 || c.Totals.Added != 2 || c.Totals.Removed != 2 {
		t.Errorf("%+v", c.Totals)
	}
	// Too short to be recognised.
	spec.syms = []symSpec{fn("p", 1, 0x10000, minRenamed-1)}
	a = write(t, "a", spec.build())
	spec.syms[0].name = "r"
	if c := mustCompare(t, a, write(t, "b", spec.build()), Options{}); c.Totals.Renamed != 0 {
		t.Errorf("%+v", c.Totals)
	}
	spec.syms[0].size = minRenamed
	b := write(t, "b", spec.build())
	spec.syms[0].name = "p"
	if c := mustCompare(t, write(t, "a", spec.build()), b, Options{}); c.Totals.Renamed != 1 {
		t.Errorf("%+v", c.Totals)
	}
}

func TestFilters(t *testing.T) {
	a := compile(t, "prog", base)
	b := compile(t, "prog", strings.NewReplacer("table[10]", "table[20]", "space[100]", "space[50]", "squares[4]", "squares[8]").Replace(base))
	names := func(o Options) string {
		var out []string
		for _, s := range mustCompare(t, a, b, o).Symbols {
			out = append(out, s.Name)
		}
		return strings.Join(out, " ")
	}
	if got := names(Options{}); got != "space table squares" {
		t.Errorf("all, by effect: %s", got)
	}
	if got := names(Options{Sections: []string{".data", ".rodata"}}); got != "table squares" {
		t.Errorf("--section: %s", got)
	}
	if got := names(Options{Match: regexp.MustCompile("^s")}); got != "space squares" {
		t.Errorf("--match: %s", got)
	}
	for _, o := range []Options{{Sections: []string{".dtaa"}}, {Match: regexp.MustCompile("nothing")}, {Sections: []string{".data"}, Match: regexp.MustCompile("space")}} {
		if c := mustCompare(t, a, b, o); len(c.Symbols) != 0 || !hasNote(c, NoteFilter, "either side") {
			t.Errorf("%+v: notes %+v", o, c.Notes)
		}
	}
	// There, and the same.
	if c := mustCompare(t, a, b, Options{Sections: []string{".text"}, Match: regexp.MustCompile("^work$")}); hasNote(c, NoteFilter, "") {
		t.Errorf("notes %+v", c.Notes)
	}
	c := mustCompare(t, a, b, Options{By: BySection})
	var got []string
	for _, g := range c.Groups {
		got = append(got, fmt.Sprintf("%s%+d", g.Name, g.Delta()))
	}
	if s := strings.Join(got, " "); s != ".bss-200 .data+40 .rodata+16" {
		t.Errorf("--by section: %s", s)
	}
}

func TestSourceFiles(t *testing.T) {
	for _, flags := range [][]string{{"-g"}, {"-g", "-gz=zlib"}, {"-gdwarf-4"}, {"-g", "-c"}, {"-g", "-ffunction-sections", "-c"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			a := compile(t, "prog", base, flags...)
			b := compile(t, "prog", strings.Replace(base, "table[10]", "table[20]", 1), flags...)
			ro := DefaultReadOptions
			ro.SourceFiles = true
			c, err := CompareFiles(a, b, ro, Options{By: ByFile})
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Groups) != 1 || c.Groups[0].Name != "prog.c" || c.Groups[0].Delta() != 40 {
				t.Errorf("%+v, notes %+v", c.Groups, c.Notes)
			}
			if c.Symbols[0].File != "prog.c" {
				t.Errorf("%+v", c.Symbols[0])
			}
		})
	}
	t.Run("none", func(t *testing.T) {
		a := compile(t, "prog", base)
		ro := DefaultReadOptions
		ro.SourceFiles = true
		c, err := CompareFiles(a, a, ro, Options{By: ByDir})
		if err != nil || c.Groups != nil || !hasNote(c, NoteNoDWARF, "nothing to group by dir") {
			t.Errorf("%v %+v", err, c)
		}
	})
}

func TestDebugFiles(t *testing.T) {
	needTool(t, "objcopy", "strip")
	a := compile(t, "prog", base, "-g", "-Wl,--build-id")
	want := mustRead(t, a, DefaultReadOptions).Objects[0]
	dir := t.TempDir()
	stripped := filepath.Join(dir, "prog")
	debug := filepath.Join(dir, "prog.debug")
	run(t, "objcopy", "--only-keep-debug", a, debug)
	run(t, "strip", "-o", stripped, a)
	same := func(t *testing.T, o *Object, from string) {
		t.Helper()
		if o.Stripped || o.SymbolsFrom != from {
			t.Fatalf("stripped %v, symbols from %q, want %q", o.Stripped, o.SymbolsFrom, from)
		}
		bodies := map[string]Symbol{}
		for _, s := range want.Symbols {
			bodies[s.Name] = s
		}
		for _, s := range o.Symbols {
			w := bodies[s.Name]
			if s.Size != w.Size || s.Class != w.Class || s.Body != w.Body {
				t.Errorf("%+v, want %+v", s, w)
			}
		}
	}
	t.Run("stripped", func(t *testing.T) {
		o := DefaultReadOptions
		o.DebugDirs = nil
		m := mustRead(t, stripped, o)
		if !m.Objects[0].Stripped {
			t.Error("not stripped")
		}
		c, err := CompareFiles(stripped, a, o, Options{})
		if err != nil || c.HasSymbols || len(c.Symbols) > 0 || !hasNote(c, NoteStripped, "A is stripped") {
			t.Errorf("%v %+v", err, c)
		}
	})
	t.Run("build id", func(t *testing.T) {
		root := t.TempDir()
		p := filepath.Join(root, ".build-id", want.BuildID[:2], want.BuildID[2:]+".debug")
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(debug, p); err != nil {
			t.Fatal(err)
		}
		o := DefaultReadOptions
		o.DebugDirs = []string{root}
		same(t, mustRead(t, stripped, o).Objects[0], p)
		// And the source files, which are in the debug file only.
		o.SourceFiles = true
		for _, s := range mustRead(t, stripped, o).Objects[0].Symbols {
			if s.Name == "work" && s.File != "prog.c" {
				t.Errorf("work is in %q", s.File)
			}
		}
	})
	t.Run("debuglink", func(t *testing.T) {
		linked := filepath.Join(dir, "linked")
		run(t, "objcopy", "--remove-section=.note.gnu.build-id", stripped, linked)
		run(t, "objcopy", "--add-gnu-debuglink="+debug, linked)
		same(t, mustRead(t, linked, DefaultReadOptions).Objects[0], debug)
		// Another build under the same name is not it.
		b, _ := os.ReadFile(debug)
		b = append(b, 0)
		if err := os.WriteFile(debug, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if o := mustRead(t, linked, DefaultReadOptions).Objects[0]; !o.Stripped {
			t.Error("a debug file with another checksum is used")
		}
	})
}

func TestConditions(t *testing.T) {
	a := compile(t, "prog", base)
	b := compile(t, "prog", strings.NewReplacer("table[10]", "table[20]", "space[100]", "space[50]").Replace(base))
	c := mustCompare(t, a, b, Options{Match: regexp.MustCompile("nothing")})
	for _, x := range []struct {
		text  string
		holds bool
	}{
		{"symbol:table>+0", true}, {"symbol:table>+39", true}, {"symbol:table>+40", false}, {"symbol:table<+40", false}, {"symbol:table<+41", true},
		{"symbol:table>+99%", true}, {"symbol:table>+100%", false}, {"symbol:table > 0.01KiB", false},
		{"symbol:space<0", true}, {"symbol:space<-199", true}, {"symbol:space<-200", false}, {"symbol:space<-49%", true},
		{"symbol:work>0", false}, {"symbol:work<0", false}, {"symbol:*>+39", true}, {"symbol:*>+40", false},
		{"data>+0", true}, {"text>+0", false}, {"bss<0", true}, {"total>-1000000", true}, {"dec<-1000000", false},
		{"symbols<0", true}, {"section:.data>+0", true}, {"section:.text>+0", false},
	} {
		cond, err := ParseCondition(strings.ReplaceAll(x.text, "0.01KiB", "1KiB"))
		if err != nil {
			t.Errorf("%s: %v", x.text, err)
			continue
		}
		f, err := cond.Check(c)
		if err != nil || f.Holds != x.holds {
			t.Errorf("%s: %+v, %v", x.text, f, err)
		}
	}
	for _, s := range []string{"", "text", "text>", ">0", "text>x", "text>+0.5", "txt>0", "symbol:>0", "thing:x>0", "text>1e3x", "text>NaN", "text=0", "text>+1xyz"} {
		if cond, err := ParseCondition(s); err == nil {
			t.Errorf("%q parses to %+v", s, cond)
		}
	}
	for _, s := range []string{"symbol:tabel>0", "section:.txt>0"} {
		cond, err := ParseCondition(s)
		if err != nil {
			t.Fatal(err)
		}
		if f, err := cond.Check(c); err == nil {
			t.Errorf("%s, which does not exist: %+v", s, f)
		}
	}
	// A symbol of one side alone has size 0 on the other.
	cond, _ := ParseCondition("symbol:added>+50%")
	f, err := cond.Check(&Comparison{HasSymbols: true, Fold: FoldClones, sums: map[string]sizes{"added": {0, 10}}})
	if err != nil || !f.Holds {
		t.Errorf("added: %+v %v", f, err)
	}
	if _, err := cond.Check(&Comparison{}); err == nil {
		t.Error("a symbol condition without symbols is no error")
	}
}
