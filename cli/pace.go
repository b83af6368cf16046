package cli

import (
	"fmt"
	"time"

	"microcost/compare"
	"microcost/workload"
	"microcost/workload/recording"
)

// lookEvery is how often, at most, a floor is computed for the progress line
// alone.
const lookEvery = time.Second

// next says how many more runs of each variant to make.
func (s *session) next(done int) int {
	now := time.Now()
	if s.began.IsZero() {
		s.began = now
		if r := s.o.stop; r.maxTime > 0 && !r.quick {
			s.deadline = now.Add(r.maxTime)
		}
	}
	more := s.more(done, now.Sub(s.began))
	s.counted = done + more
	s.progress.plan(done, s.counted, s.began, s.o.stop)
	return more
}

func (s *session) more(done int, elapsed time.Duration) int {
	r := s.o.stop
	switch {
	case r.runs > 0:
		return r.runs - done
	case !r.adaptive():
		return workload.BlockSize // until the deadline
	case done == 0:
		return max(firstLook, workload.BlockSize*s.packing.Turns) // a full block for each turn
	}
	p, err := s.look()
	if err == nil {
		s.progress.floors(p)
		s.warnOutOfReach(p)
		if reached(p) {
			s.why = recording.EndPrecise
			return 0
		}
	}
	if elapsed >= r.maxTime {
		s.why = recording.EndTime
		return 0
	}
	more := compare.NextLook(done) - done
	// No more than what fits into the time, in whole blocks.
	each := elapsed / time.Duration(done)
	if each > 0 {
		fits := int((r.maxTime - elapsed) / each)
		more = min(more, max(workload.BlockSize, fits/workload.BlockSize*workload.BlockSize))
	}
	return more
}

// look computes the present floors of what is to become precise.
func (s *session) look() (compare.Progress, error) {
	t, err := s.so.table.Table()
	if err != nil {
		return compare.Progress{}, err
	}
	return compare.Precise(t, s.targets(t), s.judge)
}

// targets are the floors to reach: those asked for, or the quick ones of all
// metrics that have values.
func (s *session) targets(t *compare.Table) []compare.Target {
	var list []compare.Target
	for _, m := range t.Metrics {
		floor := quickFloor
		if s.o.stop.until != nil {
			want, ok := s.o.stop.until[m.Name]
			if !ok {
				continue
			}
			floor = want
		}
		if m.Absent == "" {
			list = append(list, compare.Target{Metric: m.Name, Floor: floor})
		}
	}
	return list
}

// warnOutOfReach says of a floor that was asked for that no number of runs will
// bring it so low.
func (s *session) warnOutOfReach(p compare.Progress) {
	if s.o.stop.until == nil || s.warned {
		return
	}
	for _, f := range p.Floors {
		if f.OutOfReach && !f.Reached {
			s.warned = true
			s.progress.clear()
			s.w.say("warning", fmt.Sprintf("--until %s: one step of its counter is larger than the floor asked for, which no number of runs will reach", f.Metric))
		}
	}
}

// lookAtChosen shows the present floor of one metric while a number of runs
// that was fixed before is being made; it decides nothing.
func (s *session) lookAtChosen() {
	if !s.progress.on || s.o.record != nil || time.Since(s.looked) < lookEvery {
		return
	}
	s.looked = time.Now()
	t, err := s.so.table.Table()
	if err != nil {
		return
	}
	chosen := s.judge.Primary
	for _, m := range t.Metrics {
		if chosen == "" && m.Absent == "" {
			chosen = m.Name
		}
	}
	p, err := compare.Precise(t, []compare.Target{{Metric: chosen, Floor: quickFloor}}, s.judge)
	if err == nil {
		s.progress.chosen(p)
	}
}

// reached says whether every floor is low enough, or as low as it can get.
func reached(p compare.Progress) bool {
	for _, f := range p.Floors {
		if !f.Reached && !f.OutOfReach {
			return false
		}
	}
	return true
}
