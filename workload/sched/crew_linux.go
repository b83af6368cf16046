package sched

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stackBytes is the stack of one task. What runs there is a chain of nosplit
// functions, which the linker bounds below a kilobyte.
const stackBytes = 16 << 10

// A crew is the tasks of one run and what belongs to them. All methods are
// called on one locked thread.
type crew struct {
	memory
	spec Spec
	ctl  *control

	tasks    []task // those at the gate first
	used     int
	stacks   uintptr // where the region of the first task begins
	room     uintptr // for each task: its buffer and its stack
	launched int

	place      placing
	door       []int // ends of the pipe that some crews wait for; nil: the gate is a futex
	operations int64
	fds        []int
	group      int // process group of the tasks; 0 as long as there is none
	watched    chan struct{}
	status     unix.WaitStatus // of the first task that died
}

// newCrew maps memory for so many tasks, with a buffer of some bytes each.
func newCrew(s Spec, tasks, extra int, buffer uintptr) (*crew, error) {
	c := &crew{spec: s}
	page := uintptr(os.Getpagesize())
	n := uintptr(tasks + extra)
	c.room = (buffer+page-1)/page*page + stackBytes
	ctl, err := c.shared(unsafe.Sizeof(control{}))
	if err == nil {
		c.ctl = (*control)(ctl)
		c.ctl.tasks = uint32(tasks)
		var p unsafe.Pointer
		if p, err = c.shared(n * unsafe.Sizeof(task{})); err == nil {
			c.tasks = unsafe.Slice((*task)(p), n)
			if p, err = c.private(n * c.room); err == nil {
				c.stacks = uintptr(p)
			}
		}
	}
	if err != nil {
		c.release()
		return nil, err
	}
	return c, nil
}

// add makes the next task; it is started by launch.
func (c *crew) add(k kind) *task {
	i := c.used
	c.used++
	t := &c.tasks[i]
	base := c.stacks + uintptr(i)*c.room
	t.c, t.kind, t.thread = c.ctl, k, c.spec.Threads
	t.stack, t.entry = base+c.room, entryPoint()
	t.parent = int32(os.Getpid())
	t.loops, t.warm = int64(c.spec.Loops), c.warm()
	c.assign(t, i)
	return t
}

// buffer is the start of the i-th task's own memory. Only the task touches it.
func (c *crew) buffer(t *task) *byte {
	m := c.maps[2]
	at := t.stack - c.room - c.stacks
	return &m[at]
}

// warm is how many operations come before the gate: enough to touch every page
// and to fill the caches.
func (c *crew) warm() int64 { return int64(min(max(c.spec.Loops/10, 1), 1000)) }

// pipe makes a pipe that no program started meanwhile inherits.
func (c *crew) pipe() (p [2]int, err error) {
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return p, fmt.Errorf("making a pipe: %w", err)
	}
	c.fds = append(c.fds, p[0], p[1])
	return p, nil
}

// launch starts the tasks that were added since the last time. Threads wait for
// the host, which is started when all are there.
func (c *crew) launch() error {
	if c.spec.Threads {
		return nil
	}
	for ; c.launched < c.used; c.launched++ {
		if t := &c.tasks[c.launched]; !t.inside() {
			if err := c.fork(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// inside says whether the task is started by another one.
func (t *task) inside() bool { return t.kind == kindExit || t.kind == kindProgram }

// launchHost starts the process that starts the threads.
func (c *crew) launchHost() error {
	if !c.spec.Threads {
		return nil
	}
	members := int64(c.ctl.tasks)
	h := c.add(kindHost)
	h.thread = false
	h.crew, h.crewSize = &c.tasks[0], members
	h.mask, h.attr = nil, nil // the members place themselves
	return c.fork(h)
}

// fork starts one process.
func (c *crew) fork(t *task) error {
	// The runtime's signal handlers must not run in a task, so it is born with
	// everything blocked.
	all, old := ^uint64(0), uint64(0)
	mask := func(set, was *uint64) {
		syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(was)), 8, 0, 0)
	}
	mask(&all, &old)
	r := spawn(uintptr(unix.SIGCHLD), t.stack, t, nil, t.entry)
	mask(&old, nil)
	if int(r) < 0 {
		return fmt.Errorf("starting task %d: clone: %w", c.launched+1, syscall.Errno(-r))
	}
	pid := int(r)
	if c.group == 0 {
		c.group = pid
	}
	if err := unix.Setpgid(pid, c.group); err != nil {
		_ = unix.Kill(pid, unix.SIGKILL)
		_, _ = unix.Wait4(pid, nil, 0, nil)
		if c.watched == nil {
			c.group = 0
		}
		return fmt.Errorf("making the tasks a process group: setpgid: %w", err)
	}
	if c.watched == nil {
		c.watched = make(chan struct{})
		go c.watch()
	}
	return nil
}

// watch waits for the first task that ends, on a thread of its own, and tells
// the owner when it should not have. It costs nothing while it waits.
func (c *crew) watch() {
	defer close(c.watched)
	for {
		err := unix.Waitid(unix.P_PGID, c.group, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		break
	}
	if load32(&c.ctl.leave) == 0 {
		c.halt(stateDied)
	}
}

// halt makes the owner stop waiting.
func (c *crew) halt(state uint32) {
	if load32(&c.ctl.state) == stateRunning {
		store32(&c.ctl.state, state)
	}
	add32(&c.ctl.news, 1)
	_, _, _ = syscall.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&c.ctl.news)), futexWake, 1, 0, 0, 0)
}

