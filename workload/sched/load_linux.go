package sched

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A LoadSpec is work that goes on beside what is measured. Give it to
// StartLoad.
type LoadSpec struct {
	Busy   int           // so many tasks that compute all the time; or
	CPUs   []int         // one real-time task on each of these, which
	Period time.Duration // in every period
	Run    time.Duration // computes for this long
}

// loadPriority is the SCHED_FIFO priority of real-time loads: above nothing
// but the lowest, since most of the kernel's own threads are at 50.
const loadPriority = 10

// ParseLoad reads "cpu:N" or "rt:cpus=4-7,period=100ms,run=20ms". It is false
// for a text that is neither, which is then a command.
func ParseLoad(text string) (s LoadSpec, isLoad bool, err error) {
	kind, rest, ok := strings.Cut(text, ":")
	bad := func(msg string) (LoadSpec, bool, error) {
		return LoadSpec{}, true, &ParseError{Input: text, Msg: msg}
	}
	switch {
	case ok && kind == "cpu":
		if s.Busy, err = strconv.Atoi(rest); err != nil || s.Busy < 1 || s.Busy > mostTasks {
			return bad("is not cpu:N with a number of tasks")
		}
		return s, true, nil
	case !ok || kind != "rt":
		return LoadSpec{}, false, nil
	}
	s.Period, s.Run = 100*time.Millisecond, 20*time.Millisecond
	for _, part := range splitParams(rest) {
		key, value, _ := strings.Cut(part, "=")
		switch key {
		case "cpus":
			s.CPUs, err = parseCPUs(value)
		case "period":
			s.Period, err = time.ParseDuration(value)
		case "run":
			s.Run, err = time.ParseDuration(value)
		default:
			return bad(fmt.Sprintf("has %q, which is none of cpus=LIST, period=D, run=D", part))
		}
		if err != nil {
			return bad(fmt.Sprintf("has %q: %v", part, err))
		}
	}
	switch {
	case len(s.CPUs) == 0:
		return bad("does not say on which CPUs: rt:cpus=0")
	case s.Run <= 0 || s.Period < time.Millisecond || s.Run >= s.Period:
		return bad("needs 0 < run < period, and a period of 1ms or more")
	}
	return s, true, nil
}

// Check finds out whether the load can be started here. An error is a
// *CheckError.
func (s LoadSpec) Check() error {
	p := Spec{Name: "syscall", Tasks: max(s.Busy, len(s.CPUs)), Loops: 1}
	if len(s.CPUs) > 0 {
		p.Place = Placement{CPUs: s.CPUs, Policy: Policy{Name: "fifo", Value: loadPriority}}
	}
	return Check(p)
}

// A Load is a load that runs.
type Load struct {
	spec   LoadSpec
	cancel context.CancelFunc
	ended  chan struct{}
	err    error // after ended
	rounds int64
	missed int64
}

// StartLoad starts a load on a thread of its own, which no counter of the
// calling thread sees, and returns when it runs.
func StartLoad(s LoadSpec) (*Load, error) {
	ctx, cancel := context.WithCancel(context.Background())
	l := &Load{spec: s, cancel: cancel, ended: make(chan struct{})}
	began := make(chan struct{})
	go func() {
		defer close(l.ended)
		runtime.LockOSThread() // the tasks die with it
		_, err := l.definition().run(ctx, Spec{Name: "background"}, Region{
			Begin: func() error { close(began); return nil },
		})
		if !errors.Is(err, context.Canceled) {
			l.err = err
		}
	}()
	select {
	case <-began:
		return l, nil
	case <-l.ended:
		cancel()
		return nil, fmt.Errorf("starting the background load: %w", l.err)
	}
}

// definition is the load as a workload that never ends.
func (l *Load) definition() *definition {
	s := l.spec
	n := max(s.Busy, len(s.CPUs))
	return &definition{
		tasks: func(Spec) int { return n },
		setUp: func(c *crew, _ Spec) error {
			for i := range n {
				if s.Busy > 0 {
					c.add(kindBusy)
					continue
				}
				t := c.add(kindPeriodic)
				t.interval, t.length = int64(s.Period), int64(s.Run)
				m, err := c.mask(s.CPUs[i])
				if err != nil {
					return err
				}
				t.mask = m
				a, err := c.attr(Placement{Policy: Policy{Name: "fifo", Value: loadPriority}})
				if err != nil {
					return err
				}
				t.attr = a
			}
			return nil
		},
		last: func(c *crew) {
			for i := range n {
				l.rounds += c.tasks[i].recorded
				l.missed += c.tasks[i].missed
			}
		},
	}
}

// Ended is closed when the load has ended. It should not before Stop.
func (l *Load) Ended() <-chan struct{} { return l.ended }

// Stop ends the load. Of a real-time load it says in how many periods, of how
// many, the work was not done in time.
func (l *Load) Stop() (missed, periods int64, err error) {
	l.cancel()
	<-l.ended
	return l.missed, l.rounds, l.err
}
