package perfctr

import "strconv"

// CallingThread and AnyCPU are the pid and cpu arguments of
// perf_event_open(2) with which a counter follows the calling thread wherever
// it runs. AnyProcess counts all that runs on a CPU.
const (
	CallingThread = 0
	AnyProcess    = -1
	AnyCPU        = -1
)

// A TargetKind says what is counted.
type TargetKind uint8

const (
	// OnExec counts what the calling thread starts: counters are inherited and
	// begin at the next exec of a child.
	OnExec TargetKind = iota
	// OnThread counts the calling thread and all that it starts, from
	// Set.Enable on.
	OnThread
	// OnProcess counts all threads of a process that runs already and what
	// they start, from Set.Enable on.
	OnProcess
	// OnCPUs counts everything that runs on some CPUs, from Set.Enable on.
	OnCPUs
	// OnCgroup counts the tasks of a control group, from Set.Enable on.
	OnCgroup
)

// A Target is what is counted. Use the functions below to make one.
type Target struct {
	Kind   TargetKind
	PID    int    // OnProcess
	CPUs   []int  // OnCPUs and OnCgroup; empty: all that are online
	Cgroup string // OnCgroup: the directory, absolute or below the cgroup mount
}

// Command counts the command that the calling thread starts next. The caller
// has called runtime.LockOSThread, opens, and starts the command from the same
// goroutine: an event that is opened on an unlocked goroutine is inherited by
// threads which the Go runtime starts later.
func Command() Target { return Target{Kind: OnExec} }

// Thread counts the calling thread and what it starts, between Enable and
// Disable. The caller has called runtime.LockOSThread.
func Thread() Target { return Target{Kind: OnThread} }

// wide reports whether whole CPUs are counted, which the kernel permits later
// than counting tasks.
func (t Target) wide() bool { return t.Kind == OnCPUs || t.Kind == OnCgroup }

// beside reports whether something else is counted than what is run.
func (t Target) beside() bool { return t.Kind == OnProcess || t.wide() }

// Process counts all threads of a process that runs already, those born later,
// and the processes that they start, between Enable and Disable.
func Process(pid int) Target { return Target{Kind: OnProcess, PID: pid} }

// CPUs counts everything that runs on some CPUs; on all that are online when
// none are given.
func CPUs(cpus ...int) Target { return Target{Kind: OnCPUs, CPUs: cpus} }

// Cgroup counts the tasks of a control group and of those below it, on some
// CPUs or on all. The name is that of its directory: absolute, or below the
// mount point of cgroup v2 or of the perf_event hierarchy of v1.
func Cgroup(name string, cpus ...int) Target {
	return Target{Kind: OnCgroup, Cgroup: name, CPUs: cpus}
}

// String names the target for error messages.
func (t Target) String() string {
	switch t.Kind {
	case OnProcess:
		return "process " + strconv.Itoa(t.PID)
	case OnCPUs:
		if len(t.CPUs) == 0 {
			return "all CPUs"
		}
		return "CPUs " + FormatCPUs(t.CPUs)
	case OnCgroup:
		return "cgroup " + t.Cgroup
	case OnThread:
		return "the calling thread"
	}
	return "the command"
}
