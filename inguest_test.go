package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"microcost/workload/recording"
)

// inGuest is set for tests that run inside a guest.
const inGuest = "MICROCOST_TEST_IN_GUEST"

// guestRun is microcost in the guest, where it is the first process too.
func guestRun(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.Command("/init", args...)
	c.Dir = t.TempDir()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return string(out)
}

// guestRecord records in the guest.
func guestRecord(t *testing.T, args ...string) (*recording.Recording, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.jsonl")
	text := guestRun(t, slices.Concat([]string{"record", "--warmup", "0", "-o", path}, args)...)
	rec, err := recording.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return rec, text
}

// TestInGuest is TestOnPMU's, inside.
func TestInGuest(t *testing.T) {
	if os.Getenv(inGuest) == "" {
		t.Skip("TestOnPMU runs it in a guest")
	}
	t.Run("perfctr", guestPerfctr)
	t.Run("list", guestList)
	t.Run("multiplex", guestMultiplex)
	t.Run("groups", guestGroups)
	t.Run("turns", guestTurns)
	t.Run("taken", guestTaken)
	t.Run("modifiers", guestModifiers)
	t.Run("targets", guestTargets)
}

// guestPerfctr runs the tests of the package that need a PMU.
func guestPerfctr(t *testing.T) {
	out, err := exec.Command("/bin/perfctr.test", "-test.run", "^(TestHardware.*|TestProcess|TestThread|TestKeepReady|TestListHere)$", "-test.v").CombinedOutput()
	if err != nil || strings.Count(string(out), "--- PASS: TestHardware") < 4 {
		t.Errorf("%v\n%s", err, out)
	}
}

// guestList: what the PMU has is listed as such, with the sizes of its counters
// where the kernel lets them be known.
func guestList(t *testing.T) {
	if err := os.WriteFile("/proc/sys/kernel/perf_user_access", []byte("1"), 0); err != nil {
		t.Fatal(err)
	}
	defer os.WriteFile("/proc/sys/kernel/perf_user_access", []byte("0"), 0)
	text := guestRun(t, "list")
	for _, want := range []string{"  instructions\n", "  cycles OR cpu-cycles\n", "  armv8_pmuv3/inst_retired/\n", "  branch-misses  "} {
		if !strings.Contains(text, want) {
			t.Errorf("microcost list does not say %q:\n%.3000s", want, text)
		}
	}
	var counters, bits int
	_, line, _ := strings.Cut(text, "\n  armv8_pmuv3, ")
	if n, err := fmt.Sscanf(line, "%d events at a time, %d bits", &counters, &bits); n != 2 || counters < 2 || bits < 32 {
		t.Errorf("the PMU: %.100q, %v", line, err)
	}
	if n := strings.Count(text, "this processor does not count it"); n != 1 {
		t.Errorf("%d footnotes about what the PMU does not count", n)
	}
}

// guestMultiplex: counts of counters that take turns within a run are flagged, and
// shown with their share.
func guestMultiplex(t *testing.T) {
	var list []string
	for i := range 14 {
		list = append(list, fmt.Sprintf("armv8_pmuv3/inst_retired,name=i%d/", i))
	}
	rec, text := guestRecord(t, "--multiplex", "--runs", "2", "-e", strings.Join(list, ","), "--", "/bin/long")
	want := float64(loopInstructions(10_000_000))
	for _, s := range rec.Samples {
		partly := 0
		for i, e := range rec.Sessions[0].Events {
			c := s.Counts[i]
			if e.Source != "kernel" {
				continue
			}
			if c == nil || c.Running == 0 {
				t.Errorf("%s was not counted in a run of %v instructions", e.Name, want)
				continue
			}
			scaled := float64(c.Raw) * float64(c.Enabled) / float64(c.Running)
			if c.Running < c.Enabled {
				partly++
				if float64(c.Raw) > 0.95*want {
					t.Errorf("%s is complete with %d, though it ran for %v of %v", e.Name, c.Raw, c.Running, c.Enabled)
				}
			}
			if scaled < 0.9*want || scaled > 1.2*want {
				t.Errorf("%s: %d in %v of %v, which is %.0f in all; want about %.0f", e.Name, c.Raw, c.Running, c.Enabled, scaled, want)
			}
		}
		if partly < 8 {
			t.Errorf("%d of 14 events took turns", partly)
		}
	}
	if !regexp.MustCompile(`\([1-9][0-9]\.[0-9]{2}%\) `).MatchString(text) || !strings.Contains(text, "(NN%): the counter had to take turns") {
		t.Errorf("no shares are shown:\n%s", text)
	}
	// In a comparison too.
	text = guestRun(t, "ab", "--multiplex", "--runs", "3", "--warmup", "0", "-e", strings.Join(list, ","), "/bin/long", "/bin/long")
	if !strings.Contains(text, "%)") || !strings.Contains(text, "extrapolated") {
		t.Errorf("a comparison says nothing of shares:\n%s", text)
	}
}

