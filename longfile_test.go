package main

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"microcost/workload/recording"
)

// mostMemory is what docs/recording.md promises for comparing a recording of any
// length, in MiB.
const mostMemory = 200

// A recording of a million runs is compared in the memory of one of a quarter of
// that, and rightly: B is 0.1 % slower by the clock, and no different in page
// faults.
func TestLongRecordingsInBoundedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 180 MB")
	}
	dir := t.TempDir()
	// The race detector would need more than what is measured.
	plain := filepath.Join(dir, "microcost")
	build := exec.Command("go", "build", "-o", plain, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	peak := func(args ...string) (mib float64, stdout []byte) {
		t.Helper()
		c := exec.Command("workload", append([]string{"peak", plain}, args...)...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOMEMLIMIT=off", "GOGC=100")
		var out, errs bytes.Buffer
		c.Stdout, c.Stderr = &out, &errs
		if err := c.Run(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, errs.Bytes())
		}
		kib, err := strconv.ParseFloat(strings.TrimSpace(errs.String()), 64)
		if err != nil {
			t.Fatal(err)
		}
		return kib / 1024, out.Bytes()
	}
	const quarter, million = 250_000, 1_000_000
	writeLong(t, filepath.Join(dir, "quarter.json"), quarter, "A", "B")
	writeLong(t, filepath.Join(dir, "million.json"), million, "A", "B")
	small, _ := peak("report", "quarter.json")
	large, out := peak("report", "--format", "json", "million.json")
	t.Logf("report: %.0f MiB for %d runs, %.0f MiB for %d", small, quarter, large, million)
	if large > mostMemory || large > 1.3*small {
		t.Errorf("%d runs take %.0f MiB, want at most %d and no more than the %.0f MiB of %d runs", million, large, mostMemory, small, quarter)
	}
	var r struct {
		Variants []struct{ Runs int }
		Metrics  []struct {
			Name   string
			Deltas []struct {
				Verdict                 string
				Estimate, Lo, Hi, Floor float64
			}
		}
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Variants {
		if v.Runs != million/2 {
			t.Errorf("%d runs of a variant, want %d", v.Runs, million/2)
		}
	}
	for _, m := range r.Metrics {
		d := m.Deltas[0]
		switch m.Name {
		case "elapsed":
			if truth := math.Log(1.001); d.Verdict != "more" || math.Abs(d.Estimate-truth) > 2*d.Floor || d.Floor > .0003 {
				t.Errorf("elapsed: %s by %.6f, floor %.6f; it is %.6f", d.Verdict, d.Estimate, d.Floor, truth)
			}
		case "page-faults":
			if d.Verdict != "not different" {
				t.Errorf("page-faults: %s", d.Verdict)
			}
		default:
			t.Errorf("there is a metric %s", m.Name)
		}
	}

	const apartRuns = 300_000
	// The same apart: one variant in each file, which decides nothing.
	writeLong(t, filepath.Join(dir, "base.json"), apartRuns, "base")
	writeLong(t, filepath.Join(dir, "patched.json"), apartRuns, "patched")
	apart, _ := peak("compare", "base.json", "patched.json")
	t.Logf("compare: %.0f MiB for twice %d runs", apart, apartRuns)
	if apart > mostMemory {
		t.Errorf("two files of %d runs take %.0f MiB, want at most %d", apartRuns, apart, mostMemory)
	}
}

// writeLong writes a session of n runs in all, in random blocks when there are
// two variants. Every second variant is 0.1 % slower.
func writeLong(t *testing.T, path string, n int, labels ...string) {
	t.Helper()
	w, err := recording.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	s := recording.Session{
		Started: time.Now(), Tool: "microcost test", Plan: recording.Plan{Schedule: recording.RandomBlocks, BlockSize: 5},
		Env: recording.Env{BootID: labels[0]},
		Events: []recording.Event{
			{Name: "elapsed", Source: "run", Unit: "ns", Support: recording.Supported},
			{Name: "page-faults", Source: "kernel", Support: recording.Supported},
		},
	}
	if len(labels) == 1 {
		s.Plan.Schedule = recording.Sequential
	}
	for _, l := range labels {
		s.Variants = append(s.Variants, recording.Variant{Label: l, Text: "true"})
	}
	if err := w.Session(s); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	size := 5 * len(labels)
	order := make([]int, size)
	for i := range n {
		if i%size == 0 {
			for k := range order {
				order[k] = k % len(labels)
			}
			rng.Shuffle(size, func(a, b int) { order[a], order[b] = order[b], order[a] })
		}
		v := order[i%size]
		x := 1e6 * math.Exp(.02*rng.NormFloat64()) * (1 + .001*float64(v))
		smp := recording.Sample{
			Variant: v, Run: i/len(labels) + 1, Block: i / size, Position: i % size, Start: time.Duration(i) * time.Millisecond,
			Counts: []*recording.Count{{Raw: uint64(x)}, {Raw: 80 + uint64(rng.IntN(3)), Enabled: time.Duration(x), Running: time.Duration(x)}},
		}
		if err := w.Sample(smp); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(recording.End{Reason: recording.EndComplete}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
