package sched

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"microcost/perfctr"
)

func mustParse(t *testing.T, text string) Spec {
	t.Helper()
	s, err := ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustRun(t *testing.T, text string) *Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	began, ended := false, false
	r, err := Run(ctx, mustParse(t, text), Region{
		Begin: func() error { began = true; return nil },
		End:   func() error { ended = began; return nil },
	})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if !ended {
		t.Errorf("%s: the region was not begun and ended", text)
	}
	return r
}

// All workloads, as processes and as threads, make exactly the operations that
// were asked for.
func TestWorkloadsCountTheirOperations(t *testing.T) {
	for _, c := range []struct {
		text       string
		operations uint64
		latencies  int
	}{
		{"pipe,loops=500", 500, 0},
		{"pipe,loops=500,threads", 500, 0},
		{"pipe,loops=500,layout=same", 500, 0},
		{"pipe,loops=1", 1, 0},
		{"messaging,groups=2,fds=3,loops=20", 2 * 3 * 3 * 20, 0},
		{"messaging,groups=2,fds=3,loops=20,threads,pipe", 2 * 3 * 3 * 20, 0},
		{"messaging,groups=1,fds=1,loops=1,size=1", 1, 0},
		{"messaging,groups=1,fds=2,loops=3,size=300000", 2 * 2 * 3, 0}, // more than a socket or a pipe holds
		{"messaging,groups=1,fds=2,loops=3,size=300000,pipe", 2 * 2 * 3, 0},
		{"futex,loops=500,layout=same", 500, 0},
		{"futex,loops=500,layout=same,threads", 500, 0},
		{"yield,loops=500,tasks=3", 1500, 0},
		{"yield,loops=500,threads", 1000, 0},
		{"fork,loops=20,tasks=2", 40, 0},
		{"exec,loops=20,tasks=2", 40, 0},
		{"thread,loops=50,tasks=2", 100, 0},
		{"timer,loops=20,interval=200us,tasks=2", 40, 40},
		{"timer,loops=20,interval=200us,threads", 20, 20},
		{"wakeup,loops=20,work=100,messengers=2,workers=3", 120, 120},
		{"wakeup,loops=20,work=100,threads", 80, 80},
		{"syscall,loops=1000,tasks=2", 2000, 0},
	} {
		r := mustRun(t, c.text)
		if r.Operations != c.operations {
			t.Errorf("%s: %d operations, want %d", c.text, r.Operations, c.operations)
		}
		if len(r.Latencies) != c.latencies || !slices.IsSorted(r.Latencies) {
			t.Errorf("%s: %d latencies, want %d in order", c.text, len(r.Latencies), c.latencies)
		}
		if r.Elapsed <= 0 || r.Elapsed > within {
			t.Errorf("%s: took %v", c.text, r.Elapsed)
		}
	}
}

// The sleepers cannot be early, and they sleep for as long as they were told.
func TestTimerSleeps(t *testing.T) {
	r := mustRun(t, "timer,loops=20,interval=1ms")
	if r.Elapsed < 20*time.Millisecond {
		t.Errorf("20 sleeps of 1 ms took %v", r.Elapsed)
	}
	if r.Percentile(0) == 0 || r.Percentile(50) > r.Percentile(99) || r.Percentile(100) != time.Duration(r.Latencies[19]) {
		t.Errorf("percentiles %v %v %v %v of %v", r.Percentile(0), r.Percentile(50), r.Percentile(99), r.Percentile(100), r.Latencies)
	}
}

// Two equal tasks share a CPU equally and a heavy one gets more; how well is the
// kernel's affair.
func TestFairShares(t *testing.T) {
	r := mustRun(t, "fair,nices=0,10,duration=300ms")
	if len(r.Shares) != 2 {
		t.Fatalf("shares: %+v", r.Shares)
	}
	a, b := r.Shares[0], r.Shares[1]
	if got, want := a.Weight/b.Weight, 1024.0/110; got != want {
		t.Errorf("the weights of nice 0 and 10 are as %v, want %v", got, want)
	}
	if a.Share < 2*b.Share || a.Share+b.Share < 0.999 || a.Share+b.Share > 1.001 {
		t.Errorf("shares: %+v", r.Shares)
	}
	if r.Operations == 0 {
		t.Error("nothing was computed")
	}
}

