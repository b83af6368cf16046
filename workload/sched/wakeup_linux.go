package sched

import "unsafe"

// Each worker has a word: 0 it waits, 1 it has a request. Each messenger has a
// bell that its workers ring when they are free again.

// messenger hands out requests to whichever of its workers waits.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) messenger() {
	t.handOut(t.warm)
	if !t.arrive() {
		return
	}
	t.handOut(t.loops)
	t.finish()
}

//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) handOut(each int64) {
	w := t.crew
	for range t.crewSize {
		w.sum = each // requests still to be handed to it
		w = (*task)(unsafe.Add(unsafe.Pointer(w), unsafe.Sizeof(*w)))
	}
	for left := each * t.crewSize; left > 0; {
		seen := load32(t.mine)
		idle := true
		w := t.crew
		for range t.crewSize {
			if w.sum > 0 && load32(w.mine) == 0 {
				w.sum--
				left--
				idle = false
				w.stamp = t.now()
				store32(w.mine, 1)
				t.wake(w.mine)
			}
			w = (*task)(unsafe.Add(unsafe.Pointer(w), unsafe.Sizeof(*w)))
		}
		if idle {
			t.wait(t.mine, seen)
		}
	}
}

// worker waits for a request, records how long ago it was woken, and works.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) worker() {
	t.serve(t.warm)
	if !t.arrive() {
		return
	}
	t.recorded, t.peak = 0, 0
	t.serve(t.loops)
	t.finish()
}

//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) serve(n int64) {
	for range n {
		for load32(t.mine) == 0 {
			t.wait(t.mine, 0)
		}
		t.record(t.now() - t.stamp)
		t.missed = compute(t.missed, t.length)
		store32(t.mine, 0)
		add32(t.peer, 1)
		t.wake(t.peer)
	}
}

// compute is a chain of multiplications that no compiler or processor can
// shorten.
//
//go:nosplit
//go:norace
//go:nocheckptr
func compute(x, rounds int64) int64 {
	for range rounds {
		x = x*0x5851F42D4C957F2D + 1
	}
	return x
}

// setUpWakeup makes the messengers, each followed by its workers.
func setUpWakeup(c *crew, s Spec) error {
	words, err := c.shared(uintptr(s.Messengers*(1+s.Workers)) * cacheLine)
	if err != nil {
		return err
	}
	next := func() *uint32 {
		w := (*uint32)(words)
		words = unsafe.Add(words, cacheLine)
		return w
	}
	for range s.Messengers {
		m := c.add(kindMessenger)
		m.mine, m.crewSize = next(), int64(s.Workers)
		m.warm = min(m.warm, 10)
		for i := range s.Workers {
			w := c.add(kindWorker)
			w.warm = m.warm
			w.mine, w.peer, w.length = next(), m.mine, int64(s.Work)
			if i == 0 {
				m.crew = w
			}
			if err := c.latencies(w); err != nil {
				return err
			}
		}
	}
	c.operations = int64(s.Messengers) * int64(s.Workers) * int64(s.Loops)
	return nil
}
