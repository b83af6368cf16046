package perfctr

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNotSupported: this machine, or this system, cannot count the event at all.
var ErrNotSupported = errors.New("not supported")

// ErrNotPermitted: the machine could, but this user may not.
var ErrNotPermitted = errors.New("not permitted")

// A ParseError is a mistake in the text of an event list.
type ParseError struct {
	Input  string
	Offset int      // bytes from the start of Input to what is wrong
	Msg    string   // lower-case phrase that names the object
	Near   []string // known names that look like it, nearest first; may be empty
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("event list %q, at byte %d: %s", e.Input, e.Offset, e.Msg)
}

// Hint says what might have been meant; empty when nothing is near.
func (e *ParseError) Hint() string {
	if len(e.Near) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(e.Near, ", ") + "?"
}