// counts opens counters for the calling thread and reads them around a run.
func counts(t *testing.T, s Spec, names string) (map[string]uint64, *Result) {
	t.Helper()
	events, err := perfctr.Parse(names)
	if err != nil {
		t.Fatal(err)
	}
	p, err := perfctr.Pack(perfctr.Probe(events, perfctr.Thread()), perfctr.PackOptions{})
	if err != nil {
		t.Fatal(err)
	}
	set, err := perfctr.Open(p, 0, perfctr.Thread())
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	r, err := Run(t.Context(), s, Region{Begin: set.Enable, End: set.Disable})
	if err != nil {
		t.Fatal(err)
	}
	readings, err := set.Read()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]uint64{}
	for i, x := range readings {
		if x.State == perfctr.Counted {
			got[p.Events[i].Name] = x.Raw // with :u where the kernel may not be counted
		}
	}
	return got, r
}

// Counters that the caller opened see the tasks, in the steady region only: a
// round trip has two switches, and the tasks' start, with its page faults, is
// not counted.
func TestOnlyTheSteadyRegionIsCounted(t *testing.T) {
	runtime.LockOSThread()
	for _, text := range []string{"pipe,loops=2000,layout=same", "pipe,loops=2000,layout=same,threads"} {
		got, _ := counts(t, mustParse(t, text), "context-switches,page-faults,task-clock")
		if n, ok := got["context-switches"]; !ok {
			t.Log("not checked: this user may not count the kernel's events")
		} else if n < 2*2000-20 || n > 2*2000+2000/5 {
			t.Errorf("%s: %d context switches in 2000 round trips", text, n)
		}
		if n := got["page-faults"]; n > 100 {
			t.Errorf("%s: %d page faults: the start of the tasks is counted", text, n)
		}
		if got["task-clock"]+got["task-clock:u"] == 0 {
			t.Errorf("%s: the tasks were not counted", text)
		}
	}
}

// The children that an operation starts are counted with it.
func TestForkedChildrenAreCounted(t *testing.T) {
	runtime.LockOSThread()
	got, _ := counts(t, mustParse(t, "fork,loops=50"), "page-faults,context-switches")
	// A child cannot run without faulting its stack in.
	if got["page-faults"]+got["page-faults:u"] < 50 {
		t.Errorf("50 forks made %d page faults", got["page-faults"])
	}
}

// An error of a hook ends the run, and no task stays.
func TestHookErrorsEndTheRun(t *testing.T) {
	boom := errors.New("boom")
	fail := func() error { return boom }
	for _, region := range []Region{{Begin: fail}, {End: fail}} {
		if _, err := Run(t.Context(), mustParse(t, "pipe,loops=100"), region); !errors.Is(err, boom) {
			t.Errorf("error %v, want %v", err, boom)
		}
		noTaskLeft(t)
	}
}

