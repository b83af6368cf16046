package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"microcost/perfctr"
	"microcost/workload"
	"microcost/workload/recording"
)

var errStopped = errors.New("stopped at once")

// echo is how long after the first interrupt another one is taken for the same:
// timeout(1) signals the process, and then its whole group.
const echo = 300 * time.Millisecond

// watch turns the user's interrupts into an orderly end, the second into one at
// once, and the third into one that does not wait for cleanup hooks either.
func (s *session) watch(cancel context.CancelCauseFunc, done <-chan struct{}) {
	select {
	case <-s.w.interrupts:
	case <-done:
		return
	}
	s.progress.interrupt()
	over := time.Now().Add(echo)
	for n := 1; ; {
		select {
		case <-s.w.interrupts:
		case <-done:
			return
		}
		if time.Now().Before(over) {
			continue
		}
		switch n++; n {
		case 2:
			cancel(errStopped)
		case 3:
			close(s.abandon)
		}
	}
}

// end says how the session ended, for the recording.
func (s *session) end(err error) recording.End {
	e := recording.End{Session: s.rec.ID, Reason: s.why}
	var run *workload.RunError
	switch {
	case errors.As(err, &run):
		e.Reason, e.Detail = recording.EndFailed, run.Error()
	case workload.IsStop(err) || errors.Is(err, errStopped):
		e.Reason = recording.EndInterrupted
	case err != nil:
		e.Reason, e.Detail = recording.EndFailed, err.Error()
	case s.progress.interrupted():
		e.Reason = recording.EndInterrupted
	case s.o.stop.maxTime > 0 && s.why == recording.EndComplete:
		e.Reason = recording.EndTime
	}
	return e
}

// conclude shows the report, if there is one, and picks the exit status.
func (s *session) conclude(runErr error) error {
	var run *workload.RunError
	switch {
	case errors.As(runErr, &run):
		return runFailed(run, s.kept())
	case workload.IsStop(runErr) || errors.Is(runErr, errStopped):
		return &MeasureError{Msg: "stopped at once", Hint: s.kept(), Err: runErr}
	case runErr != nil:
		if s.writer != nil && s.writer.Err() != nil && s.without() == "" {
			// The file lacks runs that are still in memory: show them before they
			// are gone.
			if _, err := s.w.presentGathered(s.so, nil, nil, s.o.show); err != nil {
				runErr = errors.Join(runErr, err)
			}
		}
		var m *MeasureError
		if errors.As(runErr, &m) {
			return m
		}
		return &MeasureError{Msg: runErr.Error(), Hint: s.kept(), Err: runErr}
	}
	if label := s.without(); label != "" {
		return &MeasureError{Msg: fmt.Sprintf("stopped before %s had a run: there is nothing to compare", label)}
	}
	if s.o.aa {
		if err := s.w.keepAA(s.so); err != nil {
			s.w.say("warning", fmt.Sprintf("the floors are not kept for later comparisons: %v", err))
		}
	}
	c, err := s.w.presentGathered(s.so, nil, nil, s.o.show)
	if err != nil {
		return err
	}
	return s.w.decide(c, s.o.failOn, s.o.decide)
}

// without is the label of a variant that has no run yet, or "".
func (s *session) without() string {
	if i := slices.Index(s.counts, 0); i >= 0 {
		return s.o.variants[i].Label
	}
	return ""
}

// kept says where the finished runs are.
func (s *session) kept() string {
	n := 0
	for _, c := range s.counts {
		n += c
	}
	if s.writer == nil || n == 0 {
		return ""
	}
	path := s.o.output
	if path == "" {
		path = s.w.lastRecording()
	}
	what := "finished runs are"
	if n == 1 {
		what = "finished run is"
	}
	return fmt.Sprintf("%d %s kept: microcost report %s", n, what, path)
}

// runFailed words a run that failed, with the end of what it wrote to stderr.
func runFailed(e *workload.RunError, kept string) error {
	msg := e.Error()
	if e.Stderr != "" {
		msg += "\nthe end of its stderr:\n" + e.Stderr
	}
	hint := kept
	var open *perfctr.OpenError
	if errors.As(e.Err, &open) {
		hint = strings.TrimPrefix(hint+"; "+open.Hint(), "; ")
	}
	if e.Hook == "" && e.Err == nil && e.Timeout == 0 {
		hint = strings.TrimPrefix(hint+"; --ignore-failure accepts runs that end so", "; ")
	}
	return &MeasureError{Msg: msg, Hint: hint, Err: e}
}
