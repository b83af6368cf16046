package workload

import (
	"fmt"
	"time"
)

// A RunError says which run or hook failed, and how.
type RunError struct {
	Variant string        // label
	Run     int           // of this variant, from 1; 0 is a warm-up
	Hook    string        // "setup", "prepare", "conclude", "cleanup"; empty is the run itself
	Exit    int           // exit status; -1 when a signal or an error ended it
	Signal  string        // name of the signal, if one ended it
	Timeout time.Duration // the limit that was exceeded, if that is why
	Err     error         // when it could not be started
	Stderr  string        // the last lines it wrote there
}

func (e *RunError) Error() string {
	who := fmt.Sprintf("run %d of %s", e.Run, e.Variant)
	if e.Run == 0 {
		who = "the warm-up run of " + e.Variant
	}
	if e.Hook != "" {
		who = fmt.Sprintf("the %s hook of %s", e.Hook, e.Variant)
	}
	switch {
	case e.Err != nil:
		return fmt.Sprintf("starting %s: %v", who, e.Err)
	case e.Timeout > 0:
		return fmt.Sprintf("%s took longer than %v and was ended", who, e.Timeout)
	case e.Signal != "":
		return fmt.Sprintf("%s was ended by %s", who, e.Signal)
	}
	return fmt.Sprintf("%s failed with exit status %d", who, e.Exit)
}

func (e *RunError) Unwrap() error { return e.Err }
