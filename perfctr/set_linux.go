package perfctr

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Set is the counters of one run, open. Its owner closes it. It is not for
// use by several goroutines at once.
type Set struct {
	packing *Packing
	target  Target
	opened  []opened
	fds     []int    // of all groups at all places, in the order of opened
	buf     []uint64 // for reading
}

// opened is one group at one place; its counters are fds[first:first+n].
type opened struct {
	group    int
	first, n int
}

// Open opens the groups of one turn, disabled, with inheritance. For Command
// they begin to count at the exec of what the calling thread starts, for other
// targets at Enable. Counters are opened anew for each run: a reset would keep
// what exited children added, and the times.
//
// An error is an *OpenError, and nothing is left open.
func Open(p *Packing, turn int, target Target) (*Set, error) {
	if turn < 0 || turn >= p.Turns {
		panic(fmt.Sprintf("perfctr: there is no turn %d in a packing of %d", turn, p.Turns))
	}
	s := &Set{packing: p, target: target}
	if err := s.openAll(turn); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// openAll opens at all places of the target.
func (s *Set) openAll(turn int) error {
	switch s.target.Kind {
	case OnProcess:
		return s.attach(turn)
	case OnCPUs, OnCgroup:
		places, done, err := s.packing.sys.widePlaces(s.target)
		defer done()
		if err != nil {
			return err
		}
		return s.openAt(turn, places...)
	}
	return s.openAt(turn, callingThread)
}

// openAt opens the groups of a turn at some places.
func (s *Set) openAt(turn int, places ...place) error {
	for g, group := range s.packing.Groups {
		if group.Turn != turn && group.Turn != Always || group.Refused {
			continue
		}
		at := places
		if s.target.wide() {
			at = onOwnCPUs(places, s.packing.Events[group.Members[0]])
		}
		for _, where := range at {
			if err := s.openGroup(g, where); err != nil {
				return err
			}
		}
	}
	return nil
}

// openGroup opens the members of one group at one place.
func (s *Set) openGroup(g int, where place) error {
	p := s.packing
	o := opened{group: g, first: len(s.fds)}
	s.opened = append(s.opened, o)
	leader := -1
	for n, i := range p.Groups[g].Members {
		k := p.attrs[i]
		k.Bits |= s.target.bits(n == 0)
		k.Bits = p.leaderBits(p.Groups[g].Members, n == 0, k.Bits)
		if !p.single {
			k.Read_format |= unix.PERF_FORMAT_GROUP
		}
		fd, err := p.open(&k, where.pid, where.cpu, leader, where.flags)
		if isAny(err, unix.EMFILE) && raiseFileLimit() {
			fd, err = p.open(&k, where.pid, where.cpu, leader, where.flags)
		}
		if err != nil {
			m := machine{sys: p.sys}
			return m.openError(p.Events[i], s.target, err)
		}
		if n == 0 {
			leader = fd
		}
		s.fds = append(s.fds, fd)
		s.opened[len(s.opened)-1].n++
	}
	return nil
}

// leaderBits moves pinned and exclusive to the leader: the kernel refuses them on
// a member (EINVAL), and perf too sets them for the group as a whole.
func (p *Packing) leaderBits(members []int, leader bool, bits uint64) uint64 {
	const wholeGroup = unix.PerfBitPinned | unix.PerfBitExclusive
	bits &^= wholeGroup
	if leader {
		for _, i := range members {
			bits |= p.attrs[i].Bits & wholeGroup
		}
	}
	return bits
}

// Enable lets the counters count. Not for Command, whose counters are enabled
// by exec.
func (s *Set) Enable() error { return s.ioctl(unix.PERF_EVENT_IOC_ENABLE, "enabling") }

// Disable stops the counters. Children that exec later count again when the
// target is Command.
func (s *Set) Disable() error { return s.ioctl(unix.PERF_EVENT_IOC_DISABLE, "disabling") }

func (s *Set) ioctl(request uint, doing string) error {
	for _, o := range s.opened {
		if err := unix.IoctlSetInt(s.fds[o.first], request, unix.PERF_IOC_FLAG_GROUP); err != nil {
			name := s.packing.Events[s.packing.Groups[o.group].Members[0]].Name
			return fmt.Errorf("%s the group of %s: %w", doing, name, err)
		}
	}
	return nil
}

// Read reads all counters, in the order of Packing.Events. Call it after the
// command has been waited for: what a task counted is added to the counter
// when it exits. Events of SourceRun read ByRun, those of other turns
// OtherTurn, those that are not supported NotSupported.
//
// Read comes before Close: closing a leader sets its siblings free, and they
// would go on counting on their own.
func (s *Set) Read() ([]Reading, error) {
	p := s.packing
	readings := make([]Reading, len(p.Events))
	for i, e := range p.Events {
		switch {
		case !p.supported[i]:
			readings[i].State = NotSupported
		case e.Source == SourceRun:
			readings[i].State = ByRun
		default:
			readings[i].State = OtherTurn
		}
	}
	for _, o := range s.opened {
		var err error
		if p.single {
			err = s.readSingles(o, readings)
		} else {
			err = s.readGroup(o, readings)
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range readings {
		settle(&readings[i])
	}
	addSums(p.Events, readings)
	return readings, nil
}

// readGroup reads {nr, enabled, running, value...} from the leader.
func (s *Set) readGroup(o opened, readings []Reading) error {
	const header = 3
	buf := s.buffer(header + o.n)
	members := s.packing.Groups[o.group].Members
	if err := s.readWords(s.fds[o.first], buf, members[0]); err != nil {
		return err
	}
	if buf[0] != uint64(o.n) {
		return fmt.Errorf("reading the group of %s: the kernel says %d values for %d counters",
			s.packing.Events[members[0]].Name, buf[0], o.n)
	}
	for n, i := range members {
		add(&readings[i], buf[header+n], buf[1], buf[2])
	}
	return nil
}

// readSingles reads {value, enabled, running} from each counter.
func (s *Set) readSingles(o opened, readings []Reading) error {
	buf := s.buffer(3)
	for n, i := range s.packing.Groups[o.group].Members {
		if err := s.readWords(s.fds[o.first+n], buf, i); err != nil {
			return err
		}
		add(&readings[i], buf[0], buf[1], buf[2])
	}
	return nil
}

func (s *Set) buffer(n int) []uint64 {
	if cap(s.buf) < n {
		s.buf = make([]uint64, n)
	}
	return s.buf[:n]
}

// readWords fills buf from a counter. A pinned counter that lost its place on
// the PMU reads as end of file (perf_event_read: PERF_EVENT_STATE_ERROR); that
// is not counted, not an error.
func (s *Set) readWords(fd int, buf []uint64, event int) error {
	n, err := unix.Read(fd, bytesOf(buf))
	switch {
	case err != nil:
		return fmt.Errorf("reading %s: %w", s.packing.Events[event].Name, err)
	case n == 0:
		clear(buf)
		if !s.packing.single && len(buf) > 3 {
			buf[0] = uint64(len(buf) - 3)
		}
	case n != len(buf)*8:
		return fmt.Errorf("reading %s: %d bytes instead of %d", s.packing.Events[event].Name, n, len(buf)*8)
	}
	return nil
}

// bytesOf is the memory of some words, for read(2).
func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*8)
}

// add adds what one counter said; the state is settled when all are added.
func add(r *Reading, raw, enabled, running uint64) {
	r.State = Counted
	r.Raw += raw
	r.Enabled += time.Duration(enabled)
	r.Running += time.Duration(running)
}

// settle takes the count away from a counter that never ran: its zero would
// look like a count.
func settle(r *Reading) {
	if r.State == Counted && (r.Enabled == 0 || r.Running == 0) {
		*r = Reading{State: NotCounted, Enabled: r.Enabled}
	}
}

// Close closes all counters. It may be called again.
func (s *Set) Close() error {
	var errs []error
	for _, fd := range s.fds {
		if err := unix.Close(fd); err != nil {
			errs = append(errs, fmt.Errorf("closing a counter: %w", err))
		}
	}
	s.fds, s.opened = nil, nil
	return errors.Join(errs...)
}
