package sched

import "golang.org/x/sys/unix"

// yield gives the CPU away again and again.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) yield() {
	for range t.warm {
		call(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
	if !t.arrive() {
		return
	}
	for range t.loops {
		call(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
	t.finish()
}

// syscalls makes the cheapest system call that no library answers by itself.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) syscalls() {
	for range t.warm {
		call(unix.SYS_GETPPID, 0, 0, 0)
	}
	if !t.arrive() {
		return
	}
	for range t.loops {
		call(unix.SYS_GETPPID, 0, 0, 0)
	}
	t.finish()
}

// setUpLoops makes tasks that know nothing of each other.
func setUpLoops(k kind) func(*crew, Spec) error {
	return func(c *crew, s Spec) error {
		for range s.Tasks {
			c.add(k)
		}
		c.operations = int64(s.Tasks) * int64(s.Loops)
		return nil
	}
}
