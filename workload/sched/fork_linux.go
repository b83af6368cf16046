package sched

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// forker starts a child that exits, or executes a program that exits, and waits
// for it. What a program does before an exec is done as posix_spawn(3) does it:
// in the parent's memory, while the parent waits.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) forker() {
	if !t.startChildren(t.warm) || !t.arrive() || !t.startChildren(t.loops) {
		return
	}
	t.finish()
}

//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) startChildren(n int64) bool {
	flags := uintptr(unix.SIGCHLD)
	if t.kind == kindExec {
		flags |= unix.CLONE_VM | unix.CLONE_VFORK
	}
	for range n {
		r := spawn(flags, t.inner.stack, t.inner, nil, t.entry)
		if int(r) < 0 {
			return t.fail(stepFork, syscall.Errno(-r))
		}
		if _, e := call6(unix.SYS_WAIT4, r, 0, 0, 0, 0, 0); e != 0 {
			return t.fail(stepWait, e)
		}
		if t.inner.missed != 0 { // shared memory: the child says what failed
			return t.fail(stepExec, syscall.Errno(t.inner.missed))
		}
	}
	return true
}

// threader starts a thread that exits, and waits for its end as pthread_join(3)
// does. The stack is used again, as a threads library with a cache would.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) threader() {
	if !t.startThreads(t.warm) || !t.arrive() || !t.startThreads(t.loops) {
		return
	}
	t.finish()
}

//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) startThreads(n int64) bool {
	const flags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD |
		unix.CLONE_SYSVSEM | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID
	tid := &t.inner.tid
	for range n {
		if r := spawn(flags, t.inner.stack, t.inner, tid, t.entry); int(r) < 0 {
			return t.fail(stepThread, syscall.Errno(-r))
		}
		for {
			v := load32(tid)
			if v == 0 {
				break
			}
			t.wait(tid, v)
		}
	}
	return true
}

// setUpForks makes tasks that start others of some kind.
func setUpForks(outer, inner kind) func(*crew, Spec) error {
	return func(c *crew, s Spec) error {
		spans, n, err := c.spare()
		if err != nil {
			return err
		}
		program := -1
		if inner == kindProgram {
			if program, err = c.program(); err != nil {
				return err
			}
		}
		first := c.used
		for range s.Tasks {
			t := c.add(outer)
			t.trim, t.trims = spans, n
			t.children = outer != kindThread
			t.warm = min(t.warm, 100)
		}
		for i := range s.Tasks {
			t := c.add(inner)
			t.thread = outer == kindThread
			t.program = int32(program)
			c.tasks[first+i].inner = t
		}
		c.operations = int64(s.Tasks) * int64(s.Loops)
		return nil
	}
}
