package sched

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// pipe is one end of a ping-pong: the first writes and then reads, the other
// reads and then writes.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) pipe() {
	if !t.pingpong(t.warm) || !t.arrive() || !t.pingpong(t.loops) {
		return
	}
	t.finish()
}

// token is what goes to and fro: an int, as in every program of this kind.
const token = 4

//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) pingpong(n int64) bool {
	buf := uintptr(unsafe.Pointer(&t.stamp))
	in, out := uintptr(t.in), uintptr(t.out)
	first := t.first
	for range n {
		if first {
			if r, e := call(unix.SYS_WRITE, out, buf, token); r != token {
				return t.fail(stepWrite, e)
			}
		}
		if r, e := call(unix.SYS_READ, in, buf, token); r != token {
			return t.fail(stepRead, e)
		}
		if !first {
			if r, e := call(unix.SYS_WRITE, out, buf, token); r != token {
				return t.fail(stepWrite, e)
			}
		}
	}
	return true
}

// setUpPipe makes the two pipes and their two ends.
func setUpPipe(c *crew, s Spec) error {
	there, err := c.pipe()
	if err != nil {
		return err
	}
	back, err := c.pipe()
	if err != nil {
		return err
	}
	a, b := c.add(kindPipe), c.add(kindPipe)
	a.first, a.out, a.in = true, int32(there[1]), int32(back[0])
	b.in, b.out = int32(there[0]), int32(back[1])
	c.operations = int64(s.Loops)
	return nil
}
