package cli

import (
	"time"

	"microcost/compare"
	"microcost/workload"
	"microcost/workload/recording"
)

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
	adaptive := r.quick || r.until != nil
	switch {
	case r.runs > 0:
		return r.runs - done
	case !adaptive:
		return workload.BlockSize // until the deadline
	case done == 0:
		return firstLook
	}
	p, err := s.look()
	if err == nil {
		s.progress.floors(p)
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
	t, err := compare.FromRecording(&s.rec)
	if err != nil {
		return compare.Progress{}, err
	}
	if s.targets == nil {
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
				s.targets = append(s.targets, compare.Target{Metric: m.Name, Floor: floor})
			}
		}
	}
	return compare.Precise(t, s.targets, s.judge)
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
