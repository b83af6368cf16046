package workload

import (
	"context"
	"fmt"
	"time"

	"microcost/perfctr"
	"microcost/workload/recording"
)

// measureWindow counts Config.Target for the length of the variant's window
// and starts nothing.
func (r *Runner) measureWindow(ctx context.Context, v *Variant, slot Slot, number int) (*recording.Sample, error) {
	fail := &RunError{Variant: v.Label, Run: number, Exit: -1}
	packing := r.cfg.Counters
	set, err := perfctr.Open(packing, turnOf(packing, slot.Block), r.cfg.Target)
	if err != nil {
		fail.Err = err
		return nil, fail
	}
	defer set.Close()
	if err := set.Enable(); err != nil {
		fail.Err = err
		return nil, fail
	}
	began := time.Now()
	timer := time.NewTimer(v.Window)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.cfg.Stop: // a shorter window is still one: counts and clock agree
	case <-ctx.Done():
		return nil, fail
	}
	err = set.Disable()
	elapsed := time.Since(began)
	if err != nil {
		fail.Err = err
		return nil, fail
	}
	readings, err := set.Read()
	if err != nil {
		fail.Err = fmt.Errorf("reading the counters: %w", err)
		return nil, fail
	}
	return &recording.Sample{
		Variant: slot.Variant, Run: number, Block: slot.Block, Position: slot.Position,
		WarmUp: slot.Block < 0, Start: began.Sub(r.cfg.Origin),
		Counts: counts(packing, readings, outside{elapsed: elapsed, windowed: true}),
	}, nil
}
