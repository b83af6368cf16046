package perfctr

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"microcost/internal/need"

	"golang.org/x/sys/unix"
)

// running starts the child "threads" and returns what makes it work once more.
func running(t *testing.T) (pid int, work func()) {
	t.Helper()
	cmd := childCommand("threads")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the child: %v", err)
		}
	})
	lines := bufio.NewReader(out)
	expect := func(want string) {
		t.Helper()
		line, err := lines.ReadString('\n')
		if err != nil || line != want+"\n" {
			t.Fatalf("the child says %q, %v", line, err)
		}
	}
	expect("ready")
	return cmd.Process.Pid, func() {
		t.Helper()
		if _, err := io.WriteString(in, "x"); err != nil {
			t.Fatal(err)
		}
		expect("done")
	}
}

// window counts on a target while f runs.
func window(t *testing.T, p *Packing, target Target, f func()) map[string]Reading {
	t.Helper()
	s, err := Open(p, 0, target)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Enable(); err != nil {
		t.Fatal(err)
	}
	f()
	if err := s.Disable(); err != nil {
		t.Fatal(err)
	}
	before, err := s.Read()
	if err != nil {
		t.Fatal(err)
	}
	after, err := s.Read()
	if err != nil {
		t.Fatal(err)
	}
	r := map[string]Reading{}
	for i := range before {
		if before[i] != after[i] {
			t.Errorf("%s goes on after Disable: %+v, then %+v", p.Events[i].Name, before[i], after[i])
		}
		r[p.Events[i].Name] = after[i]
	}
	return r
}

// TestProcess counts a process that runs: 1000 faults on each of three threads
// that are there and on one that is born in the window.
func TestProcess(t *testing.T) {
	needCounting(t)
	pid, work := running(t)
	p := packHost(t, "page-faults,task-clock", Process(pid))
	for _, rounds := range []int{1, 3} {
		r := window(t, p, Process(pid), func() {
			for range rounds {
				work()
			}
		})["page-faults"]
		want := uint64(4000 * rounds)
		if r.State != Counted || r.Raw < want || r.Raw > want+want/10 {
			t.Errorf("%d rounds: %+v, want %d to a tenth more", rounds, r, want)
		}
	}
	r := window(t, p, Process(pid), func() {})
	if n := r["page-faults"].Raw; n > 100 {
		t.Errorf("a window in which nothing is done has %d faults", n)
	}
}

func TestProcessGone(t *testing.T) {
	needCounting(t)
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	target := Process(cmd.Process.Pid)
	_, err := Open(packHost(t, "page-faults", Command()), 0, target)
	var oe *OpenError
	if !errors.As(err, &oe) || !errors.Is(err, unix.ESRCH) || !strings.Contains(oe.Hint(), strconv.Itoa(cmd.Process.Pid)) {
		t.Errorf("a process that ended: %v", err)
	}
}

// TestThreadsBornFaster checks that a process whose threads change all the time
// is refused in the end, and that one which calms down is not.
func TestThreadsBornFaster(t *testing.T) {
	needCounting(t)
	pid, _ := running(t)
	p := packHost(t, "page-faults", Process(pid))
	births, opens := 0, 0
	real := p.sys
	defer func() { p.sys = real }()
	p.open = func(k *kattr, pid, cpu, groupFD, flags int) (int, error) {
		opens++
		return devNull()
	}
	task := fixture(t, "trace")
	p.sys = &System{Sys: task.Sys, Proc: growing{task.Proc, &births, 5}, Root: task.Root}
	s, err := Open(p, 0, Process(7))
	if err != nil {
		t.Fatalf("threads stopped being born: %v", err)
	}
	if births < 5 || len(s.fds) != births {
		t.Errorf("%d births, %d counters are open", births, len(s.fds))
	}
	s.Close()
	births = 0
	p.sys.Proc = growing{task.Proc, &births, 1 << 30}
	if _, err := Open(p, 0, Process(7)); err == nil || !strings.Contains(err.Error(), "born faster") {
		t.Errorf("threads are born all the time: %v", err)
	}
}

