package main

import (
	"context"
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"microcost/internal/need"
	"microcost/internal/tinyelf"
	"microcost/workload"
	"microcost/workload/guest"
	"microcost/workload/recording"
)

// The only PMU that is the same on every machine is the emulated one of the arm64
// guest: it counts instructions, and exactly. What needs a PMU is tested there.

// arm64Kernel is the kernel that is booted for its PMU.
func arm64Kernel(t *testing.T) string {
	t.Helper()
	needQEMU(t, guest.ARM64)
	return need.Debian(t, "arm64-1")
}

// loopInstructions is how many instructions the program of arm64Loop has in user
// mode, from its first to its last: two to load the number, two for each round,
// and three to exit.
func loopInstructions(rounds uint64) uint64 { return 2 + 2*rounds + 3 }

// arm64Loop writes a program for arm64 that goes round that often.
func arm64Loop(t *testing.T, path string, rounds uint32) {
	t.Helper()
	arm64Program(t, path, tinyelf.LoopCode(elf.EM_AARCH64, rounds))
}

func arm64Program(t *testing.T, path string, code []byte) {
	t.Helper()
	if err := os.WriteFile(path, tinyelf.Program(elf.EM_AARCH64, code, ""), 0o755); err != nil {
		t.Fatal(err)
	}
}

// arm64Test builds the tests of a package for the guest.
func arm64Test(t *testing.T, dir, pkg string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.Base(pkg)+".test")
	c := exec.Command("go", "test", "-c", "-trimpath", "-ldflags=-s -w", "-o", path, pkg)
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=arm64", "GOFLAGS=")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("building the tests of %s for arm64: %v\n%s", pkg, err, out)
	}
	return path
}

// counted are the values of one sample by event; an event that was not open in the
// run has none. A counter that did not run the whole time fails the test.
func counted(t *testing.T, events []recording.Event, s recording.Sample) map[string]uint64 {
	t.Helper()
	values := map[string]uint64{}
	for i, e := range events {
		c := s.Counts[i]
		if c == nil {
			continue
		}
		// Of a cgroup the kernel takes the time of a software event some microseconds
		// late.
		whole := c.Running == c.Enabled || e.Name == "task-clock" && float64(c.Running) > 0.99*float64(c.Enabled)
		if e.Source == "kernel" && (!whole || c.Running == 0) {
			t.Errorf("%s ran for %v of %v", e.Name, c.Running, c.Enabled)
		}
		values[e.Name] = c.Raw
	}
	return values
}

// moreThanFit are hardware events of which the emulated PMU holds no more than a
// part at once.
const moreThanFit = "instructions,instructions:u,instructions:k,armv8_pmuv3/inst_retired/,r8:u,armv8_pmuv3/event=0x08,name=raw/,cycles," +
	"armv8_pmuv3/inst_retired/u,cycles:u,cycles:k"

// TestKernelHardwareEvents: what `microcost kernel` counts with the PMU of the
// guest is right to the instruction, what the PMU does not have is absent, and
// what it does not hold at once takes turns, the same for both kernels.
func TestKernelHardwareEvents(t *testing.T) {
	kernel := arm64Kernel(t)
	dir := t.TempDir()
	loop, out := filepath.Join(dir, "loop"), filepath.Join(dir, "r.jsonl")
	arm64Loop(t, loop, 1_000_000)
	c := kernelCommand(t, "--boots", "1", "--repeats", "4", "--warmup", "0", "--seed", "3", "--quiet", "-o", out,
		"-e", moreThanFit+",branch-misses,L1-dcache-load-misses,page-faults", "--add", loop, kernel, kernel, "--", "/bin/loop")
	text, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !strings.Contains(string(text), "take turns in 2 groups") {
		t.Errorf("nothing is said of turns:\n%s", text)
	}
	rec, err := recording.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var turns [2][]string // of each session, run by run: which events were open
	seen := map[string]bool{}
	for _, s := range rec.Samples {
		events := rec.Sessions[s.Session].Events
		v := counted(t, events, s)
		for name := range v {
			seen[name] = true
		}
		turns[s.Session] = append(turns[s.Session], strings.Join(openIn(events, s), " "))
		checkLoop(t, v, 1_000_000)
	}
	if len(turns[0]) != 4 || !slices.Equal(turns[0], turns[1]) || len(slices.Compact(slices.Sorted(slices.Values(turns[0])))) != 2 {
		t.Errorf("the turns of both kernels:\n%q\n%q", turns[0], turns[1])
	}
	for _, e := range rec.Sessions[0].Events {
		absent := e.Name == "branch-misses" || e.Name == "L1-dcache-load-misses"
		if absent != (e.Support == recording.NotSupported) || absent != !seen[e.Name] || absent != strings.Contains(e.Reason, "does not count it") {
			t.Errorf("%s: %s, has a value: %v, %q", e.Name, e.Support, seen[e.Name], e.Reason)
		}
	}
}

