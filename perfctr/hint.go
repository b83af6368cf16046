package perfctr

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
)

// Paranoid reads the sysctl kernel.perf_event_paranoid, which says what a user
// without CAP_PERFMON may count.
func (s *System) Paranoid() (int, error) {
	if s.Proc == nil {
		return 0, fs.ErrNotExist
	}
	b, err := fs.ReadFile(s.Proc, "sys/kernel/perf_event_paranoid")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}

// paranoidAllows says what each level lets a user do who has no CAP_PERFMON
// (Documentation/admin-guide/sysctl/kernel.rst; levels above 2 are patches of
// distributions).
func paranoidAllows(level int) string {
	switch {
	case level < 0:
		return "everything is allowed"
	case level == 0:
		return "everything is allowed but the contents of tracepoints"
	case level == 1:
		return "own tasks may be counted in user and kernel mode, whole CPUs may not"
	case level == 2:
		return "own tasks may be counted in user mode only"
	}
	return "nothing may be counted without CAP_PERFMON"
}

// hint turns an errno into advice. It reads the machine to say what it found.
func (s *System) hint(e Event, t Target, err error) string {
	switch {
	case isAny(err, syscall.EACCES, syscall.EPERM):
		return s.permissionHint(e, t)
	case isAny(err, syscall.ENOENT):
		return s.missingHint(e)
	case isAny(err, syscall.EINVAL):
		if e.Uncore && !t.wide() {
			return fmt.Sprintf("%s counts whole CPUs and cannot be attached to a task: "+
				"count it system-wide (--system-wide or --cpu-target)", e.Name)
		}
		return fmt.Sprintf("this kernel does not take %s with these terms and modifiers: "+
			"check them against /sys/bus/event_source/devices/%s/format and drop modifiers one by one", e.Name, e.PMU)
	case isAny(err, syscall.EOPNOTSUPP):
		return fmt.Sprintf("the PMU %s cannot count %s in this way (exclusions, precise events and sampling "+
			"are not offered by every PMU): drop the modifiers", e.PMU, e.Name)
	case isAny(err, syscall.EBUSY):
		return fmt.Sprintf("somebody else holds the counter that %s needs alone: another perf, a profiler or "+
			"the NMI watchdog (`sysctl kernel.nmi_watchdog=0` frees one counter)", e.Name)
	case isAny(err, syscall.ENODEV):
		return fmt.Sprintf("the PMU %s or the CPU is not there (offline?): compare the CPUs asked for with "+
			"/sys/devices/system/cpu/online", e.PMU)
	case isAny(err, syscall.EBADF) && t.Kind == OnCgroup:
		return fmt.Sprintf("%s is not a cgroup that perf events know: give a directory of cgroup v2, or of the perf_event "+
			"hierarchy where v1 has it", t.Cgroup)
	case isAny(err, syscall.EMFILE):
		return "the process has no file descriptors left (one is needed for each event on each thread or CPU): " +
			"raise the hard limit with `ulimit -Hn`, or count fewer events, threads or CPUs"
	case isAny(err, syscall.ENFILE):
		return "the system has no file descriptors left: raise the sysctl fs.file-max or count fewer events"
	case isAny(err, syscall.ENOSPC):
		return fmt.Sprintf("all the counters or breakpoints that %s could use are taken: count fewer of them "+
			"at the same time", e.Name)
	case isAny(err, syscall.ESRCH):
		return fmt.Sprintf("the process %d is gone: start it again and give its new number", t.PID)
	case isAny(err, syscall.E2BIG):
		return fmt.Sprintf("this kernel is too old to know all that %s asks for: drop terms that are new", e.Name)
	case isAny(err, syscall.EOVERFLOW):
		return "a group of this size cannot be read: split it"
	case isAny(err, syscall.ENOSYS):
		return "this kernel has no perf events (CONFIG_PERF_EVENTS), or a container's seccomp filter hides them"
	}
	return fmt.Sprintf("the kernel's answer was unexpected; `perf stat -e '%s' true` tells whether perf gets the same", e.Spec)
}

// permissionHint is for EACCES and EPERM: the present level, what it allows,
// the way out, and what is left.
func (s *System) permissionHint(e Event, t Target) string {
	hint := s.paranoidHint(t)
	level, err := s.Paranoid()
	if u, ok := e.userOnly(); ok && err == nil && level == 2 && !t.wide() {
		hint += fmt.Sprintf("; %s can still be counted", u.Name)
	}
	return hint
}

// paranoidHint says the same of the target alone.
func (s *System) paranoidHint(t Target) string {
	level, err := s.Paranoid()
	if err != nil {
		return "perf events are not permitted and kernel.perf_event_paranoid cannot be read: " +
			"a container's seccomp filter or a security module may forbid them; give it CAP_PERFMON"
	}
	want := 1
	if t.wide() {
		want = 0
	}
	var b strings.Builder
	fmt.Fprintf(&b, "kernel.perf_event_paranoid is %d: %s", level, paranoidAllows(level))
	switch {
	case level > want:
		fmt.Fprintf(&b, "; `sysctl kernel.perf_event_paranoid=%d` as root, or CAP_PERFMON, permits it", want)
	case t.Kind == OnProcess:
		b.WriteString("; the process belongs to somebody else: run as its owner or as root")
	default:
		b.WriteString("; so a seccomp filter, a security module or a missing CAP_PERFMON must forbid it")
	}
	return b.String()
}

// missingHint is for ENOENT: nobody here counts the event.
func (s *System) missingHint(e Event) string {
	switch {
	case e.Attr.Type == typeTracepoint:
		return fmt.Sprintf("the kernel has no tracepoint %s any more: its module may have been unloaded", e.Name)
	case e.Attr.Type == typeSoftware:
		return fmt.Sprintf("this kernel is too old to count %s", e.Name)
	case len(s.corePMUs()) == 0:
		// No event is named: all that need the PMU share one footnote.
		return "this needs the processor's counters and this machine shows none to Linux: a virtual machine " +
			"needs a virtual PMU (KVM: `-cpu host,pmu=on`), a cloud instance a bare-metal size; `microcost kernel` counts " +
			"instructions in an emulated machine without one"
	}
	// Here too: a list may have forty of them.
	return fmt.Sprintf("the PMU %s of this processor does not count it: `microcost list` shows what it does", e.PMU)
}
