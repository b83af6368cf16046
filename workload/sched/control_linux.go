package sched

// A control is the memory through which a crew and its owner talk. It is
// shared with tasks that are processes, so it holds no Go pointer.
type control struct {
	news  uint32 // goes up with everything that the owner must look at
	ready uint32 // tasks at the gate
	tasks uint32 // tasks there are
	ended uint32 // tasks whose last operation is done
	state uint32 // failed, or stopped by the owner
	errno uint32 // of the failure
	step  uint32 // what failed
	_     [9]uint32

	gate  uint32 // 1: the region has begun
	_     [15]uint32
	leave uint32 // 1: tasks exit
	_     [15]uint32

	begin int64 // of the region, CLOCK_MONOTONIC in ns
	end   int64 // of its last operation
}

// States of a control.
const (
	stateRunning = iota
	stateFailed  // a task could not go on
	stateStopped // the owner was told to stop
	stateDied    // a task died
)

// A step is what a task was doing when it could not go on.
type step uint32

const (
	stepNone step = iota
	stepParent
	stepAffinity
	stepCgroup
	stepPolicy
	stepPipe
	stepRead
	stepWrite
	stepFutex
	stepYield
	stepFork
	stepWait
	stepExec
	stepThread
	stepSleep
	stepSlack
)

var stepNames = [...]string{
	stepNone:     "running",
	stepParent:   "asking to die with this program: prctl",
	stepAffinity: "binding a task to its CPUs: sched_setaffinity",
	stepCgroup:   "moving a task into the cgroup: write",
	stepPolicy:   "setting a task's policy: sched_setattr",
	stepPipe:     "rehearsing: pipe2",
	stepRead:     "receiving: read",
	stepWrite:    "sending: write",
	stepFutex:    "waiting: futex",
	stepYield:    "yielding: sched_yield",
	stepFork:     "forking: clone",
	stepWait:     "waiting for a child: wait4",
	stepExec:     "executing: execveat",
	stepThread:   "starting a thread: clone",
	stepSleep:    "sleeping: clock_nanosleep",
	stepSlack:    "setting the timer slack: prctl",
}

func (s step) String() string {
	if int(s) < len(stepNames) {
		return stepNames[s]
	}
	return "running"
}
