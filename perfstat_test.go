package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"microcost/internal/need"
	"microcost/workload/recording"
)

// needPerf skips where perf is not installed; make test installs it, so that in
// CI its absence is a failure.
func needPerf(t *testing.T) {
	t.Helper()
	if err := exec.Command("perf", "stat", "-e", "page-faults", "true").Run(); err != nil {
		need.Unmet(t, "perf stat", fmt.Sprintf("make tools installs it (%v)", err))
	}
}

// perfStat counts a command by perf stat.
func perfStat(t *testing.T, events []string, command ...string) map[string]float64 {
	t.Helper()
	file := filepath.Join(t.TempDir(), "perf.csv")
	args := slices.Concat([]string{"stat", "-x", ";", "-o", file, "-e", strings.Join(events, ",")}, command)
	if out, err := exec.Command("perf", args...).CombinedOutput(); err != nil {
		t.Fatalf("perf stat: %v\n%s", err, out)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, line := range strings.Split(string(b), "\n") {
		f := strings.Split(line, ";")
		if len(f) < 4 {
			continue
		}
		v, err := strconv.ParseFloat(f[0], 64)
		if err != nil {
			t.Fatalf("perf stat printed %q", line)
		}
		if f[1] == "msec" {
			v *= 1e6
		}
		values[f[2]] = v
	}
	return values
}

// ours counts the same command by this program.
func ours(t *testing.T, events []string, command ...string) map[string]float64 {
	t.Helper()
	c := program(t, slices.Concat([]string{"record", "--runs", "1", "--warmup", "0", "-o", "r.jsonl", "-e", strings.Join(events, ","), "--"}, command)...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rec, err := recording.ReadFile(filepath.Join(c.Dir, "r.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for i, e := range rec.Sessions[0].Events {
		if n := rec.Samples[0].Counts[i]; n != nil {
			values[e.Name] = float64(n.Raw)
		}
	}
	return values
}

// pairs is how often a command is counted by each side.
const pairs = 7

// The same command, counted in turn by perf stat and by this program: what both
// say must agree. A machine that is busy with other things moves a clock by
// more than the methods differ, so a disagreement must show three times.
func TestCountsAgreeWithPerfStat(t *testing.T) {
	needPerf(t)
	workload, err := exec.LookPath("workload")
	if err != nil {
		t.Fatal(err)
	}
	// rank picks one of the sorted values of each side.
	check := func(tolerance map[string]float64, rank int, command ...string) {
		t.Helper()
		var events []string
		for e := range tolerance {
			events = append(events, e)
		}
		slices.Sort(events)
		var wrong []string
		for range 3 {
			theirs, own := map[string][]float64{}, map[string][]float64{}
			for range pairs {
				for e, v := range perfStat(t, events, command...) {
					theirs[e] = append(theirs[e], v)
				}
				for e, v := range ours(t, events, command...) {
					own[e] = append(own[e], v)
				}
			}
			wrong = nil
			for _, e := range events {
				if len(theirs[e]) != pairs || len(own[e]) != pairs {
					t.Fatalf("%s of %v: %d values of perf, %d of ours", e, command, len(theirs[e]), len(own[e]))
				}
				slices.Sort(theirs[e])
				slices.Sort(own[e])
				a, b := theirs[e][rank], own[e][rank]
				line := fmt.Sprintf("%s of %v: perf stat %.0f, microcost %.0f (%+.3f %%)", e, command, a, b, 100*(b/a-1))
				t.Log(line)
				if d := b/a - 1; d > tolerance[e] || d < -tolerance[e] {
					wrong = append(wrong, line)
				}
			}
			if wrong == nil {
				return
			}
		}
		for _, line := range wrong {
			t.Error(line)
		}
	}
	check(map[string]float64{"page-faults": 0.01, "task-clock": 0.05}, pairs/2, workload, "crowd", "6")
	// Whatever else runs on the CPU can only add switches: the least are the
	// program's own.
	check(map[string]float64{"context-switches": 0.001}, 0, "taskset", "-c", "0", "perf", "bench", "sched", "pipe", "-l", "20000")
}
