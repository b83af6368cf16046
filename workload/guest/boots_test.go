package guest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"microcost/internal/need"
	"microcost/workload"
	"microcost/workload/recording"
	"microcost/workload/sched"
)

// A result is what one boot of a test said.
type result struct {
	boot    Boot
	hello   *Hello
	samples []recording.Sample
	account Account
	err     error
}

// value is the count of an event in a sample of a boot; -1 when there is none.
func (r *result) value(sample int, event string) int64 {
	for i, e := range r.hello.Events {
		if e.Name == event && r.samples[sample].Counts[i] != nil {
			return int64(r.samples[sample].Counts[i].Raw)
		}
	}
	return -1
}

// series is a series of one round on the given kernels, and gather what it says.
func series(t *testing.T, kernels ...*Image) *Series {
	s := &Series{
		Seed: 1, Jobs: 2, Program: needProgram(t, kernels[0].Arch),
		Plan: Plan{Repeats: 2, WarmUp: 1},
		Next: func(done int) int { return max(0, 1-done) },
	}
	for i, k := range kernels {
		s.Kernels = append(s.Kernels, Kernel{Label: workload.Label(i), Image: k})
	}
	return s
}

func (s *Series) command(path string, argv ...string) {
	s.Files = append(s.Files, File{Source: path, Path: "/bin/test"})
	s.Runs = []string{path}
	s.Plan.Variant = workload.Variant{Label: "A", Argv: append([]string{"/bin/test"}, argv...)}
}

