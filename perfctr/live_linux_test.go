package perfctr

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"microcost/internal/need"

	"golang.org/x/sys/unix"
)

// needCounting skips where the calling user may not count context switches.
func needCounting(t *testing.T) {
	t.Helper()
	s := Probe([]Event{one(t, Host(), "context-switches")}, Command())[0]
	if s.Status != Yes {
		need.Unmet(t, "counting context switches", s.Reason)
	}
}

// needTracefs mounts tracefs for the test when it is not mounted.
func needTracefs(t *testing.T) {
	t.Helper()
	if _, err := Host().tracefs(); err == nil {
		return
	}
	dir := t.TempDir()
	if err := unix.Mount("tracefs", dir, "tracefs", 0, ""); err != nil {
		need.Unmet(t, "tracefs, or the right to mount it", err.Error())
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Errorf("unmounting tracefs: %v", err)
		}
	})
	if _, err := Host().tracefs(); err != nil {
		t.Fatalf("tracefs is mounted on %s and not found: %v", dir, err)
	}
}

// packHost probes and packs a list on this machine.
func packHost(t testing.TB, list string, target Target) *Packing {
	t.Helper()
	events, err := Parse(list)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Pack(Probe(events, target), PackOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// countRun counts one run of a command.
func countRun(t testing.TB, p *Packing, cmd *exec.Cmd) map[string]Reading {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s, err := Open(p, 0, Command())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	all, err := s.Read()
	if err != nil {
		t.Fatal(err)
	}
	readings := map[string]Reading{}
	for i, r := range all {
		readings[p.Events[i].Name] = r
	}
	return readings
}

// perfRun counts one run of a command with perf stat.
func perfRun(t *testing.T, list string, cmd *exec.Cmd) map[string]float64 {
	t.Helper()
	out := filepath.Join(t.TempDir(), "stat")
	args := append([]string{"perf", "stat", "-x", ";", "-o", out, "-e", list, "--"}, cmd.Args...)
	perf := exec.Command(args[0], args[1:]...)
	perf.Env = cmd.Env
	if text, err := perf.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, text)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]float64{}
	for _, line := range strings.Split(string(text), "\n") {
		f := strings.Split(line, ";")
		if len(f) < 3 {
			continue
		}
		v, err := strconv.ParseFloat(f[0], 64)
		if err != nil {
			continue // <not supported>
		}
		if f[1] == "msec" {
			v *= 1e6
		}
		counts[f[2]] = v
	}
	return counts
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// sideBySide runs a child under perf stat and under this package in turn, until
// the medians of every event agree within its tolerance, in 5 to 25 pairs: the
// machine may be busy with other things.
func sideBySide(t *testing.T, child string, within map[string]float64, slack float64) {
	t.Helper()
	if _, err := exec.LookPath("perf"); err != nil {
		need.Unmet(t, "perf, to compare with", "Debian: apt-get install linux-perf")
	}
	needCounting(t)
	var names []string
	for name := range within {
		names = append(names, name)
	}
	slices.Sort(names)
	list := strings.Join(names, ",")
	p := packHost(t, list, Command())
	h, err := KeepReady(p)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	ours, perfs := map[string][]float64{}, map[string][]float64{}
	for pair := 1; pair <= 25; pair++ {
		r := countRun(t, p, childCommand(child))
		ref := perfRun(t, list, childCommand(child))
		good := true
		for _, name := range names {
			want, ok := ref[name]
			if !ok || r[name].State != Counted || r[name].Multiplexed() {
				t.Fatalf("%s: perf says %v (%v), we say %+v", name, want, ok, r[name])
			}
			ours[name] = append(ours[name], float64(r[name].Raw))
			perfs[name] = append(perfs[name], want)
			a, b := median(ours[name]), median(perfs[name])
			good = good && abs(a-b) <= within[name]*b+slack
		}
		if good && pair >= 5 {
			break
		}
	}
	for _, name := range names {
		a, b := median(ours[name]), median(perfs[name])
		t.Logf("%-32s perf %14.0f  ours %14.0f  %+.3f %%  (%d pairs, within %g %%)", name, b, a, 100*(a-b)/max(b, 1), len(ours[name]), 100*within[name])
		if abs(a-b) > within[name]*b+slack {
			t.Errorf("%s: perf %.0f, ours %.0f", name, b, a)
		}
	}
}

func abs(x float64) float64 { return max(x, -x) }

// TestPageFaultsLikePerf: a program with processes and threads.
func TestPageFaultsLikePerf(t *testing.T) {
	sideBySide(t, "family", map[string]float64{"page-faults": 0.01, "minor-faults": 0.01}, 0)
}

func TestContextSwitchesLikePerf(t *testing.T) {
	sideBySide(t, "pingpong", map[string]float64{"context-switches": 0.001}, 0)
}

func TestTaskClockLikePerf(t *testing.T) {
	sideBySide(t, "spin", map[string]float64{"task-clock": 0.05, "cpu-clock": 0.05}, 0)
}

// TestSoftwareEventsLikePerf: every software event on a program that does a
// known number of things. Events that happen a handful of times may differ by
// some.
func TestSoftwareEventsLikePerf(t *testing.T) {
	if runtime.NumCPU() < 2 {
		need.Unmet(t, "two CPUs", "to migrate between")
	}
	within := map[string]float64{}
	for _, g := range generics() {
		if g.source == SourceKernel && g.typ == typeSoftware {
			within[g.name] = 0.02
		}
	}
	within["task-clock"], within["cpu-clock"], within["context-switches"] = 0.10, 0.10, 0.10
	sideBySide(t, "mix", within, 10)
}

// TestTracepointsLikePerf: twenty tracepoints.
func TestTracepointsLikePerf(t *testing.T) {
	needTracefs(t)
	if runtime.NumCPU() < 2 {
		need.Unmet(t, "two CPUs", "to migrate between")
	}
	within := map[string]float64{}
	for _, name := range []string{"raw_syscalls:sys_enter", "raw_syscalls:sys_exit",
		"syscalls:sys_enter_getppid", "syscalls:sys_exit_getppid", "syscalls:sys_enter_read", "syscalls:sys_exit_read",
		"syscalls:sys_enter_write", "syscalls:sys_enter_openat", "syscalls:sys_enter_close", "syscalls:sys_enter_mmap",
		"syscalls:sys_enter_munmap", "syscalls:sys_enter_sched_setaffinity", "sched:sched_process_fork",
		"sched:sched_process_exec", "sched:sched_process_exit", "sched:sched_wakeup_new",
		"task:task_newtask"} {
		within[name] = 0.02
	}
	for _, name := range []string{"sched:sched_switch", "sched:sched_wakeup", "sched:sched_waking"} {
		within[name] = 0.15 // who preempts whom is not the program's to say
	}
	sideBySide(t, "mix", within, 3)
}
