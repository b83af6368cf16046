package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"microcost/internal/need"
	"microcost/workload"
	"microcost/workload/recording"
)

// program is the microcost command in this test binary, in a directory of its
// own. testscript.Main has put it on the PATH.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	c := exec.Command("microcost", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Fields(string(b))
}

// The commands themselves say in which order they ran.
func TestRunsAreInterleaved(t *testing.T) {
	c := program(t, "ab", "--runs", "20", "--warmup", "1", "--seed", "11", "-o", "r.jsonl", "workload log log A", "workload log log B")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var ran []string
	for _, l := range lines(t, filepath.Join(c.Dir, "log")) {
		if !strings.HasSuffix(l, ".") {
			ran = append(ran, l)
		}
	}
	want := []string{"A", "B"} // the warm-ups
	s := workload.Schedule{Seed: 11, Variants: 2}
	for b := range 4 {
		for _, slot := range s.Block(b, 5) {
			want = append(want, workload.Label(slot.Variant))
		}
	}
	if !slices.Equal(ran, want) {
		t.Errorf("the commands ran in the order\n%s, planned was\n%s", strings.Join(ran, ""), strings.Join(want, ""))
	}
	rec, err := recording.ReadFile(filepath.Join(c.Dir, "r.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	last := time.Duration(-1)
	for _, smp := range rec.Samples {
		kept = append(kept, workload.Label(smp.Variant))
		if smp.Start <= last {
			t.Errorf("sample %d started before the one in front of it", len(kept))
		}
		last = smp.Start
	}
	if !slices.Equal(kept, ran) {
		t.Errorf("recorded order\n%s, real order\n%s", strings.Join(kept, ""), strings.Join(ran, ""))
	}
	if in := strings.Join(ran[2:], ""); strings.Contains(in, "AAAAAAAAAA") || strings.Count(in, "AB") < 4 {
		t.Errorf("%s is not interleaved", in)
	}
}

// started runs c and waits until its commands have ended n times.
func started(t *testing.T, c *exec.Cmd, n int) *bytes.Buffer {
	t.Helper()
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(time.Minute)
	for {
		ended := 0
		for _, l := range lines(t, filepath.Join(c.Dir, "log")) {
			if strings.HasSuffix(l, ".") {
				ended++
			}
		}
		if ended >= n {
			return &out
		}
		if time.Now().After(deadline) {
			c.Process.Kill()
			t.Fatalf("%d of %d runs within a minute\n%s", ended, n, out.String())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// gone waits until no process has mark in its command line: a process that was
// killed may take a moment to go.
func gone(t *testing.T, mark string) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		out, _ := exec.Command("pgrep", "-f", mark).Output()
		if len(out) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("still running: %s", out)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestKillLosesNoFinishedRun(t *testing.T) {
	c := program(t, "ab", "--runs", "1000", "-o", "r.jsonl", "workload log log A 20ms", "workload log log B 20.0001ms")
	out := started(t, c, 14)
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	gone(t, "log log [AB] 20") // the run in progress dies with its parent
	ended := 0
	for _, l := range lines(t, filepath.Join(c.Dir, "log")) {
		if strings.HasSuffix(l, ".") {
			ended++
		}
	}
	rec, err := recording.ReadFile(filepath.Join(c.Dir, "r.jsonl"))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The last one may have written its end and not yet been waited for.
	if n := len(rec.Samples); n < ended-1 || n > ended {
		t.Errorf("%d runs ended, %d are recorded", ended, n)
	}
	show := exec.Command("microcost", "report", filepath.Join(c.Dir, "r.jsonl"))
	show.Env = c.Env
	if out, err := show.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("elapsed")) {
		t.Errorf("the report of what there is: %v\n%s", err, out)
	}
}

func TestInterruptShowsWhatThereIs(t *testing.T) {
	c := program(t, "ab", "--runs", "1000", "workload log log A 10ms", "workload log log B 10.0001ms")
	out := started(t, c, 30)
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, want := range []string{"finishing the run in progress", "stopped early", "elapsed", "\nB "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	gone(t, "log log [AB] 10")
	// Every run that started also ended.
	for word, n := range count(lines(t, filepath.Join(c.Dir, "log"))) {
		if !strings.HasSuffix(word, ".") && count(lines(t, filepath.Join(c.Dir, "log")))[word+"."] != n {
			t.Errorf("a run of %s was cut short", word)
		}
	}
}

func count(words []string) map[string]int {
	m := map[string]int{}
	for _, w := range words {
		m[w]++
	}
	return m
}

func TestSecondInterruptStopsAtOnce(t *testing.T) {
	c := program(t, "ab", "--runs", "1000", "--cleanup", "echo X. >>log", "-o", "r.jsonl",
		"workload log log A", "sh -c 'echo B. >>log; sleep 88.8 & setsid sleep 88.8 & wait'")
	out := started(t, c, 2) // the warm-up of B is in progress
	for range 2 {
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		time.Sleep(600 * time.Millisecond)
	}
	began := time.Now()
	err := c.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("ended with %v, want exit status 3\n%s", err, out)
	}
	if d := time.Since(began); d > 30*time.Second {
		t.Errorf("it took %v to stop at once", d)
	}
	gone(t, "sleep 88.8")
	if !slices.Contains(lines(t, filepath.Join(c.Dir, "log")), "X.") {
		t.Error("the cleanup hook did not run")
	}
	// There was no run to keep, so there is no file.
	if _, err := os.Stat(filepath.Join(c.Dir, "r.jsonl")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestThirdInterruptEndsCleanup(t *testing.T) {
	c := program(t, "ab", "--runs", "3", "--cleanup", "echo X. >>log; sleep 99.9", "true", "true")
	out := started(t, c, 1)
	for range 3 {
		_ = c.Process.Signal(os.Interrupt)
		time.Sleep(600 * time.Millisecond)
	}
	if err := c.Wait(); err == nil {
		t.Errorf("ended well\n%s", out)
	}
	gone(t, "sleep 99.9")
}

// A command that fails at once must not cost the recording of the same name.
func TestFailedStartKeepsTheOldRecording(t *testing.T) {
	c := program(t, "ab", "--runs", "5", "-o", "r.jsonl", "true", "true")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	was, err := os.ReadFile(filepath.Join(c.Dir, "r.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--setup", "false", "true", "true"}, {"true", "false"}, {"--warmup", "0", "false", "false"}} {
		again := exec.Command("microcost", append([]string{"ab", "-o", "r.jsonl"}, args...)...)
		again.Dir, again.Env = c.Dir, c.Env
		if err := again.Run(); err == nil {
			t.Errorf("%v did not fail", args)
		}
		if now, err := os.ReadFile(filepath.Join(c.Dir, "r.jsonl")); err != nil || !bytes.Equal(now, was) {
			t.Errorf("%v changed the recording: %v", args, err)
		}
	}
	if names, _ := filepath.Glob(filepath.Join(c.Dir, ".*")); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
}

// A disk that fills up costs the file its later runs, and the user nothing that
// was measured: the report shows all of them.
func TestFullDiskShowsWhatThereIs(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("microcost-test", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("unmet need: mounting a small tmpfs (root): %v", err)
	}
	defer func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	file := filepath.Join(dir, "r.jsonl")
	c := program(t, "ab", "--runs", "3000", "-o", file, "true", "true")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("ended with %v, want exit status 3", err)
	}
	if !strings.Contains(stderr.String(), "no space left on device") {
		t.Errorf("stderr does not name the reason:\n%s", stderr.String())
	}
	if !strings.Contains(stdout.String(), "elapsed ") || !strings.Contains(stdout.String(), "\nB ") {
		t.Errorf("no report:\n%s", stdout.String())
	}
	rec, err := recording.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.Samples) < 5 {
		t.Errorf("the file holds %d runs", len(rec.Samples))
	}
}

// Every block is forced to the disk, and while no run is in progress that would
// feel it: strace saw both.
func TestEveryBlockIsForcedToTheDisk(t *testing.T) {
	strace := need.Program(t, "strace")
	syncs := func(args ...string) int {
		t.Helper()
		c := program(t, args...)
		c.Path, c.Args = strace, slices.Concat([]string{"strace", "-f", "-q", "-e", "trace=fsync,execve", "-e", "signal=none", "-o", "trace"}, c.Args)
		if out, err := c.CombinedOutput(); err != nil {
			if strings.Contains(string(out), "PTRACE") {
				t.Skipf("needs ptrace: %s", out)
			}
			t.Fatalf("%v\n%s", err, out)
		}
		trace, err := os.ReadFile(filepath.Join(c.Dir, "trace"))
		if err != nil {
			t.Fatal(err)
		}
		n, running := 0, map[string]bool{} // by process
		for line := range strings.Lines(string(trace)) {
			pid, what, _ := strings.Cut(line, " ")
			switch what = strings.TrimSpace(what); {
			case strings.HasPrefix(what, "execve(") && strings.Contains(what, `["true"`):
				running[pid] = true
			case strings.HasPrefix(what, "+++ exited"):
				delete(running, pid)
			case strings.HasPrefix(what, "fsync("):
				if n++; len(running) > 0 {
					t.Errorf("%v: the disk was waited for while a run was in progress", args)
				}
			}
		}
		return n
	}
	for _, args := range [][]string{{"ab", "true", "true"}, {"record", "true"}} {
		run := func(blocks int) int {
			return syncs(slices.Concat(args[:1], []string{"--runs", strconv.Itoa(5 * blocks), "-o", "r.json"}, args[1:])...)
		}
		if few, many := run(2), run(9); few < 2 || many-few != 7 {
			t.Errorf("%s: %d times for 2 blocks, %d for 9", args[0], few, many)
		}
	}
}
