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

	"microcost/workload/recording"
)

// births starts a process whose work is done by threads that are born later than
// whatever counts it, on CPU 0.
func births(t *testing.T) (pid string) {
	t.Helper()
	c := exec.Command("taskset", "-c", "0", "workload", "births")
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
	unmet := func(need string, err error) {
		if os.Getenv("CI") == "true" {
			t.Fatalf("unmet need: %s: %v", need, err)
		}
		t.Skipf("unmet need: %s: %v", need, err)
	}
	if mount == "" {
		unmet("a cgroup filesystem", os.ErrNotExist)
	}
	dir, err := os.MkdirTemp(mount, "microcost-test-")
	if err != nil {
		unmet("the right to make a cgroup", err)
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
	pid := births(t)
	group := control(t, pid)
	for _, target := range [][]string{
		{"--pid", pid}, {"--system-wide"}, {"--cpu-target", "0"}, {"--cgroup", group}, {"--cgroup", group, "--cpu-target", "0"},
	} {
		for _, how := range [][]string{{"--window", "300ms"}, {"--", "sleep", "0.3"}} {
			args := slices.Concat([]string{"record", "--runs", "2", "--warmup", "0", "-o", "r.jsonl", "-e", "page-faults,task-clock,elapsed"}, target, how)
			c := program(t, args...)
			out, err := c.CombinedOutput()
			if err != nil {
				t.Errorf("%q: %v\n%s", args, err, out)
				continue
			}
			rec, err := recording.ReadFile(filepath.Join(c.Dir, "r.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range rec.Samples {
				// A busy machine may let the process do little; three threads it will.
				faults, clock, elapsed := s.Counts[0], s.Counts[1], s.Counts[2]
				if faults == nil || faults.Raw < 3*churned || clock == nil || clock.Raw == 0 || elapsed.Raw < uint64(300*time.Millisecond) {
					t.Errorf("%q: %+v faults, %+v ns of CPU, %+v ns", args, faults, clock, elapsed)
				}
			}
			if !strings.Contains(string(out), "during sleep 0.3") && how[0] == "--" {
				t.Errorf("what was counted is not said:\n%s", out)
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
