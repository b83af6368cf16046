package sched

// periodic computes for a part of every period, until it is ended: a real-time
// load. What it could not finish within its period is counted as missed.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) periodic() {
	if !t.arrive() {
		return
	}
	next := t.c.begin
	for load32(&t.c.state) == stateRunning {
		if e := t.sleepUntil(next); e != 0 {
			t.fail(stepSleep, e)
			return
		}
		end := t.now() + t.length
		for t.now() < end {
			t.stamp = compute(t.stamp, spinRounds/10)
		}
		next += t.interval
		t.recorded++
		if now := t.now(); now > next {
			t.missed++
			next += (now - next) / t.interval * t.interval
		}
	}
}

// busy computes until it is ended.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) busy() {
	if !t.arrive() {
		return
	}
	for load32(&t.c.state) == stateRunning {
		t.stamp = compute(t.stamp, spinRounds)
	}
}