func gather(t *testing.T, s *Series) ([]*result, error) {
	t.Helper()
	byNumber := map[int]*result{}
	var list []*result
	s.Started = func(b Boot) {
		byNumber[b.Number] = &result{boot: b}
		list = append(list, byNumber[b.Number])
	}
	s.Hello = func(b Boot, h *Hello) error { byNumber[b.Number].hello = h; return nil }
	s.Sample = func(b Boot, smp recording.Sample) error {
		byNumber[b.Number].samples = append(byNumber[b.Number].samples, smp)
		return nil
	}
	s.Done = func(b Boot, a Account, err error) error {
		byNumber[b.Number].account, byNumber[b.Number].err = a, err
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	began := time.Now()
	err := s.Run(ctx)
	for _, r := range list {
		t.Logf("boot %d of kernel %d: %+v, %d samples, %v", r.boot.Number, r.boot.Kernel, r.account, len(r.samples), r.err)
	}
	t.Logf("%d boots in %v", len(list), time.Since(began).Round(time.Millisecond))
	return list, err
}

const loops = 1_000_000

// On x86-64 the count is that of the whole run, user and kernel mode together: exec,
// page faults and exit are in it, about a hundred thousand instructions. They are
// the same for a loop that is longer, so the loop itself is what two lengths differ
// by.
func TestLoopOnX86(t *testing.T) {
	t.Parallel()
	var short *result
	for _, n := range []uint32{loops, 2 * loops} {
		s := series(t, needKernel(t, "amd64-1"))
		s.command(loopProgram(t, AMD64, n))
		s.Plan.Events = []string{"task-clock,sched:sched_wakeup,page-faults,branch-misses"}
		boots, err := gather(t, s)
		if err != nil {
			t.Fatal(err)
		}
		b := boots[0]
		if len(b.samples) != 3 {
			t.Fatalf("%d samples, want a warm-up and two", len(b.samples))
		}
		if !strings.HasPrefix(b.hello.Version, "Linux version 6.1.0-") {
			t.Errorf("version %q", b.hello.Version)
		}
		checkSupport(t, b.hello.Events, "branch-misses")
		if short == nil {
			short = b
			continue
		}
		for i := range b.samples {
			less, more := short.value(i, "task-clock"), b.value(i, "task-clock")
			t.Logf("sample %d: task-clock %d and %d, a difference of %d", i, less, more, more-less)
			if d := more - less - 2*loops; max(d, -d) > 2*loops/100 {
				t.Errorf("sample %d: %d more loops cost %d, want %d within 1 %%", i, loops, more-less, 2*loops)
			}
		}
	}
}

// checkSupport checks that one event is not supported and that all others are.
func checkSupport(t *testing.T, events []recording.Event, missing string) {
	t.Helper()
	for _, e := range events {
		want := recording.Supported
		if e.Name == missing {
			want = recording.NotSupported
		}
		if e.Support != want {
			t.Errorf("event %s: %s (%s), want %s", e.Name, e.Support, e.Reason, want)
		}
	}
}

func TestLoopOnARM(t *testing.T) {
	t.Parallel()
	s := series(t, needKernel(t, "arm64-1"))
	s.command(loopProgram(t, ARM64, loops))
	s.Plan.Events = []string{"instructions:u,instructions,cycles,branch-misses,task-clock,sched:sched_switch"}
	boots, err := gather(t, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range boots {
		for i := range b.samples {
			n := b.value(i, "instructions:u")
			if d := n - 2*loops; d < -100 || d > 100 {
				t.Errorf("sample %d: %d instructions:u, want %d within 100", i, n, 2*loops)
			}
		}
		checkSupport(t, b.hello.Events, "branch-misses")
	}
}

// Counts of an emulated boot depend on its seed alone: the same seed gives the same
// counts to the digit, also while the host is busy with other things.
func TestCountsDoNotDependOnTheHost(t *testing.T) {
	t.Run("Debian", func(t *testing.T) { countsDoNotDependOnTheHost(t, needKernel(t, "amd64-1")) })
	t.Run("small", func(t *testing.T) { countsDoNotDependOnTheHost(t, needBuilt(t, "base-x86_64")) })
}

func countsDoNotDependOnTheHost(t *testing.T, k *Image) {
	var first *result
	for i, busy := range []int{0, 3} {
		s := series(t, k)
		spec, err := sched.ParseText("pipe,loops=500")
		if err != nil {
			t.Fatal(err)
		}
		s.Plan.Variant = workload.Builtin(spec)
		s.Plan.Events = []string{"task-clock,sched:sched_wakeup,sched:sched_switch"}
		var stop atomic.Bool
		for range busy {
			go func() {
				for !stop.Load() {
				}
			}()
		}
		boots, err := gather(t, s)
		stop.Store(true)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = boots[0]
			continue
		}
		for k := range first.samples {
			for _, event := range []string{"operations", "task-clock", "sched:sched_wakeup", "sched:sched_switch"} {
				a, b := first.value(k, event), boots[0].value(k, event)
				t.Logf("sample %d: %s %d, on a busy host %d", k, event, a, b)
				if a != b || a <= 0 {
					t.Errorf("sample %d: %s is %d, and %d on a busy host", k, event, a, b)
				}
			}
		}
	}
}

// A vmlinux boots by its PVH entry, and measures what its bzImage measures.
func TestVMLinux(t *testing.T) {
	t.Parallel()
	s := series(t, needBuilt(t, "base-x86_64.vmlinux"))
	s.command(loopProgram(t, AMD64, loops))
	s.Plan.Events = []string{"task-clock"}
	boots, err := gather(t, s)
	if err != nil {
		t.Fatal(err)
	}
	if n := boots[0].value(1, "task-clock"); n < 2*loops || n > 3*loops {
		t.Errorf("task-clock %d, want some more than %d", n, 2*loops)
	}
}

// The built-in workloads clamp the utilization of their tasks where the kernel can:
// their test runs in such a kernel.
func TestWorkloadsClampUtilization(t *testing.T) {
	t.Parallel()
	s := series(t, needBuilt(t, "base-x86_64"))
	path := filepath.Join(t.TempDir(), "sched.test")
	build := exec.Command("go", "test", "-c", "-o", path, "../sched")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH=amd64")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.command(path, "-test.run", "^TestUclamp$")
	s.Plan.Variant.Env = []string{"MICROCOST_NEEDS_UCLAMP=1"} // to skip is to fail
	s.Plan.Repeats, s.Plan.WarmUp = 1, 0
	s.Plan.Events = []string{"task-clock"}
	if _, err := gather(t, s); err != nil {
		t.Fatal(err)
	}
}

// A program of this machine runs with its libraries.
func TestDynamicProgram(t *testing.T) {
	t.Parallel()
	k := needKernel(t, "amd64-1")
	if Arch(runtime.GOARCH) != AMD64 {
		need.Unmet(t, "an x86-64 machine", "the program is taken from it")
	}
	path, err := exec.LookPath("sh")
	if err != nil {
		need.Unmet(t, "sh", err.Error())
	}
	s := series(t, k)
	s.command(path, "-c", "test -d /proc/self && test -e /sys/kernel/tracing/available_events && test -e /dev/null && test -e /sys/fs/cgroup/cgroup.procs")
	s.Plan.Events = []string{"task-clock"}
	boots, err := gather(t, s)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(boots[0].samples); n != 3 {
		t.Errorf("%d samples, want 3", n)
	}
}
