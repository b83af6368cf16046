package sched

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Everything a task runs is nosplit (its stack is not the goroutine's), norace
// and nocheckptr (there is no goroutine to instrument), and calls only its
// like: syscall.RawSyscall6 and the functions in assembly.

// A kind is what a task does.
type kind uint32

const (
	kindHost     kind = iota // starts the crew's threads
	kindPipe                 // one end of a ping-pong over two pipes
	kindSender               // of messages
	kindReceiver             // of messages
	kindFutex                // one end of a hand-over by futex
	kindYield
	kindFork
	kindExec
	kindThread
	kindTimer
	kindMessenger // wakes workers
	kindWorker    // is woken, works
	kindSpin      // until the time is up
	kindSyscall
	kindPeriodic // background load with a deadline
	kindBusy     // background load without one
	kindExit     // what kindFork and kindThread start
	kindProgram  // what kindExec starts
	kindProbe    // does nothing: shows whether a placement is possible
)

// A task is all that one task knows. It lives in memory that is shared with
// the owner and set up by it; a task writes only to its own.
type task struct {
	c      *control
	kind   kind
	thread bool // lives in the host, ends by exit
	first  bool // makes the first move
	stack  uintptr
	entry  uintptr // where a task begins
	parent int32   // pid of this program; the task ends if it is another's child already
	warm   int64
	loops  int64

	mask      *byte // of CPUs; nil leaves them
	maskBytes uintptr
	attr      *schedAttr // nil leaves the policy
	cgroup    int32      // descriptor of cgroup.procs; 0 leaves the cgroup

	trim  *span // memory of the program that the task does not need
	trims int64

	in, out  int32
	ends     [2]int32 // of a pipe of its own
	shut     int32    // a descriptor to close at the start; 0 is none
	outs     *int32
	nouts    int64
	buf      *byte
	size     uintptr
	mine     *uint32 // futex words
	peer     *uint32
	crew     *task // of a host: its threads; of a messenger: its workers
	crewSize int64
	inner    *task  // of fork, exec and thread: what is started
	program  int32  // descriptor of the program to execute
	door     pollFD // waited for at the gate, if its descriptor is above 0

	interval int64 // ns
	length   int64 // ns, or rounds of work
	latency  *uint32
	recorded int64
	stamp    int64
	sum      int64 // operations done, where they are not fixed
	missed   int64
	tid      uint32
	peak     int64 // largest latency

	ts       timespec
	ts2      timespec
	before   usage
	after    usage
	children bool // count the usage of waited-for children too
}

type timespec struct{ sec, nsec int64 }

// A pollFD is struct pollfd of poll(2).
type pollFD struct {
	fd              int32
	events, revents int16
}

// A span is a part of the address space.
type span struct{ addr, length uintptr }

// A usage is what getrusage(2) says of CPU time.
type usage struct {
	utime, stime timeval
	rest         [14]int64
}

type timeval struct{ sec, usec int64 }

// A schedAttr is struct sched_attr of linux/sched/types.h, as of Linux 5.3.
type schedAttr struct {
	size     uint32
	policy   uint32
	flags    uint64
	nice     int32
	priority uint32
	runtime  uint64
	deadline uint64
	period   uint64
	utilMin  uint32
	utilMax  uint32
}

// taskMain is the first function of every task, called by spawn on the task's
// own stack. It does not return.
//
//go:nosplit
//go:norace
//go:nocheckptr
func taskMain(t *task) {
	switch t.kind {
	case kindExit:
		t.exit(0)
	case kindProgram:
		t.execute()
	}
	if t.settle() {
		switch t.kind {
		case kindHost:
			t.host()
		case kindPipe:
			t.pipe()
		case kindSender:
			t.sender()
		case kindReceiver:
			t.receiver()
		case kindFutex:
			t.futex()
		case kindYield:
			t.yield()
		case kindFork, kindExec:
			t.forker()
		case kindThread:
			t.threader()
		case kindTimer:
			t.timer()
		case kindMessenger:
			t.messenger()
		case kindWorker:
			t.worker()
		case kindSpin:
			t.spin()
		case kindSyscall:
			t.syscalls()
		case kindPeriodic:
			t.periodic()
		case kindBusy:
			t.busy()
		case kindProbe:
			if t.arrive() {
				t.finish()
			}
		}
	}
	t.stay()
	t.exit(0)
}

// call makes a system call. All errors of interest are above -4096.
//
//go:nosplit
//go:norace
//go:nocheckptr
func call(trap, a1, a2, a3 uintptr) (uintptr, syscall.Errno) {
	r, _, errno := syscall.RawSyscall(trap, a1, a2, a3)
	return r, errno
}

//go:nosplit
//go:norace
//go:nocheckptr
func call6(trap, a1, a2, a3, a4, a5, a6 uintptr) (uintptr, syscall.Errno) {
	r, _, errno := syscall.RawSyscall6(trap, a1, a2, a3, a4, a5, a6)
	return r, errno
}

// settle makes the task what it is to be: mortal, placed, alone.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) settle() bool {
	if !t.thread {
		if _, e := call(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0); e != 0 {
			return t.fail(stepParent, e)
		}
		// The parent may have died before that.
		if pid, _ := call(unix.SYS_GETPPID, 0, 0, 0); int32(pid) != t.parent {
			t.exit(1)
		}
		if t.cgroup > 0 {
			t.stamp = '0' // the writer itself
			if _, e := call(unix.SYS_WRITE, uintptr(t.cgroup), uintptr(unsafe.Pointer(&t.stamp)), 1); e != 0 {
				return t.fail(stepCgroup, e)
			}
			t.stamp = 0
		}
		if t.shut > 0 {
			call(unix.SYS_CLOSE, uintptr(t.shut), 0, 0)
		}
		s := t.trim
		for range t.trims {
			call(unix.SYS_MADVISE, s.addr, s.length, unix.MADV_DONTNEED)
			s = (*span)(unsafe.Add(unsafe.Pointer(s), unsafe.Sizeof(*s)))
		}
	}
	if t.mask != nil {
		if _, e := call(unix.SYS_SCHED_SETAFFINITY, 0, t.maskBytes, uintptr(unsafe.Pointer(t.mask))); e != 0 {
			return t.fail(stepAffinity, e)
		}
	}
	if t.attr != nil {
		if _, e := call(unix.SYS_SCHED_SETATTR, 0, uintptr(unsafe.Pointer(t.attr)), 0); e != 0 {
			return t.fail(stepPolicy, e)
		}
	}
	return true
}

