package perfctr

import (
	"errors"
	"fmt"
	"syscall"
)

// An OpenError says that the kernel refused a counter.
type OpenError struct {
	Event  Event
	Target Target
	Err    error // the errno; errors.Is finds ErrNotSupported and ErrNotPermitted too

	hint string
}

func (e *OpenError) Error() string {
	return fmt.Sprintf("opening %s: perf_event_open: %v", e.Event.Name, e.Err)
}

// Unwrap gives the errno, and the class of the failure where there is one.
func (e *OpenError) Unwrap() []error {
	switch {
	case isAny(e.Err, syscall.EACCES, syscall.EPERM):
		return []error{e.Err, ErrNotPermitted}
	case isAny(e.Err, syscall.ENOENT, syscall.EOPNOTSUPP, syscall.ENODEV, syscall.EINVAL, syscall.ENOSYS):
		return []error{e.Err, ErrNotSupported}
	}
	return []error{e.Err}
}

// Hint is a sentence or two that say why, as far as it can be known, and what
// would help. It is never empty.
func (e *OpenError) Hint() string { return e.hint }

// isAny reports whether err is one of the numbers.
func isAny(err error, numbers ...syscall.Errno) bool {
	for _, n := range numbers {
		if errors.Is(err, n) {
			return true
		}
	}
	return false
}
