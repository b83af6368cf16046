package sched_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"microcost/workload/sched"
)

// Tasks have the clamps that were asked for when the region begins. Distributions'
// kernels mostly cannot clamp: the tests of package guest run this one in a kernel
// that can.
func TestUclamp(t *testing.T) {
	s, err := sched.ParseText("pipe,loops=100,uclamp=100:700")
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Flags: unix.SCHED_FLAG_KEEP_ALL | unix.SCHED_FLAG_UTIL_CLAMP, Util_max: 1024}, 0); err != nil {
		if sched.Check(s) == nil {
			t.Errorf("%s passes the check, and this kernel does not clamp: %v", s, err)
		}
		if os.Getenv("MICROCOST_NEEDS_UCLAMP") != "" {
			t.Fatalf("needs a kernel with CONFIG_UCLAMP_TASK: %v", err)
		}
		t.Skipf("needs a kernel with CONFIG_UCLAMP_TASK: %v", err)
	}
	if err := sched.Check(s); err != nil {
		t.Fatal(err)
	}
	seen := 0
	_, err = sched.Run(context.Background(), s, sched.Region{Begin: func() error {
		for _, pid := range childrenOf(t, os.Getpid()) {
			a, err := unix.SchedGetAttr(pid, 0)
			if err != nil {
				return err
			}
			if a.Util_min != 100 || a.Util_max != 700 {
				t.Errorf("task %d is clamped to %d:%d, want 100:700", pid, a.Util_min, a.Util_max)
			}
			seen++
		}
		return nil
	}, End: func() error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	if seen != 2 {
		t.Errorf("%d tasks, want 2", seen)
	}
}

// childrenOf are the processes whose parent is the given one.
func childrenOf(t *testing.T, parent int) (pids []int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// Behind the name, which may hold blanks: state and parent.
		f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
		if ppid, err := strconv.Atoi(string(f[1])); err == nil && ppid == parent {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}
