package perfctr

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// attachTries is how often the threads of a process are counted again when new
// ones were born while counters were being opened.
const attachTries = 20

// attach opens on every thread of a process that runs. A counter on one thread
// is inherited by the threads that this one starts, so a thread born between
// the listing and the opening may have counters already or may not, and there
// is no way to ask. Therefore the threads are listed again afterwards, and when
// there is a new one all is closed and done anew.
func (s *Set) attach(turn int) error {
	for range attachTries {
		before, err := s.packing.sys.threads(s.target.PID)
		if err != nil {
			return s.gone(err)
		}
		opened, err := s.attachThreads(turn, before)
		if err != nil {
			return err
		}
		after, err := s.packing.sys.threads(s.target.PID)
		if err != nil || opened == 0 {
			return s.gone(unix.ESRCH)
		}
		if len(without(after, before)) == 0 {
			return nil
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	return fmt.Errorf("attaching to process %d: in %d attempts threads were born faster than counters could be opened: "+
		"count its cgroup or the whole system instead", s.target.PID, attachTries)
}

// attachThreads opens on the threads that are still there and says how many
// they were.
func (s *Set) attachThreads(turn int, tids []int) (int, error) {
	n := 0
	for _, tid := range tids {
		mark, fds := len(s.opened), len(s.fds)
		err := s.openAt(turn, threadPlace(tid))
		if errors.Is(err, unix.ESRCH) {
			// The thread ended. What was opened on it by then counts nothing, but is
			// in the way.
			for _, fd := range s.fds[fds:] {
				unix.Close(fd)
			}
			s.opened, s.fds = s.opened[:mark], s.fds[:fds]
			continue
		}
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// gone says that the process is not there.
func (s *Set) gone(err error) error {
	m := machine{sys: s.packing.sys}
	e := Event{Name: "the events"}
	if len(s.packing.Groups) > 0 {
		e = s.packing.Events[s.packing.Groups[0].Members[0]]
	}
	return m.openError(e, s.target, err)
}

// without lists what is in a and not in b.
func without(a, b []int) []int {
	in := make(map[int]bool, len(b))
	for _, x := range b {
		in[x] = true
	}
	var rest []int
	for _, x := range a {
		if !in[x] {
			rest = append(rest, x)
		}
	}
	return rest
}
