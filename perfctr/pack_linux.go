package perfctr

import (
	"errors"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// prepared is what Open needs of each event, made once: the attrs by target
// kind, and how they can be read.
type prepared struct {
	attrs  []kattr // by event; target bits are added when opening
	single bool    // the kernel refuses group reads of inherited counters
	open   opener
	sys    *System
}

// trialTime is how long a group is given to run: longer than two ticks of a
// kernel with HZ=100, because a group that other users of the PMU compete with
// gets its turn by tick (perf_event_mux_interval_ms is 4 ms by default).
const trialTime = 25 * time.Millisecond

// Pack puts the supported events into groups that fit, found by running them
// for a moment on this machine. It opens counters on the calling thread.
func Pack(supports []Support, options PackOptions) (*Packing, error) {
	// The trial counts the calling thread; it may also bind it to a CPU.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return thisMachine().packing(supports, options)
}

func (m machine) packing(supports []Support, options PackOptions) (*Packing, error) {
	p := &Packing{Multiplexed: options.Multiplex}
	p.open, p.sys = m.open, m.sys
	for _, s := range supports {
		p.Events = append(p.Events, s.Event)
		p.supported = append(p.supported, s.Status == Yes)
		p.attrs = append(p.attrs, kernelAttr(s.Event.Attr))
	}
	p.single = m.refusesGroupReads()
	p.pack(func(members []int) Status { return m.fits(p, members) })
	for i := range p.Groups {
		g := &p.Groups[i]
		if g.Fits == No && len(g.Members) > 1 {
			fds, done, err := m.trial(p, g.Members)
			closeAll(fds)
			done()
			g.Refused = isAny(err, tooLarge...)
		}
	}
	return p, nil
}

// tooLarge are the answers about a group of which the PMU's driver sees already
// that it is too large (validate_group in arch/x86/events/core.c and
// drivers/perf/arm_pmu.c: EINVAL), or for which no counter is free.
var tooLarge = []unix.Errno{unix.EINVAL, unix.ENOSPC, unix.EBUSY}

// refusesGroupReads finds out whether the kernel is older than 4.13, which
// answers EINVAL to PERF_FORMAT_GROUP together with inherit (ba5213ae6b88,
// "perf/core: Correct event creation with PERF_FORMAT_GROUP"). When anything
// else goes wrong groups are assumed to work; opening one then tells.
func (m machine) refusesGroupReads() bool {
	k := kernelAttr(Attr{Type: typeSoftware, Config: unix.PERF_COUNT_SW_DUMMY, Flags: ExcludeKernel})
	k.Bits |= unix.PerfBitDisabled | unix.PerfBitInherit
	k.Read_format |= unix.PERF_FORMAT_GROUP
	fd, err := m.open(&k, CallingThread, AnyCPU, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err == nil {
		unix.Close(fd)
	}
	return isAny(err, unix.EINVAL)
}

// fits runs the members as one group on the calling thread, or on a CPU of an
// uncore PMU, and looks whether the PMU took all of them.
func (m machine) fits(p *Packing, members []int) Status {
	fds, done, err := m.trial(p, members)
	defer done()
	defer closeAll(fds)
	switch {
	case isAny(err, tooLarge...):
		return No
	case err != nil:
		return CannotTell
	}
	return ran(fds[0])
}

// trial opens the members as one group where it can be tried. The caller closes
// what is open and then calls done, also after an error.
func (m machine) trial(p *Packing, members []int) (fds []int, done func(), err error) {
	done = func() {}
	where := callingThread
	cpus, err := ParseCPUs(p.Events[members[0]].CPUs)
	switch {
	case err != nil:
		return nil, done, err
	case p.Events[members[0]].Uncore:
		if len(cpus) == 0 {
			cpus = []int{0}
		}
		where.pid, where.cpu = AnyProcess, cpus[0]
	case len(cpus) > 0:
		// The PMU of one kind of core counts on such cores only.
		restore, err := bind(cpus)
		if err != nil {
			return nil, done, errNoTrial
		}
		done = restore
	}
	for n, i := range members {
		k := p.attrs[i]
		k.Bits = p.leaderBits(members, n == 0, k.Bits)
		leader := -1
		if n == 0 {
			k.Bits |= unix.PerfBitDisabled
		} else {
			leader = fds[0]
		}
		fd, err := m.open(&k, where.pid, where.cpu, leader, where.flags)
		if err != nil {
			return fds, done, err
		}
		fds = append(fds, fd)
	}
	return fds, done, nil
}

// errNoTrial says that the thread could not be moved to where a group is tried.
// The errno of that is none about the group.
var errNoTrial = errors.New("no CPU to try it on")

func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}

// ran enables a group and waits until the PMU has run it. A driver that
// accepted the group may still never run it: it does not know that the NMI
// watchdog holds one of its counters for good.
func ran(leader int) Status {
	if err := unix.IoctlSetInt(leader, unix.PERF_EVENT_IOC_ENABLE, unix.PERF_IOC_FLAG_GROUP); err != nil {
		return CannotTell
	}
	var buf [3]uint64
	for begin := time.Now(); time.Since(begin) < trialTime; {
		if _, err := unix.Read(leader, bytesOf(buf[:])); err != nil {
			return CannotTell
		}
		if buf[2] > 0 {
			return Yes
		}
	}
	if buf[1] == 0 {
		return CannotTell // not even enabled: the thread never met the event
	}
	return No
}

// bind moves the calling thread to some CPUs and returns what takes it back.
func bind(cpus []int) (restore func(), err error) {
	var old, set unix.CPUSet
	if err := unix.SchedGetaffinity(CallingThread, &old); err != nil {
		return nil, err
	}
	for _, c := range cpus {
		set.Set(c)
	}
	if err := unix.SchedSetaffinity(CallingThread, &set); err != nil {
		return nil, err
	}
	return func() { unix.SchedSetaffinity(CallingThread, &old) }, nil
}
