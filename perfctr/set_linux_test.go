package perfctr

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/sys/unix"
)

// growing is a /proc in which process 7 has one thread more each time its
// threads are listed, until it has limit.
type growing struct {
	fs.FS
	threads *int
	limit   int
}

func (g growing) ReadDir(name string) ([]fs.DirEntry, error) {
	if name != "7/task" {
		return fs.ReadDir(g.FS, name)
	}
	if *g.threads < g.limit {
		*g.threads++
	}
	m := fstest.MapFS{}
	for i := range *g.threads {
		m[fmt.Sprintf("task/%d/stat", 100+i)] = &fstest.MapFile{}
	}
	return fs.ReadDir(m, "task")
}

// TestTrue counts the smallest command with the default events.
func TestTrue(t *testing.T) {
	needCounting(t)
	supports := Probe(DefaultEvents(Command()), Command())
	p, err := Pack(supports, PackOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r := countRun(t, p, exec.Command("true"))
	for _, s := range supports {
		got := r[s.Event.Name]
		switch {
		case s.Event.Source == SourceRun:
			if got.State != ByRun {
				t.Errorf("%s: %v", s.Event, got.State)
			}
		case s.Status != Yes:
			if got.State != NotSupported || s.Reason == "" {
				t.Errorf("%s: %v, %q", s.Event, got.State, s.Reason)
			}
		case p.Turns == 1 && (got.State != Counted || got.Share() != 1):
			t.Errorf("%s: %+v", s.Event, got)
		}
	}
	if n := r["page-faults"].Raw; n < 10 || n > 1000 {
		t.Errorf("page-faults of true: %d", n)
	}
	if n := r["task-clock"].Raw; n < 10_000 || n > 1e9 {
		t.Errorf("task-clock of true: %d ns", n)
	}
}

// TestNotCounted: a counter that no exec enabled has no count, not a zero.
func TestNotCounted(t *testing.T) {
	needCounting(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, single := range []bool{false, true} {
		p := packHost(t, "context-switches,page-faults", Command())
		p.single = single
		s, err := Open(p, 0, Command())
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Read()
		if err != nil || r[0].State != NotCounted || r[1].State != NotCounted {
			t.Errorf("single %v: %+v, %v", single, r, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSingleReads: kernels before 4.13 read counters one by one, with the same
// result.
func TestSingleReads(t *testing.T) {
	needCounting(t)
	m := machine{sys: Host(), open: func(k *kattr, pid, cpu, groupFD, flags int) (int, error) {
		if k.Read_format&unix.PERF_FORMAT_GROUP != 0 && k.Bits&unix.PerfBitInherit != 0 {
			return -1, unix.EINVAL
		}
		return perfEventOpen(k, pid, cpu, groupFD, flags)
	}}
	events, err := Parse("page-faults,minor-faults,task-clock")
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.packing(m.probe(events, Command()), PackOptions{})
	if err != nil || !p.single {
		t.Fatalf("an old kernel is not recognised: %+v, %v", p, err)
	}
	r := countRun(t, p, childCommand("member"))
	if r["page-faults"].Raw < 8192 || r["page-faults"].Raw != r["minor-faults"].Raw+r["major-faults"].Raw || r["task-clock"].Share() != 1 {
		t.Errorf("%+v", r)
	}
}

// TestNoLeak opens and closes 10,000 times, with failures in between.
func TestNoLeak(t *testing.T) {
	needCounting(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := packHost(t, "task-clock,context-switches,page-faults", Command())
	h, err := KeepReady(p) // ten times as fast
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	before := len(openFiles())
	rng := rand.New(rand.NewPCG(1, 1)) // so that each member of the group fails at times
	p.open = func(k *kattr, pid, cpu, groupFD, flags int) (int, error) {
		if rng.IntN(100) == 0 {
			return -1, unix.EBUSY
		}
		return perfEventOpen(k, pid, cpu, groupFD, flags)
	}
	failed := 0
	for range 10_000 {
		s, err := Open(p, 0, Command())
		if err != nil {
			failed++
			continue
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if after := len(openFiles()); after != before || failed == 0 {
		t.Errorf("%d descriptors before, %d after 10,000 opens of which %d failed", before, after, failed)
	}
}

// TestCloseOnExec: the command gets no counter.
func TestCloseOnExec(t *testing.T) {
	needCounting(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s, err := Open(packHost(t, "page-faults", Command()), 0, Command())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	out, err := childCommand("files").CombinedOutput()
	if err != nil || strings.Contains(string(out), "perf_event") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestFileLimit opens more counters than the soft limit allows, in a process of
// its own, and checks that a command still gets the limit that was there at
// the start.
func TestFileLimit(t *testing.T) {
	needCounting(t)
	out, err := childCommand("limit").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// limit is the child of TestFileLimit.
func limit() error {
	lower := unix.Rlimit{Cur: 40, Max: 4000}
	if err := setLimit(&lower); err != nil {
		return err
	}
	runtime.LockOSThread()
	events, err := Parse(strings.Repeat("page-faults,", 99) + "page-faults")
	if err != nil {
		return err
	}
	p, err := Pack(Probe(events, Command()), PackOptions{})
	if err != nil {
		return err
	}
	s, err := Open(p, 0, Command())
	if err != nil {
		return err
	}
	defer s.Close()
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &now); err != nil {
		return err
	}
	if now.Cur <= lower.Cur || len(s.fds) != 100 {
		return fmt.Errorf("limit %+v, %d counters", now, len(s.fds))
	}
	fmt.Fprintln(os.Stderr, "raised to", now.Cur)
	return nil
}

// TestKeepReady: a held event counts as ever, and what is held is let go.
func TestKeepReady(t *testing.T) {
	needCounting(t)
	p := packHost(t, "page-faults,minor-faults,task-clock,elapsed", Command())
	before := len(openFiles())
	h, err := KeepReady(p)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.fds) != 3 {
		t.Errorf("%d counters are held, want 3", len(h.fds))
	}
	r := countRun(t, p, childCommand("member"))
	if n := r["page-faults"].Raw; n < 8192 || n > 8192+8000 {
		t.Errorf("8192 faults and those of a start (many with -race): %d", n)
	}
	if err := h.Close(); err != nil || h.Close() != nil || len(openFiles()) != before {
		t.Errorf("closing: %v; %d descriptors before, %d after", err, before, len(openFiles()))
	}
}

// BenchmarkOpen is what counting adds to each run: opening, reading, closing.
func BenchmarkOpen(b *testing.B) {
	for name, list := range map[string]string{
		"software":    "task-clock,context-switches,cpu-migrations,page-faults",
		"tracepoints": "task-clock,sched:sched_switch,sched:sched_wakeup",
	} {
		for _, ready := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/ready=%v", name, ready), func(b *testing.B) {
				if _, err := Host().tracefs(); err != nil && name == "tracepoints" {
					b.Skip("unmet need: tracefs is not mounted")
				}
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				p := packHost(b, list, Command())
				if ready {
					h, err := KeepReady(p)
					if err != nil {
						b.Fatal(err)
					}
					defer h.Close()
				}
				b.ReportAllocs()
				for b.Loop() {
					s, err := Open(p, 0, Command())
					if err != nil {
						b.Fatal(err)
					}
					if _, err := s.Read(); err != nil {
						b.Fatal(err)
					}
					s.Close()
				}
			})
		}
	}
}
