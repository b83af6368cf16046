package importer

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"microcost/workload/recording"
)

var update = flag.Bool("update", false, "write testdata/*.want instead of comparing with them")

// describe writes what a recording says, one number after the other as
// compare computes them.
func describe(r *recording.Recording) string {
	var b strings.Builder
	for _, s := range r.Sessions {
		fmt.Fprintf(&b, "session %d: %s, %s", s.ID, s.Imported, s.Plan.Schedule)
		if !s.Started.IsZero() {
			fmt.Fprintf(&b, ", started %s", s.Started.Format("2006-01-02 15:04:05"))
		}
		b.WriteString("\n")
		for i, e := range s.Events {
			fmt.Fprintf(&b, "  %s [%s]", e.Name, e.Unit)
			if e.Scale != 0 {
				fmt.Fprintf(&b, " scale %g", e.Scale)
			}
			for _, more := range []string{e.Source, e.Domain, e.Reason} {
				if more != "" {
					fmt.Fprintf(&b, ", %s", more)
				}
			}
			b.WriteString("\n")
			for v, variant := range s.Variants {
				var values []string
				for _, m := range r.Samples {
					if m.Session == s.ID && m.Variant == v {
						values = append(values, number(e, m.Counts[i]))
					}
				}
				if len(values) > 0 {
					fmt.Fprintf(&b, "    %q: %s\n", variant.Label, strings.Join(values, " "))
				}
				for _, m := range r.Summaries {
					if m.Session == s.ID && m.Variant == v && m.Event == i {
						fmt.Fprintf(&b, "    %q: mean %.10g of %d", variant.Label, m.Mean, m.N)
						if m.StdErr != nil {
							fmt.Fprintf(&b, " +- %.6g (printed to %.1g)", *m.StdErr, m.StdErrDigit)
						}
						if m.Share != 0 {
							fmt.Fprintf(&b, ", counted %.4g", m.Share)
						}
						b.WriteString("\n")
					}
				}
			}
		}
		for _, m := range r.Samples {
			if m.Session == s.ID && (m.Start != 0 || m.Exit != 0 || m.Failed || s.Plan.Schedule == recording.RandomBlocks) {
				fmt.Fprintf(&b, "  run %d of %d: block %d, position %d, start %v, exit %d, failed %v\n",
					m.Run, m.Variant, m.Block, m.Position, m.Start, m.Exit, m.Failed)
			}
		}
	}
	return b.String()
}

func number(e recording.Event, c *recording.Count) string {
	switch {
	case c == nil:
		return "-"
	case c.Running == 0:
		return "<not counted>"
	}
	v := float64(c.Raw)
	if e.Scale != 0 {
		v *= e.Scale
	}
	if c.Running < c.Enabled {
		share := float64(c.Running) / float64(c.Enabled)
		return fmt.Sprintf("%.0f (%.4f)", v/share, share)
	}
	return fmt.Sprintf("%.12g", v)
}

