package perfctr

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/sys/unix"
)

// devNull is a descriptor that can be closed like a counter.
func devNull() (int, error) { return unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0) }

// refusing is an opener that answers errno where refuse says so.
func refusing(refuse func(k *kattr) unix.Errno) opener {
	return func(k *kattr, pid, cpu, groupFD, flags int) (int, error) {
		if errno := refuse(k); errno != 0 {
			return -1, errno
		}
		return devNull()
	}
}

// one parses one event.
func one(t *testing.T, s *System, text string) Event {
	t.Helper()
	events, err := s.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return events[0]
}

// TestErrnoHints checks that every errno ends in a sentence that says what to
// do, in the status that goes with it, and in an error that errors.Is knows.
func TestErrnoHints(t *testing.T) {
	check := func(sys, event string, target Target, errno unix.Errno, status Status, class error, says ...string) {
		t.Helper()
		s := fixture(t, sys)
		m := machine{sys: s, open: refusing(func(*kattr) unix.Errno { return errno })}
		got := m.probe([]Event{one(t, s, event)}, target)[0]
		if errno == 0 {
			errno = unix.ENODEV // found before the kernel is asked
		}
		if got.Status != status {
			t.Errorf("%s, %v: status %v, want %v", event, errno, got.Status, status)
		}
		for _, want := range says {
			if !strings.Contains(got.Reason, want) {
				t.Errorf("%s, %v: reason %q does not say %q", event, errno, got.Reason, want)
			}
		}
		var oe *OpenError
		if !errors.As(got.Err, &oe) || oe.Hint() != got.Reason || !errors.Is(got.Err, errno) {
			t.Errorf("%s, %v: error %#v", event, errno, got.Err)
		}
		for _, c := range []error{ErrNotSupported, ErrNotPermitted} {
			if errors.Is(got.Err, c) != (c == class) {
				t.Errorf("%s, %v: errors.Is(%v, %v) = %v", event, errno, got.Err, c, errors.Is(got.Err, c))
			}
		}
	}
	check("trace", "context-switches", Command(), unix.EACCES, NotPermitted, ErrNotPermitted, "kernel.perf_event_paranoid is 2",
		"own tasks may be counted in user mode only", "`sysctl kernel.perf_event_paranoid=1`", "CAP_PERFMON")
	check("trace", "cycles", Command(), unix.EACCES, NotPermitted, ErrNotPermitted, "paranoid=1`")
	check("trace", "cycles", CPUs(0), unix.EACCES, NotPermitted, ErrNotPermitted, "`sysctl kernel.perf_event_paranoid=0`")
	check("trace", "cs", Process(12), unix.EPERM, NotPermitted, ErrNotPermitted, "paranoid=1`")
	check("intel", "cs", Command(), unix.EACCES, NotPermitted, ErrNotPermitted, "perf_event_paranoid cannot be read", "CAP_PERFMON")
	check("trace", "cycles", Command(), unix.ENOENT, No, ErrNotSupported, "virtual PMU", "pmu=on", "microcost kernel")
	check("intel", "bus-cycles", Command(), unix.ENOENT, No, ErrNotSupported, "the PMU cpu of this processor does not count it", "microcost list")
	check("intel", "cgroup-switches", Command(), unix.ENOENT, No, ErrNotSupported, "too old")
	check("trace", "sched:sched_switch", Command(), unix.ENOENT, No, ErrNotSupported, "module")
	check("intel", "cpu/event=1/", Command(), unix.EINVAL, No, ErrNotSupported, "devices/cpu/format", "modifiers")
	check("intel", "power/energy-pkg/", Command(), unix.EINVAL, No, ErrNotSupported, "--system-wide")
	check("intel", "cycles:pp", Command(), unix.EOPNOTSUPP, No, ErrNotSupported, "drop the modifiers")
	check("intel", "cycles", Command(), unix.EBUSY, CannotTell, nil, "NMI watchdog", "nmi_watchdog=0")
	check("intel", "cycles", CPUs(31), unix.ENODEV, No, ErrNotSupported, "cpu/online")
	check("intel", "cycles", Command(), unix.EMFILE, CannotTell, nil, "ulimit -Hn")
	check("intel", "cycles", Command(), unix.ENFILE, CannotTell, nil, "fs.file-max")
	check("intel", "mem:0x10:w", Command(), unix.ENOSPC, CannotTell, nil, "are taken")
	check("intel", "cs", Process(12), unix.ESRCH, CannotTell, nil, "process 12 is gone")
	check("intel", "cs", Command(), unix.E2BIG, No, nil, "too old")
	check("intel", "cs", Command(), unix.EOVERFLOW, CannotTell, nil, "split it")
	check("intel", "cs", Command(), unix.ENOSYS, No, ErrNotSupported, "CONFIG_PERF_EVENTS")
	check("intel", "cs", Command(), unix.EIO, CannotTell, nil, "perf stat -e 'context-switches' true")
	check("intel-hybrid", "cpu_core/cycles/", CPUs(16), 0, No, ErrNotSupported, "cpu/online")
}