// openIn names the events that were open in a run.
func openIn(events []recording.Event, s recording.Sample) []string {
	var names []string
	for i, e := range events {
		if s.Counts[i] != nil {
			names = append(names, e.Name)
		}
	}
	return names
}

// checkLoop compares the counts of one run of a loop with what they must be.
func checkLoop(t *testing.T, v map[string]uint64, rounds uint64) {
	t.Helper()
	want := loopInstructions(rounds)
	for _, name := range []string{"instructions:u", "r8:u", "armv8_pmuv3/inst_retired/u", "cycles:u"} {
		// The kernel's entry and exit are not exactly where the mode changes.
		if n, ok := v[name]; ok && (n < want || n > want+100) {
			t.Errorf("%s of a loop of %d instructions: %d", name, want, n)
		}
	}
	if all, ok := v["instructions"]; ok {
		if both := v["instructions:u"] + v["instructions:k"]; all != both {
			t.Errorf("instructions %d, in user and kernel mode %d", all, both)
		}
		for _, name := range []string{"armv8_pmuv3/inst_retired/", "raw"} {
			if n, ok := v[name]; ok && n != all {
				t.Errorf("instructions %d, %s %d", all, name, n)
			}
		}
	}
}

// TestOnPMU boots a guest that runs TestInGuest and the tests of perfctr that need a
// PMU, with the real binary.
func TestOnPMU(t *testing.T) {
	kernel := arm64Kernel(t)
	image, err := guest.ReadImage(kernel)
	if err != nil {
		t.Fatal(err)
	}
	self, err := staticBinary()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program, err := guest.ProgramSource{Executable: self, Cache: dir, Env: os.Environ()}.Program(context.Background(), guest.ARM64)
	if err != nil {
		t.Fatal(err)
	}
	tests := arm64Test(t, dir, "microcost")
	files := []guest.File{{Source: tests, Path: "/bin/tests"}, {Source: arm64Test(t, dir, "microcost/perfctr"), Path: "/bin/perfctr.test"}}
	arm64Loop(t, filepath.Join(dir, "loop"), 1_000_000)
	arm64Loop(t, filepath.Join(dir, "long"), 10_000_000)
	arm64Program(t, filepath.Join(dir, "spin"), tinyelf.Endless(elf.EM_AARCH64))
	for _, name := range []string{"loop", "long", "spin"} {
		files = append(files, guest.File{Source: filepath.Join(dir, name), Path: "/bin/" + name})
	}
	const execs = "sched:sched_process_exec"
	ran := -1
	s := guest.Series{
		Kernels: []guest.Kernel{{Label: "A", Image: image}}, Program: program, Files: files, Runs: []string{tests}, Seed: 1,
		Machine: guest.Machine{Engine: guest.Emulate}, Env: os.Environ(), Dir: dir,
		Limits: guest.Timeouts{Boot: 2 * time.Minute, Run: 20 * time.Minute}, // one run is all the tests
		Plan: guest.Plan{Repeats: 1, Events: []string{execs}, Variant: workload.Variant{
			Label: "A", Argv: []string{"/bin/tests", "-test.run", "^TestInGuest$"}, Env: []string{inGuest + "=1", "CI=true"},
		}},
		Next:  func(done int) int { return 1 - done },
		Hello: func(_ guest.Boot, h *guest.Hello) error { return nil },
		Sample: func(_ guest.Boot, smp recording.Sample) error {
			ran = int(smp.Counts[0].Raw)
			return nil
		},
	}
	if err := s.Run(context.Background()); err != nil {
		var boot *guest.BootError
		if errors.As(err, &boot) {
			t.Log(strings.Join(boot.Console, "\n"))
		}
		t.Fatal(err)
	}
	if ran < 20 {
		t.Errorf("the tests in the guest have run %d programs", ran)
	}
	t.Logf("%d programs were run in the guest", ran)
}
