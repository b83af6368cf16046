package sched

import (
	"math"
	"time"
)

// spinRounds is the arithmetic between two looks at the clock: some 10 us, so
// that the looks are noise.
const spinRounds = 10_000

// spin computes until the time is up.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) spin() {
	t.missed = compute(t.missed, spinRounds)
	if !t.arrive() {
		return
	}
	end := t.c.begin + t.length
	for t.now() < end && load32(&t.c.state) == stateRunning {
		t.missed = compute(t.missed, spinRounds)
		t.sum++
	}
	t.finish()
}

// setUpFair makes one spinning task for each nice value.
func setUpFair(c *crew, s Spec) error {
	for _, nice := range s.Nices {
		t := c.add(kindSpin)
		t.length = int64(s.Duration)
		if err := c.nice(t, nice); err != nil {
			return err
		}
	}
	return nil
}

// weight is what a nice value is worth to the scheduler: a step is a quarter.
// The kernel's table of integers differs from it by at most 0.2 %.
func weight(nice int) float64 { return math.Round(1024 / math.Pow(1.25, float64(nice))) }

// shares compares what each task got with what it was to get.
func (c *crew) shares() []Share {
	var list []Share
	var total time.Duration
	var weights float64
	for i, nice := range c.spec.Nices {
		t := &c.tasks[i]
		cpu := elapsed(t.before.utime, t.after.utime) + elapsed(t.before.stime, t.after.stime)
		list = append(list, Share{Nice: nice, CPU: cpu})
		total += cpu
		weights += weight(nice)
	}
	for i := range list {
		list[i].Share = float64(list[i].CPU) / float64(max(total, 1))
		list[i].Weight = weight(list[i].Nice) / weights
	}
	return list
}
