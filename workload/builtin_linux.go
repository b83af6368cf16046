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

// measureBuiltin makes one run of a built-in workload. The counters are opened
// on the calling thread, inherited by the tasks that are forked from it, and
// enabled in the steady region only.
func (r *Runner) measureBuiltin(ctx context.Context, v *Variant, slot Slot, number int) (*recording.Sample, error) {
	fail := &RunError{Variant: v.Label, Run: number, Exit: -1}
	if r.cfg.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.cfg.Timeout, errTimeout)
		defer cancel()
	}
	packing := r.cfg.Counters
	set, err := perfctr.Open(packing, turnOf(packing, slot.Block), perfctr.Thread())
	if err != nil {
		fail.Err = err
		return nil, fail
	}
	defer set.Close()
	var began time.Time
	result, err := sched.Run(ctx, *v.Builtin, sched.Region{
		Begin: func() error { began = time.Now(); return set.Enable() },
		End:   set.Disable,
	})
	if err != nil {
		if fail.Err = err; errors.Is(err, errTimeout) {
			fail.Err, fail.Timeout = nil, r.cfg.Timeout
		}
		return nil, fail
	}
	readings, err := set.Read()
	if err != nil {
		fail.Err = fmt.Errorf("reading the counters: %w", err)
		return nil, fail
	}
	own := map[string]uint64{}
	for _, m := range v.Builtin.Metrics() {
		own[m.Name] = m.Raw(result)
	}
	return &recording.Sample{
		Variant: slot.Variant, Run: number, Block: slot.Block, Position: slot.Position,
		WarmUp: slot.Block < 0, Pad: slot.Pad, Start: began.Sub(r.cfg.Origin),
		Counts: counts(packing, readings, outside{
			elapsed: result.Elapsed, user: result.User, system: result.System, own: own,
		}),
	}, nil
}
