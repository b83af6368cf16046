package sched

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// timer sleeps until one point in time after another, and records how much
// later it runs.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) timer() {
	// Without this the kernel may add 50 us, to wake several sleepers at once.
	if _, e := call(unix.SYS_PRCTL, unix.PR_SET_TIMERSLACK, 1, 0); e != 0 {
		t.fail(stepSlack, e)
		return
	}
	if !t.wakeUps(t.warm, min(t.interval, 1_000_000)) || !t.arrive() {
		return
	}
	t.recorded, t.peak = 0, 0
	if t.wakeUps(t.loops, t.interval) {
		t.finish()
	}
}

//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) wakeUps(n, interval int64) bool {
	next := t.now()
	for range n {
		next += interval
		if e := t.sleepUntil(next); e != 0 {
			return t.fail(stepSleep, e)
		}
		now := t.now()
		t.record(now - next)
		if now > next+interval {
			next = now // too late for the next one: do not count one delay twice
		}
	}
	return true
}

// setUpTimer makes the sleepers.
func setUpTimer(c *crew, s Spec) error {
	for range s.Tasks {
		t := c.add(kindTimer)
		t.warm = min(t.warm, 10)
		t.interval = int64(s.Interval)
		if err := c.latencies(t); err != nil {
			return err
		}
	}
	c.operations = int64(s.Tasks) * int64(s.Loops)
	return nil
}

// latencies gives a task room for as many as it makes operations.
func (c *crew) latencies(t *task) error {
	p, err := c.shared(uintptr(t.loops) * unsafe.Sizeof(*t.latency))
	t.latency = (*uint32)(p)
	return err
}