// await blocks until all tasks have come as far as the count says.
func (c *crew) await(ctx context.Context, count *uint32) error {
	for {
		seen := load32(&c.ctl.news)
		switch load32(&c.ctl.state) {
		case stateStopped:
			return context.Cause(ctx)
		case stateDied:
			return errDied
		case stateFailed:
			return &TaskError{Doing: step(c.ctl.step).String(), Err: syscall.Errno(c.ctl.errno), step: step(c.ctl.step)}
		}
		if load32(count) == c.ctl.tasks {
			return nil
		}
		// Not a raw call: the runtime may need this thread's processor.
		_, _, _ = syscall.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&c.ctl.news)), futexWait, uintptr(seen), 0, 0, 0)
	}
}

var errDied = errors.New("a task died")

// A TaskError is what a task could not do.
type TaskError struct {
	Doing string
	Err   error // a syscall.Errno
	step  step
}

func (e *TaskError) Error() string { return e.Doing + ": " + e.Err.Error() }
func (e *TaskError) Unwrap() error { return e.Err }

// openGate lets the region begin.
func (c *crew) openGate() {
	c.openTo(&c.ctl.gate)
	if c.door != nil {
		_, _ = unix.Write(c.door[1], []byte{1})
	}
}

// openTo wakes all that wait for a word.
func (c *crew) openTo(word *uint32) {
	store32(word, 1)
	const everybody = 1<<31 - 1
	_, _, _ = syscall.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, everybody, 0, 0, 0)
}

// dismiss lets all tasks exit and collects them. With force they are killed.
func (c *crew) dismiss(force bool) {
	if c.group == 0 {
		return
	}
	c.openTo(&c.ctl.leave)
	if force {
		_ = unix.Kill(-c.group, unix.SIGKILL)
	}
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(-c.group, &status, 0, nil)
		if err == nil && c.status == 0 {
			c.status = status
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			break // ECHILD: none is left
		}
	}
	<-c.watched
	c.group = 0
}

// elapsed is the time between two values of a usage.
func elapsed(from, to timeval) time.Duration {
	return time.Duration(to.sec-from.sec)*time.Second + time.Duration(to.usec-from.usec)*time.Microsecond
}

// closeKept closes what closeFiles leaves open: what the run needs to its end.
func (c *crew) closeKept() {
	for _, fd := range c.door {
		unix.Close(fd)
	}
	if c.place.cgroup > 0 {
		unix.Close(c.place.cgroup)
	}
	c.door, c.place.cgroup = nil, 0
}

// closeFile closes one of this program's descriptors.
func (c *crew) closeFile(fd int) {
	if i := slices.Index(c.fds, fd); i >= 0 {
		c.fds = slices.Delete(c.fds, i, i+1)
		unix.Close(fd)
	}
}

// closeFiles closes this program's descriptors of the tasks' pipes.
func (c *crew) closeFiles() {
	for _, fd := range c.fds {
		unix.Close(fd)
	}
	c.fds = nil
}

// usage adds up the CPU time that the tasks used between gate and end.
func (c *crew) usage() (user, system time.Duration) {
	for i := range int(c.ctl.tasks) {
		t := &c.tasks[i]
		user += elapsed(t.before.utime, t.after.utime)
		system += elapsed(t.before.stime, t.after.stime)
	}
	return user, system
}