// TestFiles reads every file in testdata; NAME.want says what must come out.
// Those of perf 6.1, hackbench and hyperfine were written by these programs,
// the others follow the output of other versions and locales.
func TestFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range files {
		if strings.HasSuffix(path, ".want") {
			continue
		}
		info, err := os.Stat(path)
		if err != nil || info.IsDir() {
			continue
		}
		n++
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := Import(f, Options{})
		f.Close()
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		got := describe(rec)
		if *update {
			if err := os.WriteFile(path+".want", []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path + ".want")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	if n < 25 {
		t.Errorf("only %d files", n)
	}
}

// What was imported is a recording like any other.
func TestImportedIsWrittenAndReadAgain(t *testing.T) {
	for _, in := range corpus(t) {
		rec, err := Import(bytes.NewReader(in), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var buf bytes.Buffer
		if _, err := rec.WriteTo(&buf); err != nil {
			t.Fatal(err)
		}
		again, err := Import(&buf, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rec, again); diff != "" {
			t.Errorf("(-first +again):\n%s", diff)
		}
	}
}

func corpus(t testing.TB) [][]byte {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for _, path := range files {
		if info, err := os.Stat(path); err != nil || info.IsDir() || strings.HasSuffix(path, ".want") {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data)
	}
	return all
}

func TestCompressed(t *testing.T) {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	z.Write([]byte("Time: 0.5\nTime: 0.25\n"))
	z.Close()
	rec, err := Import(&buf, Options{})
	if err != nil || len(rec.Samples) != 2 {
		t.Errorf("%v, %v", rec, err)
	}
}

// A recording whose first line is damaged is still known by the second.
func TestRecordingsAreRead(t *testing.T) {
	rec := &recording.Recording{Sessions: []recording.Session{{Tool: "x", Variants: []recording.Variant{{}}}}, Samples: []recording.Sample{{Run: 1}, {Run: 2}}}
	var buf bytes.Buffer
	if _, err := rec.WriteTo(&buf); err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]string{"whole": buf.String(), "damaged head": "#" + buf.String()} {
		got, err := Import(strings.NewReader(in), Options{})
		if err != nil || len(got.Samples) != 2 || (len(got.Damage) == 1) != (name == "damaged head") {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestOptions(t *testing.T) {
	data, err := os.ReadFile("testdata/perf61-comma-repeat.csv")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := Import(bytes.NewReader(data), Options{Label: "base", Runs: 3})
	if err != nil {
		t.Fatal(err)
	}
	if l, n := rec.Sessions[0].Variants[0].Label, rec.Summaries[0].N; l != "base" || n != 3 {
		t.Errorf("label %q, %d runs", l, n)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", "the file is empty"},
		{"prose", "hello\nworld\n", "not a recording: no output of"},
		{"binary", "\x7fELF\x00\x01", "not a recording"},
		{"JSON of others", `{"a":1}`, "not a recording"},
		{"header only", " Performance counter stats for 'x':\n\n", "holds no measurement"},
		{"nothing supported", " Performance counter stats for 'x' (3 runs):\n\n <not supported>  cycles\n", "holds no measurement"},
		{"no runs", " Performance counter stats for 'x' (0 runs):\n", "line 1: 0 runs"},
		{"too large", " Performance counter stats for 'x':\n\n 99999999999999999999999 cycles\n", "line 3: number"},
		{"impossible share", " Performance counter stats for 'x':\n\n 12 cycles (120.00%)\n", "line 3: \"(120.00%)\" is no share"},
		{"units differ", "variant,a\nA,1\n{\n", "CSV"},
		{"negative", "variant,cycles\nA,-1\n", "CSV: line 2: cycles: not a number"},
		{"not a number", "variant,cycles\nA,1\nA,abc\n", "CSV: line 3: cycles"},
		{"NaN", "variant,cycles\nA,NaN\n", "CSV: line 2: cycles"},
		{"two of a name", "variant,cycles,cycles\nA,1,2\n", "two columns are named"},
		{"two of a metric", "variant,x_ms,x (s)\nA,1,2\n", "two columns are about"},
		{"too few fields", "variant,cycles\nA\n", "wrong number of fields"},
		{"no variant", "variant,cycles\n,1\n", "the variant has no name"},
		{"header of CSV only", "variant,cycles\n", "holds no measurement"},
		{"hyperfine cut short", `{"results": [{"command": "x", "times": [1.0,`, "hyperfine JSON: unexpected end"},
		{"hyperfine of nothing", `{"results": []}`, "holds no measurement"},
		{"perf JSON cut short", "{\"counter-value\" : \"1.0\", \"unit\"\n", "perf stat JSON: line 1"},
	} {
		rec, err := Import(strings.NewReader(c.in), Options{})
		if rec != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %q", c.name, rec, err, c.want)
		}
		var pe *ParseError
		var fe *recording.FormatError
		if !errors.As(err, &pe) && !errors.As(err, &fe) {
			t.Errorf("%s: error of type %T", c.name, err)
		}
	}
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestSizeIsLimited(t *testing.T) {
	_, err := Import(zeros{}, Options{})
	if err == nil || !strings.Contains(err.Error(), "larger than the 64 MiB") {
		t.Errorf("endless file: %v", err)
	}
}

func TestParseDecimal(t *testing.T) {
	for _, c := range []struct {
		in   string
		mark byte
		want float64
	}{
		{"1,374,978,900", point, 1374978900}, {"1.374.978.900", comma, 1374978900}, {"630.908390", point, 630.90839},
		{"19.730,56", comma, 19730.56}, {"1 630,91", comma, 1630.91}, {"1’000.5", point, 1000.5}, {"0", point, 0},
		{"18446744073709551615", point, math.NaN()}, {"1.2.3", point, math.NaN()}, {"", point, math.NaN()},
		{",5", point, math.NaN()}, {"-1", point, math.NaN()}, {"1e5", point, math.NaN()},
	} {
		got, err := parseDecimal(c.in, c.mark)
		if math.IsNaN(c.want) != (err != nil) || err == nil && got.float() != c.want {
			t.Errorf("parseDecimal(%q, %q) = %v, %v; want %v", c.in, c.mark, got, err, c.want)
		}
	}
}

func FuzzImport(f *testing.F) {
	for _, in := range corpus(f) {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) > 1<<16 {
			return
		}
		rec, err := Import(bytes.NewReader(in), Options{})
		if (rec == nil) == (err == nil) {
			t.Fatalf("recording %v and error %v", rec, err)
		}
		if err != nil {
			return
		}
		var buf bytes.Buffer
		if _, err := rec.WriteTo(&buf); err != nil {
			t.Fatal(err)
		}
		again, err := recording.Read(&buf)
		if err != nil || len(again.Damage) > 0 || len(again.Samples) != len(rec.Samples) || len(again.Summaries) != len(rec.Summaries) {
			t.Fatalf("what was imported cannot be read again: %v", err)
		}
	})
}

// Whatever is larger than a measurement can be is one short error, and the reader
// goes no further.
func TestLimits(t *testing.T) {
	many := func(n int, line func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i))
		}
		return b.String()
	}
	const header = " Performance counter stats for 'x':\n\n"
	for want, text := range map[string]string{
		"more than 1048576 lines": many(maxLines+1, func(int) string { return "\n" }),
		"line 2 is longer":        "variant,x\nA," + strings.Repeat("9", maxLength) + "\n",
		"more than 4096 sessions": "variant,x\n" + many(maxColumns+1, func(i int) string { return fmt.Sprintf("v%d,1\n", i) }),
		"more than 4096 events":   many(maxColumns+1, func(i int) string { return fmt.Sprintf("BenchmarkX%d 1 5 ns/op\n", i) }),
		"line 4099: more than":    header + many(maxColumns+1, func(i int) string { return fmt.Sprintf("   5 ev%d\n", i) }),
		"more than 2097152 values": "variant,block," + many(999, func(i int) string { return fmt.Sprintf("c%d,", i) }) + "c\n" +
			many(2100, func(i int) string { return "A,1" + strings.Repeat(",1", 1000) + "\n" }),
		"runs are too many":       `{"results":[{"command":"x","mean":1,"times":[1` + strings.Repeat(",1", maxCells) + `]}]}`,
		"more than 4096 commands": `{"results":[{"command":"x","mean":1}` + strings.Repeat(`,{"command":"x","mean":1}`, maxColumns) + `]}`,
		"... (2000000 bytes)":     `{"results":[{"command":"x","mean":1,"times":[` + strings.Repeat("1", 2000000) + `]}]}`,
		"invalid number literal":  `{"results":[{"command":"x","mean":"` + strings.Repeat("a", 2000000) + `"}]}`,
	} {
		rec, err := Import(strings.NewReader(text), Options{})
		if rec != nil || err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 700 {
			t.Errorf("%s: %.200v", want, err)
		}
	}
}