// arrive waits at the gate, and says whether to go on. Whoever comes last
// tells the owner.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) arrive() bool {
	c := t.c
	t.getUsage(&t.before)
	if add32(&c.ready, 1) == c.tasks {
		t.tell()
	}
	for load32(&c.gate) == 0 {
		if t.door.fd > 0 {
			call6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&t.door)), 1, 0, 0, 0, 0)
		} else {
			t.wait(&c.gate, 0)
		}
	}
	return load32(&c.state) == stateRunning
}

// finish says that the last operation is done. Whoever is the last ends the
// region; the others sleep until they may exit, so that no exit is counted.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) finish() {
	c := t.c
	t.getUsage(&t.after)
	if add32(&c.ended, 1) == c.tasks {
		c.end = t.now()
		t.tell()
	}
}

// stay waits until the task may exit.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) stay() {
	for load32(&t.c.leave) == 0 {
		t.wait(&t.c.leave, 0)
	}
}

// fail tells the owner what did not work.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) fail(s step, e syscall.Errno) bool {
	c := t.c
	if load32(&c.state) == stateRunning {
		c.step, c.errno = uint32(s), uint32(e)
		store32(&c.state, stateFailed)
	}
	t.tell()
	return false
}

// tell wakes the owner.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) tell() {
	add32(&t.c.news, 1)
	t.wake(&t.c.news)
}

// exit ends the task: a thread alone, a process as a whole.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) exit(code uintptr) {
	for {
		if t.thread {
			call(unix.SYS_EXIT, code, 0, 0)
		}
		call(unix.SYS_EXIT_GROUP, code, 0, 0)
	}
}

// Futexes are not private: the memory is shared between processes. Threads use
// the same kind, so that the two can be compared.
const (
	futexWait = 0
	futexWake = 1
)

//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) wait(word *uint32, value uint32) syscall.Errno {
	_, e := call6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(value), 0, 0, 0)
	return e
}

//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) wake(word *uint32) {
	call6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, 1, 0, 0, 0)
}

// now is CLOCK_MONOTONIC in nanoseconds. It is a system call: the vDSO's
// function is not known here.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) now() int64 {
	call(unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&t.ts)), 0)
	return t.ts.sec*1e9 + t.ts.nsec
}

// sleepUntil sleeps until a time of CLOCK_MONOTONIC.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) sleepUntil(ns int64) syscall.Errno {
	t.ts2.sec, t.ts2.nsec = ns/1e9, ns%1e9
	const absolute = 1 // TIMER_ABSTIME
	_, e := call6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, absolute, uintptr(unsafe.Pointer(&t.ts2)), 0, 0, 0)
	return e
}

// getUsage reads what CPU time the task has used.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) getUsage(u *usage) {
	const self, thread = 0, 1
	who := uintptr(self)
	if t.thread {
		who = thread
	}
	call(unix.SYS_GETRUSAGE, who, uintptr(unsafe.Pointer(u)), 0)
	if t.children {
		const waited = ^uintptr(0) // RUSAGE_CHILDREN
		user, system := u.utime, u.stime
		call(unix.SYS_GETRUSAGE, waited, uintptr(unsafe.Pointer(u)), 0)
		u.utime.sec += user.sec
		u.utime.usec += user.usec
		u.stime.sec += system.sec
		u.stime.usec += system.usec
	}
}

// record keeps one latency, in nanoseconds; one above 4 s is kept as 4 s.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) record(ns int64) {
	t.peak = max(t.peak, ns)
	if ns > 1<<32-1 {
		ns = 1<<32 - 1
	}
	if ns < 0 {
		ns = 0
	}
	*(*uint32)(unsafe.Add(unsafe.Pointer(t.latency), t.recorded*4)) = uint32(ns)
	t.recorded++
}

// host starts the threads of a crew and waits for their end.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) host() {
	const flags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD | unix.CLONE_SYSVSEM
	member := t.crew
	for range t.crewSize {
		if r := spawn(flags, member.stack, member, nil, t.entry); int(r) < 0 {
			t.fail(stepThread, syscall.Errno(-r))
			return
		}
		member = (*task)(unsafe.Add(unsafe.Pointer(member), unsafe.Sizeof(*member)))
	}
}
