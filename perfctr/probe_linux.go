package perfctr

import (
	"fmt"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// machine is a kernel to ask and the files that explain its answers. Tests
// put both in place.
type machine struct {
	sys  *System
	open opener
}

func thisMachine() machine { return machine{sys: Host(), open: perfEventOpen} }

// Probe asks the kernel of this machine, by opening and closing it, whether
// each event can be counted on target, and in which form: as asked; without
// exclude_guest, which some PMUs refuse; without kernel mode, marked ":u", when
// that is all that this user may count. The answers are in the order of events.
func Probe(events []Event, target Target) []Support {
	// A target of the calling thread must not change under the probe.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return thisMachine().probe(events, target)
}

func (m machine) probe(events []Event, target Target) []Support {
	out := make([]Support, len(events))
	for i, e := range events {
		if e.Source == SourceRun {
			out[i] = aroundRun(e, target)
		} else if e.Sum == 0 {
			out[i] = m.ladder(e, target)
		}
	}
	for i, e := range events {
		if e.Sum > 0 {
			out[i] = sumSupport(e, out[i+1:i+1+e.Sum])
		}
	}
	return out
}

// aroundRun is the answer for what wait4(2) and the clock say of a command: of
// anything else only the clock says something.
func aroundRun(e Event, t Target) Support {
	if e.ofCommand() && t.beside() {
		// No event is named: the three share one footnote.
		return Support{Event: e, Status: No, Err: ErrNotSupported,
			Reason: "this is known of a command when it ends, and something else is counted here; task-clock is the CPU time of whatever is counted"}
	}
	return Support{Event: e, Status: Yes}
}

// ladder tries one event in forms that ask for less and less.
func (m machine) ladder(e Event, target Target) Support {
	err := m.try(e, target)
	if err == nil {
		return Support{Event: e, Status: Yes}
	}
	if own, ok := m.sys.ownNumber(e); ok && isAny(err, syscall.ENOENT) {
		if s := m.ladder(own, target); s.Status == Yes {
			return s
		}
	}
	first := err
	var userErr error // of the last form without kernel mode
	for _, form := range forms(e) {
		u := form.event
		if form.userMode && !isAny(first, syscall.EACCES, syscall.EPERM) {
			continue
		}
		if err = m.try(u, target); err != nil {
			if form.userMode {
				userErr = err
			}
			continue
		}
		s := Support{Event: u, Status: Yes}
		if form.userMode && u.Name != e.Name {
			s.Err = m.openError(e, target, first)
			s.Reason = fmt.Sprintf("%s is counted as %s, in user mode only: %s", e.Name, u.Name, m.sys.permissionHint(u, target))
		}
		return s
	}
	// The first error speaks for all: those of the lesser forms are often about
	// what was left out (msr answers EINVAL to exclude_kernel).
	oe := m.openError(e, target, first)
	s := Support{Event: e, Err: oe, Reason: oe.Hint()}
	switch {
	case isAny(userErr, syscall.ENOENT, syscall.ENODEV):
		// Permission is asked about before the PMU: with it, or in user mode
		// alone, there would still be nobody to count.
		oe = m.openError(e, target, userErr)
		return Support{Event: e, Status: No, Err: oe, Reason: oe.Hint()}
	case userErr != nil:
		oe.hint = m.sys.paranoidHint(target) // in user mode neither
		s.Reason = oe.hint
	}
	switch {
	case isAny(first, syscall.EACCES, syscall.EPERM):
		s.Status = NotPermitted
	case isAny(first, syscall.ENOENT, syscall.EINVAL, syscall.EOPNOTSUPP, syscall.ENODEV, syscall.ENOSYS, syscall.E2BIG):
		s.Status = No
	default:
		s.Status = CannotTell
	}
	return s
}

// A form is an event that asks for less than another.
type form struct {
	event    Event
	userMode bool // kernel mode was taken away
}

// forms lists the lesser forms of e, best first.
func forms(e Event) []form {
	var all []form
	add := func(e Event, userMode bool) {
		all = append(all, form{e, userMode})
		if e.Attr.Precise == PreciseMax {
			for p := 2; p >= 0; p-- {
				less := e
				less.Attr.Precise = uint8(p)
				all = append(all, form{less, userMode})
			}
		}
		// Some PMUs (msr, old x86, several of ARM) refuse exclude_guest, which
		// perf sets on every event that is not about guests.
		if e.Attr.Flags&ExcludeGuest != 0 {
			less := e
			less.Attr.Flags &^= ExcludeGuest
			all = append(all, form{less, userMode})
		}
	}
	add(e, false)
	if u, ok := e.userOnly(); ok {
		add(u, true)
	}
	return all[1:]
}

// try opens the event as a leader on target and closes it.
func (m machine) try(e Event, target Target) error {
	p, done, err := m.sys.firstPlace(target, e)
	defer done()
	if err != nil {
		return err
	}
	k := kernelAttr(e.Attr)
	k.Bits |= target.bits(true)
	fd, err := m.open(&k, p.pid, p.cpu, -1, p.flags)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func (m machine) openError(e Event, target Target, err error) *OpenError {
	hint := m.sys.hint(e, target, err)
	// ENOENT is the answer about an event that nobody counts, and about a cgroup
	// without the controller. Asking without the cgroup tells them apart.
	if target.Kind == OnCgroup && isAny(err, syscall.ENOENT) && m.try(e, CPUs(target.CPUs...)) == nil {
		hint = fmt.Sprintf("the cgroup %s has no perf_event controller: cgroup v2 gives it to a group only when the group above has enabled "+
			"some controller: `echo +pids >cgroup.subtree_control` there, or another one of its cgroup.controllers", target.Cgroup)
	}
	return &OpenError{Event: e, Target: target, Err: err, hint: hint}
}

// sumSupport says of a sum what its parts say: it can be counted when all of
// them can, and in user mode only when one of them can do no more.
func sumSupport(sum Event, parts []Support) Support {
	s := Support{Event: sum, Status: Yes}
	for _, p := range parts {
		if p.Status != Yes {
			return Support{Event: sum, Status: p.Status, Err: p.Err,
				Reason: fmt.Sprintf("%s cannot be counted: %s", p.Event.Name, p.Reason)}
		}
		if p.Err != nil && s.Err == nil {
			s.Err, s.Reason = p.Err, p.Reason
			if u, ok := sum.userOnly(); ok {
				s.Event = u
			}
		}
	}
	return s
}