// TestCPUs: what runs on a CPU is counted there and not on the other one.
func TestCPUs(t *testing.T) {
	if runtime.NumCPU() < 2 {
		need.Unmet(t, "two CPUs", "there is one")
	}
	p := packHost(t, "cpu-migrations,page-faults,context-switches", CPUs())
	for _, e := range Probe(p.Events, CPUs()) {
		if e.Status != Yes {
			need.Unmet(t, e.Event.Name+" counted by CPU", e.Reason)
		}
	}
	load := func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		restore, err := bind([]int{1})
		if err != nil {
			t.Error(err)
			return
		}
		defer restore()
		if err := touch(20000); err != nil {
			t.Error(err)
		}
	}
	all := window(t, p, CPUs(), load)["page-faults"]
	on := window(t, p, CPUs(1), load)["page-faults"]
	if all.Raw < 20000 || on.Raw < 20000 {
		t.Errorf("20000 faults on CPU 1: all CPUs say %+v, CPU 1 says %+v", all, on)
	}
	s, err := Open(p, 0, CPUs(1000))
	var oe *OpenError
	if err == nil {
		s.Close()
	}
	if !errors.As(err, &oe) || oe.Hint() == "" {
		t.Errorf("CPU 1000: %v", err)
	}
}

// TestCgroup counts what runs in a new control group.
func TestCgroup(t *testing.T) {
	needCounting(t)
	mount, err := Host().cgroupDir("/")
	if err != nil {
		need.Unmet(t, "a cgroup filesystem", err.Error())
	}
	dir, err := os.MkdirTemp(mount, "perfctr-test-")
	if err != nil {
		need.Unmet(t, "the right to make a cgroup", err.Error())
	}
	t.Cleanup(func() {
		// A group can be removed a moment after its last task is gone.
		for range 100 {
			if err = os.Remove(dir); err == nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("removing the cgroup: %v", err)
	})
	group, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer group.Close()
	procs := filepath.Join(dir, "cgroup.procs")
	for _, name := range []string{dir, filepath.Base(dir)} {
		target := Cgroup(name)
		p := packHost(t, "page-faults,task-clock", target)
		r := window(t, p, target, func() {
			cmd := exec.Command("sh", "-c", `echo $$ > "$1" && shift && exec "$@"`, "sh", procs, childCommand("member").Path)
			cmd.Env = childCommand("member").Env
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		})["page-faults"]
		if r.State != Counted || r.Raw < 8192 || r.Raw > 8192+8000 {
			t.Errorf("%s: 8192 faults and those of a start (many with -race): %+v", name, r)
		}
		r = window(t, p, target, func() { touch(5000) })["page-faults"]
		if r.State == Counted && r.Raw > 0 {
			t.Errorf("%s: what is not in the cgroup is counted: %+v", name, r)
		}
	}
	if _, err := Open(packHost(t, "page-faults", Command()), 0, Cgroup("/no/such")); err == nil || !strings.Contains(err.Error(), "no cgroup") {
		t.Errorf("no such cgroup: %v", err)
	}
}

// TestThread counts what the calling thread does and starts, without exec.
func TestThread(t *testing.T) {
	needCounting(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r := window(t, packHost(t, "page-faults", Thread()), Thread(), func() {
		if err := touch(5000); err != nil {
			t.Fatal(err)
		}
	})["page-faults"]
	if r.State != Counted || r.Raw < 5000 || r.Raw > 5500 {
		t.Errorf("5000 faults: %+v", r)
	}
}

// TestAsNobody probes on a thread that has given its rights away.
func TestAsNobody(t *testing.T) {
	level, err := Host().Paranoid()
	if err != nil || level != 2 {
		need.Unmet(t, "kernel.perf_event_paranoid=2", "sysctl sets it")
	}
	if os.Getuid() != 0 {
		need.Unmet(t, "root", "to become nobody")
	}
	events, err := Parse("context-switches,task-clock,page-faults,page-faults:k,page-faults:u")
	if err != nil {
		t.Fatal(err)
	}
	result := make(chan []Support)
	go func() {
		// The thread is not unlocked, so it ends with the goroutine: the system
		// call changed this thread only.
		runtime.LockOSThread()
		const nobody = 65534
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, nobody, nobody, nobody); errno != 0 {
			t.Errorf("becoming nobody: %v", errno)
		}
		result <- Probe(events, Command())
	}()
	got := <-result
	for i, want := range []struct {
		status Status
		name   string
	}{{NotPermitted, "context-switches"}, {Yes, "task-clock"}, {Yes, "page-faults:u"}, {NotPermitted, "page-faults:k"}, {Yes, "page-faults:u"}} {
		if got[i].Status != want.status || got[i].Event.Name != want.name {
			t.Errorf("%s: %v as %s, want %v as %s", events[i], got[i].Status, got[i].Event.Name, want.status, want.name)
		}
	}
	if !strings.Contains(got[0].Reason, "kernel.perf_event_paranoid is 2") || got[1].Reason != "" {
		t.Errorf("reasons: %q, %q", got[0].Reason, got[1].Reason)
	}
}
