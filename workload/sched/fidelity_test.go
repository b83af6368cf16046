package sched_test

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"microcost/internal/need"
	"microcost/perfctr"
	"microcost/workload/sched"
)

// cProgram is testdata/pipe.c, compiled. MICROCOST_PIPE_C names one that was
// compiled elsewhere, for a machine without a compiler.
func cProgram(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("MICROCOST_PIPE_C"); path != "" {
		return path
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		need.Unmet(t, "a C compiler", err.Error())
	}
	path := filepath.Join(t.TempDir(), "pipe")
	if out, err := exec.Command(cc, "-O2", "-Wall", "-o", path, "testdata/pipe.c").CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return path
}

// A counting is one list of counts, by event.
type counting map[string]float64

// counted opens the events that can be counted here, lets run do its work, and
// reads them.
func counted(t *testing.T, events []perfctr.Event, target perfctr.Target, run func(*perfctr.Set)) counting {
	t.Helper()
	p, err := perfctr.Pack(perfctr.Probe(events, target), perfctr.PackOptions{})
	if err != nil {
		t.Fatal(err)
	}
	set, err := perfctr.Open(p, 0, target)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	run(set)
	readings, err := set.Read()
	if err != nil {
		t.Fatal(err)
	}
	c := counting{}
	for i, r := range readings {
		if r.State == perfctr.Counted && !r.Multiplexed() {
			c[p.Events[i].Name] = float64(r.Raw)
		}
	}
	return c
}

// runC counts a C program from its exec to its end.
func runC(t *testing.T, events []perfctr.Event, path string, args ...string) counting {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	return counted(t, events, perfctr.Command(), func(*perfctr.Set) {
		pid, err := syscall.ForkExec(path, append([]string{path}, args...), &syscall.ProcAttr{Files: []uintptr{null.Fd(), null.Fd(), 2}})
		if err != nil {
			t.Fatal(err)
		}
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil || status != 0 {
			t.Fatalf("%s: %v, status %v", path, err, status)
		}
	})
}

// runWorkload counts the steady region of a workload.
func runWorkload(t *testing.T, events []perfctr.Event, text string) counting {
	s, err := sched.ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	return counted(t, events, perfctr.Thread(), func(set *perfctr.Set) {
		if _, err := sched.Run(context.Background(), s, sched.Region{Begin: set.Enable, End: set.Disable}); err != nil {
			t.Fatal(err)
		}
	})
}

// placeThread binds the calling goroutine to a thread, the thread and what it
// starts to one CPU and, where that is permitted, to a real-time policy: other
// programs of this machine would add switches of their own. The error says why
// it is not permitted.
func placeThread(t *testing.T) (fifo error) {
	t.Helper()
	runtime.LockOSThread() // never unlocked: the thread ends with the test
	var cpu unix.CPUSet
	if err := unix.SchedGetaffinity(0, &cpu); err != nil {
		t.Fatal(err)
	}
	for c := range len(cpu) * 64 {
		if cpu.IsSet(c) {
			cpu = unix.CPUSet{}
			cpu.Set(c)
			break
		}
	}
	if err := unix.SchedSetaffinity(0, &cpu); err != nil {
		t.Fatal(err)
	}
	if fifo = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: 1, Priority: 1}, 0); fifo != nil {
		t.Logf("without a real-time policy: %v", fifo)
	}
	return fifo
}

// A round trip of the workload must cost what one of a C program costs. Of the C
// program the difference between a long and a short run is taken, which leaves
// its start and end out; of the workload its steady region.
func TestPipeCostsWhatCCosts(t *testing.T) {
	path := cProgram(t)
	fifo := placeThread(t)
	events, err := perfctr.Parse("instructions,context-switches")
	if err != nil {
		t.Fatal(err)
	}
	const long, short, repeats = 10_000, 2_000, 9
	c, pipe := map[string][]float64{}, map[string][]float64{}
	for range repeats {
		a, b := runC(t, events, path, strconv.Itoa(long)), runC(t, events, path, strconv.Itoa(short))
		for name := range a {
			c[name] = append(c[name], (a[name]-b[name])/(long-short))
		}
		for name, n := range runWorkload(t, events, "pipe,loops="+strconv.Itoa(long)) {
			pipe[name] = append(pipe[name], n/long)
		}
	}
	for _, name := range []string{"instructions", "context-switches"} {
		if len(pipe[name]) < repeats || len(c[name]) < repeats {
			t.Logf("%s cannot be counted here", name)
			continue
		}
		slices.Sort(c[name])
		slices.Sort(pipe[name])
		spread := func(x []float64) float64 { return (x[len(x)-1] - x[0]) / x[len(x)/2] }
		ratio := pipe[name][repeats/2] / c[name][repeats/2]
		t.Logf("%s per round trip: C %.4f (spread %.4f %%), workload %.4f (spread %.4f %%), ratio %.5f",
			name, c[name][repeats/2], 100*spread(c[name]), pipe[name][repeats/2], 100*spread(pipe[name]), ratio)
		switch {
		case name == "instructions" && ratio > 1.03:
			t.Errorf("the workload takes %.3f times the instructions of C, more than 1.03", ratio)
		case name == "context-switches" && fifo == nil && math.Abs(ratio-1) > 0.001:
			t.Errorf("the workload makes %.5f times the context switches of C", ratio)
		}
	}
}

// A workload with the parameters of hackbench must make as many context
// switches. Only under a real-time policy is there a number to compare: under
// the fair one, two runs of hackbench differ by more than their mean.
func TestMessagingSwitchesAsHackbench(t *testing.T) {
	hackbench := need.Program(t, "hackbench")
	if err := placeThread(t); err != nil {
		t.Skipf("needs a real-time policy: %v", err)
	}
	events, err := perfctr.Parse("context-switches")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		text string
	}{
		{[]string{"-P"}, "messaging,groups=1,loops=500"},
		{[]string{"-T"}, "messaging,groups=1,loops=500,threads"},
		{[]string{"-P", "-p"}, "messaging,groups=1,loops=1000,pipe"},
	} {
		loops := c.text[strings.Index(c.text, "loops=")+len("loops="):]
		loops, _, _ = strings.Cut(loops, ",")
		one := strings.Replace(c.text, "loops="+loops, "loops=1", 1)
		// The difference of two runs leaves start and end out. What disturbs a run
		// of fixed priority (the kernel lets starving tasks run in between) can only
		// add switches, so the least is the best known, and more tries make it
		// better known.
		least := math.Inf(1)
		long, short, got, base := least, least, least, least
		ratio := math.NaN()
		for try := 0; try < 10 && (try < 3 || math.Abs(ratio-1) > 0.05); try++ {
			long = min(long, runC(t, events, hackbench, append(c.args, "-g", "1", "-l", loops)...)["context-switches"])
			short = min(short, runC(t, events, hackbench, append(c.args, "-g", "1", "-l", "1")...)["context-switches"])
			got = min(got, runWorkload(t, events, c.text)["context-switches"])
			base = min(base, runWorkload(t, events, one)["context-switches"])
			ratio = (got - base) / (long - short)
		}
		if long == 0 || got == 0 {
			t.Skip("context switches cannot be counted here")
		}
		t.Logf("%s: %v - %v switches, hackbench %v - %v, ratio %.4f", c.text, got, base, long, short, ratio)
		if math.Abs(ratio-1) > 0.05 {
			t.Errorf("%s makes %.3f times the context switches of hackbench %q", c.text, ratio, c.args)
		}
	}
}
