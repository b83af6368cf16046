package convert

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"microcost/workload/recording"
	"microcost/workload/recording/importer"
)

// ab is a session of two variants in random blocks. The medians of A are 105
// ns elapsed and 1005 cycles, those of B 205 and 2005.
func ab() *recording.Recording {
	r := &recording.Recording{
		Head: recording.Head{Format: recording.Format, Version: recording.Version, Tool: "microcost"},
		Sessions: []recording.Session{{
			Tool: "microcost", Variants: []recording.Variant{{Label: "A"}, {Label: "B"}},
			Plan: recording.Plan{Schedule: recording.RandomBlocks},
			Events: []recording.Event{
				{Name: "elapsed", Source: "run", Unit: "ns", Support: recording.Supported},
				{Name: "cycles", Source: "kernel", Support: recording.Supported},
				{Name: "task-clock", Source: "kernel", Unit: "ns", Support: recording.Supported},
			},
			Env: recording.Env{OS: "linux", Arch: "amd64"},
		}},
	}
	one := func(raw int) *recording.Count {
		return &recording.Count{Raw: uint64(raw), Enabled: 10, Running: 10}
	}
	for v := range 2 {
		r.Samples = append(r.Samples, recording.Sample{Variant: v, Block: -1, WarmUp: true, Counts: []*recording.Count{one(1e9), one(1e9), nil}})
		for i := range 11 {
			cycles := one(1000 * (v + 1))
			cycles.Raw += uint64(i)
			if i == 3 { // counted half of the time
				cycles.Raw, cycles.Running = cycles.Raw/2, 5
			}
			r.Samples = append(r.Samples, recording.Sample{
				Variant: v, Run: i + 1, Block: i / 5, Position: 2*(i%5) + v,
				Counts: []*recording.Count{one(100*(v+1) + i), cycles, one(50 + i)},
			})
		}
	}
	return r
}

func TestGoBench(t *testing.T) {
	var buf bytes.Buffer
	if err := GoBench(&buf, ab()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(buf.String(), "\n")
	want := []string{
		"goos: linux", "goarch: amd64", "cpu: ", "kernel: ", "session: 0", "variant: A",
		"BenchmarkRun 1 100 ns/op 1000 cycles 50 task-clock-ns",
	}
	if diff := cmp.Diff(want, lines[:len(want)]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := strings.Count(buf.String(), "BenchmarkRun"); n != 22 {
		t.Errorf("%d lines, want 22: warm-ups are none", n)
	}
}

// benchstat, the program that the format is for, finds the same medians.
func TestBenchstatReadsGoBench(t *testing.T) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("needs the go command, for go tool benchstat: %v", err)
	}
	path := filepath.Join(t.TempDir(), "bench.txt")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := GoBench(f, ab()); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(goCommand, "tool", "benchstat", "-col", "variant", "-format", "csv", path)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go tool benchstat: %v\n%s", err, &stderr)
	}
	r := csv.NewReader(bytes.NewReader(out))
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][2]float64{}
	unit := ""
	for _, row := range rows {
		if len(row) >= 4 && row[0] == "" {
			unit = row[1]
		}
		if len(row) >= 4 && row[0] == "Run" {
			a, err1 := strconv.ParseFloat(row[1], 64)
			b, err2 := strconv.ParseFloat(row[3], 64)
			if err1 != nil || err2 != nil {
				t.Fatalf("row %q", row)
			}
			got[unit] = [2]float64{a, b}
		}
	}
	want := map[string][2]float64{"sec/op": {105e-9, 205e-9}, "cycles": {1005, 2005}, "task-clock-sec": {55e-9, 55e-9}}
	for u, w := range want {
		g := got[u]
		for i := range 2 {
			if d := g[i] - w[i]; d > 1e-9*w[i] || d < -1e-9*w[i] {
				t.Errorf("median of %s is %v, want %v\n%s", u, g, w, out)
				break
			}
		}
	}
}

func TestGoBenchGoesBackWithItsNames(t *testing.T) {
	in := "BenchmarkA-8 100 12.5 ns/op 3 B/op\nBenchmarkB-8 100 7 ns/op\n"
	r, err := importer.Import(strings.NewReader(in), importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := GoBench(&buf, r); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(buf.String(), "BenchmarkA-8 1 12.5 ns/op 3 B/op\nBenchmarkB-8 1 7 ns/op\n") {
		t.Errorf("%s", &buf)
	}
}

// values lists every value by session, variant, run and event.
func values(r *recording.Recording) []string {
	var list []string
	for _, s := range r.Samples {
		session := &r.Sessions[s.Session]
		for i, c := range s.Counts {
			if v, ok := session.Events[i].Value(c); ok {
				list = append(list, fmt.Sprintf("%s run %d block %d position %d warm-up %v: %s = %.9g %s",
					session.Variants[s.Variant].Label, s.Run, s.Block, s.Position, s.WarmUp, session.Events[i].Name, v, session.Events[i].Unit))
			}
		}
	}
	return list
}

func TestCSVRoundTrip(t *testing.T) {
	var buf bytes.Buffer
	if err := CSV(&buf, ab()); err != nil {
		t.Fatal(err)
	}
	text := buf.String()
	r, err := importer.Import(&buf, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sessions) != 1 || r.Sessions[0].Plan.Schedule != recording.RandomBlocks {
		t.Errorf("%d sessions, schedule %q", len(r.Sessions), r.Sessions[0].Plan.Schedule)
	}
	if diff := cmp.Diff(values(ab()), values(r)); diff != "" {
		t.Errorf("(-written +read):\n%s\n%s", diff, text)
	}
}

func TestCSVOfSequentialRuns(t *testing.T) {
	r := ab()
	r.Sessions[0].Plan.Schedule = recording.Sequential
	var buf bytes.Buffer
	if err := CSV(&buf, r); err != nil {
		t.Fatal(err)
	}
	back, err := importer.Import(&buf, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(back.Sessions) != 2 {
		t.Errorf("%d sessions, want one of each variant", len(back.Sessions))
	}
}

func TestMeansAreNotConverted(t *testing.T) {
	r := ab()
	r.Samples = nil
	r.Summaries = []recording.Summary{{Mean: 1, N: 10}}
	for name, f := range map[string]func() error{
		"Go":  func() error { return GoBench(&bytes.Buffer{}, r) },
		"CSV": func() error { return CSV(&bytes.Buffer{}, r) },
	} {
		if err := f(); !errors.Is(err, ErrNoSamples) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
