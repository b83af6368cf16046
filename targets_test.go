package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"microcost/internal/need"
	"microcost/workload/recording"
)

// births starts a process whose work is done by threads that are born later than
// whatever counts it, on one CPU.
func births(t *testing.T, cpu string) (pid string) {
	t.Helper()
	c := exec.Command("taskset", "-c", cpu, "workload", "births")
	c.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	pid = fmt.Sprint(c.Process.Pid)
	waitFor(t, "threads", func() bool {
		tasks, _ := os.ReadDir("/proc/" + pid + "/task")
		return len(tasks) > 2
	})
	return pid
}

// control makes a control group for a process, where perf events have their
// hierarchy, and returns its directory.
func control(t *testing.T, pid string) string {
	t.Helper()
	mounts, err := os.ReadFile("/proc/mounts")
	if err != nil {
		t.Fatal(err)
	}
	mount := ""
	for line := range strings.Lines(string(mounts)) {
		f := strings.Fields(line)
		if f[2] == "cgroup" && slices.Contains(strings.Split(f[3], ","), "perf_event") || f[2] == "cgroup2" && mount == "" {
			mount = f[1]
		}
	}
	if mount == "" {
		need.Unmet(t, "a cgroup filesystem", "none is mounted")
	}
	dir, err := os.MkdirTemp(mount, "microcost-test-")
	if err != nil {
		need.Unmet(t, "the right to make a cgroup", err.Error())
	}
	t.Cleanup(func() {
		// Its task leaves it first; the process that is killed later would keep it.
		_ = os.WriteFile(filepath.Join(mount, "cgroup.procs"), []byte(pid), 0)
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			err := os.Remove(dir)
			if err == nil {
				return
			}
			if time.Now().After(end) {
				t.Errorf("removing the cgroup: %v", err)
				return
			}
		}
	})
	if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(pid), 0); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Every target is counted over a window and for the life of a command. What is
// counted is done by threads that are born meanwhile.
func TestTargets(t *testing.T) {
	// Other tests run real-time tasks on the first CPU meanwhile.
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mask); err != nil {
		t.Fatal(err)
	}
	cpu := ""
	for i := range len(mask) * 64 {
		if mask.IsSet(i) {
			cpu = fmt.Sprint(i)
		}
	}
	pid := births(t, cpu)
	group := control(t, pid)
	for _, target := range [][]string{
		{"--pid", pid}, {"--system-wide"}, {"--cpu-target", cpu}, {"--cgroup", group}, {"--cgroup", group, "--cpu-target", cpu},
	} {
		for _, how := range [][]string{{"--window", "300ms"}, {"--", "sleep", "0.3"}} {
			args := slices.Concat([]string{"record", "--runs", "2", "--warmup", "0", "-o", "r.jsonl", "-e", "page-faults,task-clock,elapsed"}, target, how)
			// A machine that gives the process no time lets nothing be counted: once
			// more then. What is not counted at all is not counted in any of them.
			var wrong []string
			for range 10 {
				if wrong = countTarget(t, args); len(wrong) == 0 {
					break
				}
			}
			for _, w := range wrong {
				t.Errorf("%q: %s", args, w)
			}
		}
	}
	// A cgroup in which nothing is left counts nothing, and says so.
	if err := os.WriteFile(filepath.Join(filepath.Dir(group), "cgroup.procs"), []byte(pid), 0); err != nil {
		t.Fatal(err)
	}
	out, err := program(t, "record", "-o", "r.jsonl", "-e", "page-faults", "--cgroup", group, "--window", "50ms").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "<not counted>") {
		t.Errorf("an empty cgroup: %v\n%s", err, out)
	}
	// A process that ends in a window is counted as long as it lived.
	c := exec.Command("sleep", "0.2")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	if out, err := program(t, "record", "-o", "r.jsonl", "-e", "task-clock,page-faults", "--pid", fmt.Sprint(c.Process.Pid), "--window", "500ms").CombinedOutput(); err != nil {
		t.Errorf("a process that ends meanwhile: %v\n%s", err, out)
	}
	c = exec.Command("true")
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	out, err = program(t, "record", "-o", "r.jsonl", "-e", "task-clock", "--pid", fmt.Sprint(c.Process.Pid), "--window", "50ms").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "is gone") {
		t.Errorf("a process that is gone: %v\n%s", err, out)
	}
}

// countTarget runs a record command and says what is wrong with what it counted.
func countTarget(t *testing.T, args []string) (wrong []string) {
	t.Helper()
	c := program(t, args...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	rec, err := recording.ReadFile(filepath.Join(c.Dir, "r.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.Samples) != 2 {
		t.Fatalf("%q: %d samples, want 2", args, len(rec.Samples))
	}
	for _, s := range rec.Samples {
		faults, clock, elapsed := s.Counts[0], s.Counts[1], s.Counts[2]
		if faults == nil || faults.Raw < 3*churned || clock == nil || clock.Raw == 0 || elapsed.Raw < uint64(300*time.Millisecond) {
			wrong = append(wrong, fmt.Sprintf("%+v faults, %+v ns of CPU, %+v ns", faults, clock, elapsed))
		}
	}
	if slices.Contains(args, "--") && !strings.Contains(string(out), "during sleep 0.3") {
		t.Errorf("what was counted is not said:\n%s", out)
	}
	return wrong
}