// TestLadder checks what is left of an event when the kernel takes less of it.
func TestLadder(t *testing.T) {
	noGuest := func(k *kattr) unix.Errno {
		if k.Bits&unix.PerfBitExcludeGuest != 0 {
			return unix.EINVAL
		}
		return 0
	}
	userOnly := func(k *kattr) unix.Errno {
		if k.Bits&unix.PerfBitExcludeKernel == 0 {
			return unix.EACCES
		}
		return 0
	}
	both := func(k *kattr) unix.Errno {
		if errno := userOnly(k); errno != 0 {
			return errno
		}
		return noGuest(k)
	}
	precise := func(k *kattr) unix.Errno {
		if k.Bits>>15&3 > 1 {
			return unix.EOPNOTSUPP
		}
		return 0
	}
	check := func(event string, refuse func(*kattr) unix.Errno, status Status, name string, domain Domain, says string) Support {
		t.Helper()
		s := fixture(t, "trace")
		m := machine{sys: s, open: refusing(refuse)}
		got := m.probe([]Event{one(t, s, event)}, Command())[0]
		if got.Status != status || got.Event.Name != name || got.Event.Domain != domain || !strings.Contains(got.Reason, says) ||
			(says == "") != (got.Reason == "") {
			t.Errorf("%s: %v as %s, domain %q, %q; want %v as %s, domain %q, %q",
				event, got.Status, got.Event.Name, got.Event.Domain, got.Reason, status, name, domain, says)
		}
		return got
	}
	check("cycles", noGuest, Yes, "cycles", "", "")
	check("cycles", userOnly, Yes, "cycles:u", "u", "cycles is counted as cycles:u, in user mode only: kernel.perf_event_paranoid is 2")
	check("cycles", both, Yes, "cycles:u", "u", "sysctl")
	check("cycles:pp", userOnly, Yes, "cycles:upp", "u", "sysctl")
	check("cycles:u", userOnly, Yes, "cycles:u", "u", "")
	check("cycles:k", userOnly, NotPermitted, "cycles:k", "k", "sysctl")
	check("page-faults", userOnly, Yes, "page-faults:u", "u", "sysctl")
	check("msr/tsc/", both, Yes, "msr/tsc/u", "u", "sysctl")
	check("cycles:P", precise, Yes, "cycles:P", "", "")
	check("cycles:ppp", precise, No, "cycles:ppp", "", "drop the modifiers")
	// In user mode only they would read 0: no count at all is the honest answer.
	check("context-switches", userOnly, NotPermitted, "context-switches", "", "sysctl")
	check("cpu-migrations", userOnly, NotPermitted, "cpu-migrations", "", "sysctl")
	check("sched:sched_switch", userOnly, NotPermitted, "sched:sched_switch", "", "sysctl")
	// The clocks take exclude_kernel and count all modes nevertheless.
	if s := check("task-clock", userOnly, Yes, "task-clock", "", ""); s.Event.Attr.Flags&ExcludeKernel == 0 {
		t.Error("task-clock is opened without exclude_kernel, which was refused")
	}
	if s := check("cycles", func(*kattr) unix.Errno { return unix.EIO }, CannotTell, "cycles", "", "unexpected"); s.Err == nil {
		t.Error("an unexpected errno leaves no error")
	}
}

