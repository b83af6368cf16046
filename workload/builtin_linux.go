package workload

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microcost/perfctr"
	"microcost/workload/recording"
	"microcost/workload/sched"
)

// Builtin is a variant that runs a workload of package sched. Its Argv is the
// command that would run the same by itself.
func Builtin(s sched.Spec) Variant {
	argv := []string{"microcost", "workload", s.Name}
	argv = append(argv, s.Args()...)
	return Variant{Builtin: &s, Argv: argv, Text: s.String()}
}

// OwnEvents are the events that the built-in workloads of some variants measure
// themselves: operations first. It is empty when there is no such variant.
func OwnEvents(variants []Variant) []perfctr.Event {
	var list []perfctr.Event
	seen := map[string]bool{}
	for _, v := range variants {
		if v.Builtin == nil {
			continue
		}
		for _, m := range v.Builtin.Metrics() {
			if !seen[m.Name] {
				seen[m.Name] = true
				list = append(list, perfctr.Event{
					Name: m.Name, Spec: m.Name, Source: perfctr.SourceRun, Unit: perfctr.Unit(m.Unit), Scale: m.Scale,
				})
			}
		}
	}
	return list
}

// errTimeout is the cause of a context that a run's time limit ended.
var errTimeout = errors.New("the run's time is up")

// measureBuiltin makes one run of a built-in workload.
func (r *Runner) measureBuiltin(ctx context.Context, v *Variant, slot Slot, number int) (*recording.Sample, error) {
	if r.cfg.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.cfg.Timeout, errTimeout)
		defer cancel()
	}
	run, err := CountBuiltin(ctx, *v.Builtin, r.cfg.Counters, slot.Block)
	if err != nil {
		fail := &RunError{Variant: v.Label, Run: number, Exit: -1, Err: err}
		if errors.Is(err, errTimeout) {
			fail.Err, fail.Timeout = nil, r.cfg.Timeout
		}
		return nil, fail
	}
	return &recording.Sample{
		Variant: slot.Variant, Run: number, Block: slot.Block, Position: slot.Position,
		WarmUp: slot.Block < 0, Pad: slot.Pad, Start: run.Began.Sub(r.cfg.Origin), Counts: run.Counts,
	}, nil
}

// A BuiltinRun is one run of a built-in workload.
type BuiltinRun struct {
	Result *sched.Result
	Counts []*recording.Count // of the steady region, in the order of the events
	Began  time.Time          // of the steady region
}

// CountBuiltin makes one run of a built-in workload on the calling thread,
// which is locked. The counters, of the block's turn, are opened on the thread,
// inherited by the tasks that are forked from it, and enabled in the steady
// region only.
func CountBuiltin(ctx context.Context, s sched.Spec, counters *perfctr.Packing, block int) (*BuiltinRun, error) {
	set, err := perfctr.Open(counters, turnOf(counters, block), perfctr.Thread())
	if err != nil {
		return nil, err
	}
	defer set.Close()
	run := &BuiltinRun{}
	run.Result, err = sched.Run(ctx, s, sched.Region{
		Begin: func() error { run.Began = time.Now(); return set.Enable() },
		End:   set.Disable,
	})
	if err != nil {
		return nil, err
	}
	readings, err := set.Read()
	if err != nil {
		return nil, fmt.Errorf("reading the counters: %w", err)
	}
	own := map[string]uint64{}
	for _, m := range s.Metrics() {
		own[m.Name] = m.Raw(run.Result)
	}
	run.Counts = counts(counters, readings, outside{
		elapsed: run.Result.Elapsed, user: run.Result.User, system: run.Result.System, own: own,
	})
	return run, nil
}