// guestGroups: braces keep events together, pinned and exclusive ones are counted,
// and a group that the PMU does not hold is not counted at all.
func guestGroups(t *testing.T) {
	rec, text := guestRecord(t, "--runs", "5", "-e", "{instructions,cycles},{instructions:u,cycles:u}:D,r8:e,{armv8_pmuv3/inst_retired/k,instructions:k}:W", "--", "/bin/loop")
	seen := map[string]bool{}
	for _, s := range rec.Samples {
		v := counted(t, rec.Sessions[0].Events, s)
		for name := range v {
			seen[name] = true
		}
		_, i := v["instructions"]
		_, c := v["cycles"]
		_, iu := v["instructions:uD"]
		_, cu := v["cycles:uD"]
		if i != c || iu != cu || iu && v["instructions:uD"] != loopInstructions(1_000_000) {
			t.Errorf("the members of groups: %v", v)
		}
	}
	for _, name := range []string{"instructions", "instructions:uD", "r8:e", "instructions:k"} {
		if !seen[name] {
			t.Errorf("%s has no value:\n%s", name, text)
		}
	}
	if strings.Contains(text, "did not run when tried") {
		t.Errorf("a group that counts is said not to:\n%s", text)
	}
	var many []string
	for i := range 14 {
		many = append(many, fmt.Sprintf("armv8_pmuv3/inst_retired,name=i%d/", i))
	}
	_, text = guestRecord(t, "--runs", "1", "-e", "{"+strings.Join(many, ",")+"},task-clock", "--", "/bin/loop")
	if !strings.Contains(text, "did not run when tried") || strings.Count(text, "<not counted>")+strings.Count(text, "<not supported>") < 14 {
		t.Errorf("a group of 14:\n%s", text)
	}
}

// guestTurns: both variants of a comparison have the same turn in a block, and with
// few runs every event still has one.
func guestTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	text := guestRun(t, "ab", "--runs", "4", "--warmup", "0", "-o", path, "-e", moreThanFit+",page-faults", "/bin/loop", "/bin/loop")
	rec, err := recording.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[int]map[string]bool{}
	seen := map[string]bool{}
	for _, s := range rec.Samples {
		v := counted(t, rec.Sessions[0].Events, s)
		checkLoop(t, v, 1_000_000)
		for name := range v {
			seen[name] = true
		}
		if blocks[s.Block] == nil {
			blocks[s.Block] = map[string]bool{}
		}
		blocks[s.Block][strings.Join(openIn(rec.Sessions[0].Events, s), " ")] = true
	}
	for b, sets := range blocks {
		if len(sets) != 1 {
			t.Errorf("block %d has more than one turn: %v", b, sets)
		}
	}
	if len(blocks) < 2 || strings.Contains(text, "<not counted>") {
		t.Errorf("%d blocks:\n%s", len(blocks), text)
	}
	_, text = guestRecord(t, "--runs", "1", "-e", moreThanFit, "--", "/bin/loop")
	if !strings.Contains(text, "of 2 turns 1 get no run") || !strings.Contains(text, "the turn of this one") {
		t.Errorf("one run for two turns:\n%s", text)
	}
}

// guestTaken: counters that somebody else holds for good, as the NMI watchdog does,
// are missed when events are packed. There are more turns then, and the counts are
// as exact as ever.
func guestTaken(t *testing.T) {
	var held []string
	for i := range 4 {
		held = append(held, fmt.Sprintf("armv8_pmuv3/inst_retired,name=held%d/", i))
	}
	holder := exec.Command("/init", "record", "-o", filepath.Join(t.TempDir(), "r"), "--system-wide", "--window", "1h", "-e", "{"+strings.Join(held, ",")+"}:D")
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	defer holder.Wait()
	defer holder.Process.Kill()
	turns := regexp.MustCompile(`take turns in ([0-9]+) groups`)
	for end := time.Now().Add(10 * time.Second); ; {
		rec, text := guestRecord(t, "--runs", "8", "-e", moreThanFit, "--", "/bin/loop")
		n := 0
		if m := turns.FindStringSubmatch(text); m != nil {
			n, _ = strconv.Atoi(m[1])
		}
		if n < 3 { // the holder is not there yet
			if time.Now().After(end) {
				t.Fatalf("%d turns, though four counters are taken:\n%s", n, text)
			}
			continue
		}
		for _, s := range rec.Samples {
			v := counted(t, rec.Sessions[0].Events, s)
			for _, name := range []string{"instructions:u", "r8:u", "cycles:u"} {
				if n, ok := v[name]; ok && n != loopInstructions(1_000_000) {
					t.Errorf("%s: %d", name, n)
				}
			}
		}
		if strings.Contains(text, "<not counted>") {
			t.Errorf("events without a value:\n%s", text)
		}
		break
	}
	// A pinned group for which there is no room counts nothing, and that is said
	// before and after.
	_, text := guestRecord(t, "--runs", "1", "-e", "{"+strings.ReplaceAll(strings.Join(held, ","), "held", "more")+"}:D,task-clock", "--", "/bin/loop")
	if !strings.Contains(text, "did not run when tried") || strings.Count(text, "<not counted>") != 4 {
		t.Errorf("a pinned group beside another:\n%s", text)
	}
}