// Cancelling ends the tasks at once, wherever they are.
func TestCancelEndsTheTasks(t *testing.T) {
	why := errors.New("enough")
	for _, text := range []string{"pipe,loops=1000000000", "messaging,loops=100000000,threads", "timer,interval=1h", "fork,loops=1000000000", "fair,duration=1h"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		timer := time.AfterFunc(within, func() { panic(text + " does not end") })
		_, err := Run(ctx, mustParse(t, text), Region{Begin: func() error {
			time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
			return nil
		}})
		cancel(nil)
		timer.Stop()
		if !errors.Is(err, why) {
			t.Errorf("%s: error %v, want %v", text, err, why)
		}
		noTaskLeft(t)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := Run(ctx, mustParse(t, "pipe"), Region{}); !errors.Is(err, why) {
		t.Errorf("cancelled before: error %v", err)
	}
}

// A task that is killed from outside makes the run fail, with the signal.
func TestKilledTaskIsAnError(t *testing.T) {
	timer := time.AfterFunc(within, func() { panic("a killed task goes unnoticed") })
	defer timer.Stop()
	_, err := Run(t.Context(), mustParse(t, "pipe,loops=1000000000"), Region{Begin: func() error {
		pids := childPIDs(t)
		if len(pids) != 2 {
			t.Errorf("%d tasks, want 2", len(pids))
		}
		return unix.Kill(pids[len(pids)-1], unix.SIGKILL)
	}})
	if err == nil || !strings.Contains(err.Error(), "SIGKILL") {
		t.Errorf("error %v, want one that names SIGKILL", err)
	}
	noTaskLeft(t)
}

// Tasks run where and how they were told.
func TestPlacement(t *testing.T) {
	cpus, err := allowed()
	if err != nil {
		t.Fatal(err)
	}
	last := cpus[len(cpus)-1]
	look := func(text string, check func(pid, i int)) {
		s := mustParse(t, text)
		if err := Check(s); err != nil {
			t.Errorf("%s: %v", text, err)
			return
		}
		if _, err := Run(t.Context(), s, Region{Begin: func() error {
			for i, pid := range childPIDs(t) {
				check(pid, i)
			}
			return nil
		}}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	on := func(want ...int) func(pid, i int) {
		return func(pid, i int) {
			var set unix.CPUSet
			if err := unix.SchedGetaffinity(pid, &set); err != nil {
				t.Fatal(err)
			}
			cpu := want[i%len(want)]
			if set.Count() != 1 || !set.IsSet(cpu) {
				t.Errorf("task %d runs on %d CPUs, not on CPU %d alone", i, set.Count(), cpu)
			}
		}
	}
	look("pipe,loops=10,cpu="+strconv.Itoa(last), on(last))
	look("pipe,loops=10,layout=same", on(cpus[0]))
	if len(cpus) > 1 {
		look("pipe,loops=10,layout=two", on(cpus[0], cpus[1]))
	}
	policy := func(number uint32, priority uint32, nice int32) func(pid, i int) {
		return func(pid, i int) {
			a, err := unix.SchedGetAttr(pid, 0)
			if err != nil {
				t.Fatal(err)
			}
			if a.Policy != number || a.Priority != priority || a.Nice != nice {
				t.Errorf("task %d: policy %d priority %d nice %d, want %d, %d, %d", i, a.Policy, a.Priority, a.Nice, number, priority, nice)
			}
		}
	}
	look("pipe,loops=10,policy=batch", policy(3, 0, 0))
	look("pipe,loops=10,policy=idle", policy(5, 0, 0))
	look("pipe,loops=10,policy=nice:7", policy(0, 0, 7))
	if canRealtime() {
		look("pipe,loops=10,policy=fifo:3", policy(1, 3, 0))
		look("pipe,loops=10,policy=rr:4", policy(2, 4, 0))
	} else {
		t.Log("not tried: real-time policies are not permitted")
	}
}

// canRealtime asks the kernel itself.
func canRealtime() bool {
	ok := make(chan bool)
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine
		ok <- unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: 1, Priority: 1}, 0) == nil
	}()
	return <-ok
}

// childPIDs lists this process's children in the order of their pids.
func childPIDs(t *testing.T) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var list []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(f) > 1 && f[1] == strconv.Itoa(os.Getpid()) {
			list = append(list, pid)
		}
	}
	slices.Sort(list)
	return list
}

func noTaskLeft(t *testing.T) {
	t.Helper()
	if pids := childPIDs(t); len(pids) > 0 {
		t.Errorf("tasks are left: %v", pids)
	}
}

// killAll kills this process's children.
func killAll(t *testing.T) {
	t.Helper()
	for _, pid := range childPIDs(t) {
		if err := unix.Kill(pid, unix.SIGKILL); err != nil {
			t.Error(err)
		}
	}
}