// TestSumSupport checks that a sum is worth what its parts are.
func TestSumSupport(t *testing.T) {
	s := fixture(t, "intel-hybrid")
	events, err := s.Parse("cycles")
	if err != nil {
		t.Fatal(err)
	}
	atom := func(errno unix.Errno) opener {
		return refusing(func(k *kattr) unix.Errno {
			if k.Config>>pmuTypeShift == 10 || k.Type == 10 {
				return errno
			}
			return 0
		})
	}
	got := machine{s, atom(0)}.probe(events, Command())
	if got[0].Status != Yes || got[0].Reason != "" {
		t.Errorf("all parts can be counted, the sum: %+v", got[0])
	}
	got = machine{s, atom(unix.ENOENT)}.probe(events, Command())
	if got[0].Status != No || !strings.Contains(got[0].Reason, "cpu_atom/cycles/ cannot be counted") || got[2].Status != Yes {
		t.Errorf("one part cannot be counted, the sum: %+v", got[0])
	}
	s.Proc = fixture(t, "trace").Proc
	got = machine{s, refusing(func(k *kattr) unix.Errno {
		if k.Bits&unix.PerfBitExcludeKernel == 0 {
			return unix.EACCES
		}
		return 0
	})}.probe(events, Command())
	if got[0].Event.Name != "cycles:u" || got[0].Event.Domain != DomainUser || got[1].Event.Name != "cpu_atom/cycles/u" {
		t.Errorf("user mode only: %+v", got)
	}
}

// TestCgroupWithoutController: ENOENT of a cgroup is about its controller when the
// event is counted elsewhere.
func TestCgroupWithoutController(t *testing.T) {
	s := fixture(t, "intel")
	dir := t.TempDir()
	s.Root = os.DirFS("/")
	s.Proc = fstest.MapFS{"mounts": {Data: []byte("cgroup2 " + dir + " cgroup2 rw 0 0\n")}}
	if err := os.Mkdir(dir+"/g", 0o755); err != nil {
		t.Fatal(err)
	}
	check := func(missing bool, says, not string) {
		t.Helper()
		m := machine{sys: s, open: func(k *kattr, pid, cpu, groupFD, flags int) (int, error) {
			if missing || flags&unix.PERF_FLAG_PID_CGROUP != 0 {
				return -1, unix.ENOENT
			}
			return devNull()
		}}
		got := m.probe([]Event{one(t, s, "cycles")}, Cgroup("g"))[0]
		if got.Status != No || !strings.Contains(got.Reason, says) || strings.Contains(got.Reason, not) {
			t.Errorf("%v: %s", got.Status, got.Reason)
		}
	}
	check(false, "cgroup.subtree_control", "PMU")
	check(true, "PMU cpu of this processor does not count it", "subtree_control")
}

// TestPinnedGroupIsTried: the trial of a group opens it as a run does, pinned and
// exclusive on the leader alone: the kernel answers EINVAL to a member with them.
func TestPinnedGroupIsTried(t *testing.T) {
	s := fixture(t, "intel")
	events, err := s.Parse("{cycles,instructions:D}:e")
	if err != nil {
		t.Fatal(err)
	}
	const wholeGroup = unix.PerfBitPinned | unix.PerfBitExclusive
	p := &Packing{Events: events}
	for _, e := range events {
		p.attrs = append(p.attrs, kernelAttr(e.Attr))
	}
	var bits []uint64
	m := machine{sys: s, open: func(k *kattr, pid, cpu, groupFD, flags int) (int, error) {
		bits = append(bits, k.Bits&wholeGroup)
		return devNull()
	}}
	m.fits(p, []int{0, 1})
	if !slices.Equal(bits, []uint64{wholeGroup, 0}) {
		t.Errorf("pinned and exclusive bits of leader and member: %#x", bits)
	}
}

