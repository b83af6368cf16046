package cli

import "fmt"

// The exit statuses, as docs and the manual state them.
const (
	ExitMeasured  = 0 // measured; no condition asked about holds
	ExitCondition = 1 // a --fail-on condition holds
	ExitUsage     = 2 // the command line or an input file is wrong
	ExitFailed    = 3 // could not measure
	ExitUndecided = 4 // --require-decision, and there is none
)

// A UsageError is a mistake in the command line or in an input file: exit 2,
// nothing done.
type UsageError struct {
	Msg  string // lower case, names the object
	Hint string // the way out; may be empty
}

func (e *UsageError) Error() string { return e.Msg }

// usagef makes a UsageError with a hint and a formatted message.
func usagef(hint, format string, args ...any) error {
	return &UsageError{Msg: fmt.Sprintf(format, args...), Hint: hint}
}

// A MeasureError says that nothing could be measured, or not enough: exit 3.
type MeasureError struct {
	Msg  string
	Hint string
	Err  error
}

func (e *MeasureError) Error() string { return e.Msg }
func (e *MeasureError) Unwrap() error { return e.Err }

// An ExitError ends the command with a status and says nothing more: what was
// to be said is on the report already.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return fmt.Sprintf("exit status %d", e.Code) }
