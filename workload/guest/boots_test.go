package guest

import (
	"context"
	"strings"
	"testing"
	"time"

	"microcost/workload"
	"microcost/workload/recording"
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

func TestLoopOnX86(t *testing.T) {
	s := series(t, needKernel(t, "amd64-1"))
	s.command(loopProgram(t, AMD64, loops))
	s.Plan.Events = []string{"task-clock,sched:sched_wakeup,page-faults,branch-misses"}
	boots, err := gather(t, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range boots {
		if len(b.samples) != 3 {
			t.Fatalf("%d samples, want a warm-up and two", len(b.samples))
		}
		for i := range b.samples {
			n := b.value(i, "task-clock")
			if d := n - 2*loops; d < 0 || d > 2*loops/100 {
				t.Errorf("sample %d: task-clock %d, want %d within 1 %%", i, n, 2*loops)
			}
		}
		if !strings.HasPrefix(b.hello.Version, "Linux version 6.1.0-") {
			t.Errorf("version %q", b.hello.Version)
		}
		for _, e := range b.hello.Events {
			if want := map[bool]string{true: recording.NotSupported, false: recording.Supported}[e.Name == "branch-misses"]; e.Support != want {
				t.Errorf("event %s: %s (%s), want %s", e.Name, e.Support, e.Reason, want)
			}
		}
	}
}

func TestLoopOnARM(t *testing.T) {
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
		for _, e := range b.hello.Events {
			if want := map[bool]string{true: recording.NotSupported, false: recording.Supported}[e.Name == "branch-misses"]; e.Support != want {
				t.Errorf("event %s: %s (%s), want %s", e.Name, e.Support, e.Reason, want)
			}
		}
	}
}