// TestGroupTooLarge: a group that the kernel does not open is left out, and the
// others are counted.
func TestGroupTooLarge(t *testing.T) {
	s := fixture(t, "intel")
	events, err := s.Parse("{cycles,instructions,branches},branch-misses,cs")
	if err != nil {
		t.Fatal(err)
	}
	before := len(openFiles())
	inGroup := map[int]int{} // members by leader
	m := machine{sys: s, open: func(k *kattr, pid, cpu, groupFD, flags int) (int, error) {
		if groupFD < 0 {
			fd, err := devNull()
			inGroup[fd] = 1
			return fd, err
		}
		if inGroup[groupFD]++; inGroup[groupFD] > 2 && k.Type == typeHardware {
			return -1, unix.EINVAL
		}
		return devNull()
	}}
	p, err := m.packing(m.probe(events, Command()), PackOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range p.Groups {
		if want := len(g.Members) == 3; g.Refused != want || want && g.Fits != No {
			t.Errorf("%s: %+v", p.names(g), g)
		}
	}
	set, err := Open(p, p.Turns-1, Command())
	if err != nil {
		t.Fatal(err)
	}
	if len(set.fds) != 2 && p.Turns == 1 || len(set.fds) == 0 {
		t.Errorf("%d counters are open: %+v", len(set.fds), p.Groups)
	}
	if set.Close(); len(openFiles()) != before {
		t.Errorf("%d files were open, now %d", before, len(openFiles()))
	}
}

// TestOldBigLittle: a kernel that knows no numbers of PMUs above the config of a
// generic event counts it by the PMU's own number, under the same name.
func TestOldBigLittle(t *testing.T) {
	s := fixture(t, "arm-biglittle")
	var opened []Attr
	m := machine{sys: s, open: refusing(func(k *kattr) unix.Errno {
		if k.Type <= typeHWCache && k.Config>>pmuTypeShift != 0 {
			return unix.ENOENT
		}
		opened = append(opened, Attr{Type: k.Type, Config: k.Config})
		return 0
	})}
	check := func(list string, status Status, want ...Attr) {
		t.Helper()
		events, err := s.Parse(list)
		if err != nil {
			t.Fatal(err)
		}
		opened = nil
		got := m.probe(events, Command())
		for i, g := range got {
			if g.Status != status || g.Event.Name != events[i].Name {
				t.Errorf("%s: %v as %s, want %v as %s", list, g.Status, g.Event.Name, status, events[i].Name)
			}
		}
		if !slices.Equal(opened, want) {
			t.Errorf("%s: opened %+v, want %+v", list, opened, want)
		}
	}
	check("cycles", Yes, Attr{Type: 8, Config: 0x11}, Attr{Type: 9, Config: 0x11})
	check("instructions:u", Yes, Attr{Type: 8, Config: 8}, Attr{Type: 9, Config: 8})
	check("stalled-cycles-frontend", Yes, Attr{Type: 8, Config: 0x23}, Attr{Type: 9, Config: 0x23})
	check("branches", No)        // sysfs does not name it
	check("LLC-load-misses", No) // nor any cache event
}

// TestTracefsPermission checks that an unreadable tracefs is told from one that
// is not mounted.
func TestTracefsPermission(t *testing.T) {
	s := fixture(t, "trace")
	s.Root = closedFS{s.Root}
	_, err := s.Parse("cs,sched:sched_wakeup")
	var pe *ParseError
	if !errors.As(err, &pe) || pe.Offset != 3 || !strings.Contains(pe.Msg, "root only") || !strings.Contains(pe.Msg, "mode=755") {
		t.Errorf("unreadable tracefs: %v", err)
	}
}

// closedFS lets nobody into tracefs.
type closedFS struct{ fs.FS }

func (c closedFS) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, "sys/kernel/tracing") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return c.FS.Open(name)
}

// TestTracefsElsewhere checks a mount point that only /proc/mounts knows.
func TestTracefsElsewhere(t *testing.T) {
	if got := tracefsMounts("proc /proc proc rw 0 0\ntracefs /my\\040trace tracefs rw 0 0\n"); len(got) != 1 || got[0] != "my trace" {
		t.Errorf("tracefs mounts: %q", got)
	}
}

// TestCgroupMount checks where control groups are looked for.
func TestCgroupMount(t *testing.T) {
	const v2 = "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
	const v1 = "cgroup /sys/fs/cgroup/perf cgroup rw,perf_event 0 0\n"
	const cpu = "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu,cpuacct 0 0\n"
	for mounts, want := range map[string]string{
		v2: "/sys/fs/cgroup/unified", v1: "/sys/fs/cgroup/perf", v2 + v1: "/sys/fs/cgroup/perf",
		cpu + v2: "/sys/fs/cgroup/unified", cpu: "", "": "",
	} {
		if got := cgroupMount(mounts); got != want {
			t.Errorf("%q: %q, want %q", mounts, got, want)
		}
	}
}

// Permission is asked about before the PMU: a user without it must not be told
// that a machine without a PMU could count in user mode.
func TestNoPMUBehindNoPermission(t *testing.T) {
	s := fixture(t, "trace")
	m := machine{sys: s, open: refusing(func(k *kattr) unix.Errno {
		if k.Bits&unix.PerfBitExcludeKernel == 0 {
			return unix.EACCES
		}
		return unix.ENOENT
	})}
	got := m.probe([]Event{one(t, s, "cycles")}, Command())[0]
	if got.Status != No || !strings.Contains(got.Reason, "virtual PMU") || strings.Contains(got.Reason, "still") {
		t.Errorf("%v: %s", got.Status, got.Reason)
	}
}
