package perfctr

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// A place is where one counter is opened: arguments of perf_event_open(2).
type place struct {
	pid, cpu, flags int
}

// callingThread is the place of a command that is about to be started.
var callingThread = place{CallingThread, AnyCPU, unix.PERF_FLAG_FD_CLOEXEC}

// firstPlace is a place of the target on which an event can be tried. The
// caller calls done when it is no longer needed.
func (t Target) firstPlace(e Event) (p place, done func(), err error) {
	done = func() {}
	switch t.Kind {
	case OnExec, OnThread:
		return callingThread, done, nil
	case OnProcess:
		return place{t.PID, AnyCPU, unix.PERF_FLAG_FD_CLOEXEC}, done, nil
	}
	return place{}, done, fmt.Errorf("counting this target: %w", ErrNotSupported)
}