// guestModifiers: what letters and spellings count on a PMU.
func guestModifiers(t *testing.T) {
	rec, text := guestRecord(t, "--runs", "2", "-e", "instructions:u,instructions:uH,instructions:up,r08:u,cycles:I,L1-dcache-loads,"+
		"armv8_pmuv3/inst_retired,long/u,armv8_pmuv3/config=0x8/u,task-clock", "--", "/bin/loop")
	want := loopInstructions(1_000_000)
	for _, s := range rec.Samples {
		for name, n := range counted(t, rec.Sessions[0].Events, s) {
			if name != "task-clock" && rec.Sessions[0].Events[slices.IndexFunc(rec.Sessions[0].Events, func(e recording.Event) bool { return e.Name == name })].Domain == "u" && n != want {
				t.Errorf("%s: %d, want %d", name, n, want)
			}
		}
	}
	for _, name := range []string{"cycles:I", "L1-dcache-loads"} {
		i := slices.IndexFunc(rec.Sessions[0].Events, func(e recording.Event) bool { return e.Name == name })
		if e := rec.Sessions[0].Events[i]; e.Support != recording.NotSupported || e.Reason == "" {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if !strings.Contains(text, "<not supported>") {
		t.Errorf("nothing is not supported:\n%s", text)
	}
}

// guestTargets: hardware events of a process, of CPUs and of a cgroup, over a
// window and beside a command. One instruction takes one nanosecond here.
func guestTargets(t *testing.T) {
	spin := exec.Command("/bin/spin")
	if err := spin.Start(); err != nil {
		t.Fatal(err)
	}
	defer spin.Wait()
	defer spin.Process.Kill()
	pid := fmt.Sprint(spin.Process.Pid)
	check := func(args ...string) {
		t.Helper()
		for _, how := range [][]string{{"--window", "60ms"}, {"--", "/bin/long"}} {
			rec, text := guestRecord(t, slices.Concat(args, []string{"--runs", "2", "-e", "instructions,instructions:u,armv8_pmuv3/inst_retired/,task-clock"}, how)...)
			for _, s := range rec.Samples {
				v := counted(t, rec.Sessions[0].Events, s)
				all, time := float64(v["instructions"]), float64(v["task-clock"])
				if v["instructions"] == 0 || v["instructions"] != v["armv8_pmuv3/inst_retired/"] || v["instructions:u"] >= v["instructions"] ||
					v["instructions:u"] < v["instructions"]/3 || all < 0.8*time || all > 1.2*time {
					t.Errorf("%q %q: %v\n%s", args, how, v, text)
				}
			}
		}
	}
	check("--pid", pid)
	check("--system-wide")
	check("--cpu-target", "0")

	// cgroup v2. The controller is there once any other is enabled.
	const v2 = "/sys/fs/cgroup"
	enter := func(dir string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir+"/cgroup.procs", []byte(pid), 0); err != nil {
			t.Fatal(err)
		}
	}
	enter(v2 + "/spinning")
	c := exec.Command("/init", "record", "--cgroup", "spinning", "--window", "10ms", "-e", "instructions", "-o", filepath.Join(t.TempDir(), "r"))
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "cgroup.subtree_control") {
		t.Errorf("a cgroup without the controller: %v\n%s", err, out)
	}
	if err := os.WriteFile(v2+"/cgroup.subtree_control", []byte("+pids"), 0); err != nil {
		t.Fatal(err)
	}
	check("--cgroup", "spinning")
	check("--cgroup", v2+"/spinning", "--cpu-target", "0")
	if err := os.Mkdir(v2+"/empty", 0o755); err != nil {
		t.Fatal(err)
	}
	_, text := guestRecord(t, "--cgroup", "empty", "--window", "10ms", "-e", "instructions")
	if !strings.Contains(text, "<not counted>") || !strings.Contains(text, "nothing of what is counted ran") {
		t.Errorf("a cgroup without tasks:\n%s", text)
	}

	// The perf_event hierarchy of cgroup v1 takes the controller away from v2.
	v1 := t.TempDir()
	if err := syscall.Mount("cgroup", v1, "cgroup", 0, "perf_event"); err != nil {
		t.Fatal(err)
	}
	enter(v1 + "/old")
	check("--cgroup", "old")
	check("--cgroup", v1+"/old")
	if err := syscall.Unmount(v1, syscall.MNT_DETACH); err != nil { // the end of the test removes the directory
		t.Error(err)
	}
}
