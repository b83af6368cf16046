package sched

import "unsafe"

// futex is one end of a hand-over: it wakes the other and waits to be woken.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) futex() {
	t.handOver(t.warm)
	if !t.arrive() {
		return
	}
	t.handOver(t.loops)
	t.finish()
}

//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) handOver(n int64) {
	first := t.first
	for range n {
		if first {
			store32(t.peer, 1)
			t.wake(t.peer)
		}
		for load32(t.mine) == 0 {
			t.wait(t.mine, 0)
		}
		store32(t.mine, 0)
		if !first {
			store32(t.peer, 1)
			t.wake(t.peer)
		}
	}
}

// setUpFutex makes two tasks, each with a word to wait for.
func setUpFutex(c *crew, s Spec) error {
	words, err := c.shared(2 * cacheLine)
	if err != nil {
		return err
	}
	a, b := c.add(kindFutex), c.add(kindFutex)
	one, two := (*uint32)(words), (*uint32)(unsafe.Add(words, cacheLine))
	a.first, a.mine, a.peer = true, one, two
	b.mine, b.peer = two, one
	c.operations = int64(s.Loops)
	return nil
}

// cacheLine keeps words apart that different tasks write: the largest line of
// the processors in question.
const cacheLine = 128
