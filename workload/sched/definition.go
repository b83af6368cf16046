package sched

// A definition is one workload.
type definition struct {
	name      string
	usage     string
	operation string // what is repeated, in the singular
	params    []preset
	latency   bool // records latencies
	// tasks is how many there are at the gate, inner how many more are started
	// by them.
	tasks func(Spec) int
	inner func(Spec) int
	setUp func(*crew, Spec) error
	last  func(*crew) // looks at the tasks before they are gone; may be nil
	// files is how many descriptors are open at once.
	files func(Spec) int
}

// definitions are all workloads, in the order in which they are listed.
var definitions = []*definition{
	{
		name: "pipe", usage: "two tasks send a token to and fro over two pipes", operation: "round trip",
		params: with(preset{paramLoops, "100000"}, threads, processes, free),
		tasks:  pair, setUp: setUpPipe, files: func(Spec) int { return 4 },
	},
	{
		name: "messaging", usage: "groups of senders and receivers, as hackbench has them", operation: "message",
		params: with(preset{paramLoops, "100"}, preset{paramGroups, "10"}, preset{paramFDs, "20"}, preset{paramSize, "100"},
			preset{paramSocket, ""}, preset{paramPipe, ""}, processes, threads),
		tasks: func(s Spec) int { return s.Groups * s.FDs * 2 }, setUp: setUpMessaging,
		files: func(s Spec) int {
			if s.Threads {
				return s.Groups*s.FDs*4 + 2 // each may be rehearsing
			}
			return s.FDs + 5
		},
	},
	{
		name: "futex", usage: "two tasks wake each other in turn by futex", operation: "round trip",
		params: with(preset{paramLoops, "100000"}, threads, processes, free),
		tasks:  pair, setUp: setUpFutex,
	},
	{
		name: "yield", usage: "tasks on one CPU give it away in turn", operation: "yield",
		params: with(preset{paramLoops, "100000"}, preset{paramTasks, "2"}, threads, processes, same),
		tasks:  asAsked, setUp: setUpLoops(kindYield),
	},
	{
		name: "fork", usage: "a process forks, the child exits, it is waited for", operation: "fork",
		params: with(preset{paramLoops, "2000"}, preset{paramTasks, "1"}),
		tasks:  asAsked, inner: asAsked, setUp: setUpForks(kindFork, kindExit),
	},
	{
		name: "exec", usage: "a process executes a program that exits, and waits for it", operation: "exec",
		params: with(preset{paramLoops, "1000"}, preset{paramTasks, "1"}),
		tasks:  asAsked, inner: asAsked, setUp: setUpForks(kindExec, kindProgram), files: func(Spec) int { return 1 },
	},
	{
		name: "thread", usage: "a process starts a thread that exits, and joins it", operation: "thread",
		params: with(preset{paramLoops, "10000"}, preset{paramTasks, "1"}),
		tasks:  asAsked, inner: asAsked, setUp: setUpForks(kindThread, kindExit),
	},
	{
		name: "timer", usage: "periodic sleepers record how late they run", operation: "wake-up", latency: true,
		params: with(preset{paramLoops, "1000"}, preset{paramTasks, "1"}, preset{paramInterval, "1ms"}, threads, processes),
		tasks:  asAsked, setUp: setUpTimer,
	},
	{
		name: "wakeup", usage: "messengers wake workers, which record how late they run, and compute", operation: "request", latency: true,
		params: with(preset{paramLoops, "1000"}, preset{paramMessengers, "1"}, preset{paramWorkers, "4"}, preset{paramWork, "10000"}, threads, processes),
		tasks:  func(s Spec) int { return s.Messengers * (1 + s.Workers) }, setUp: setUpWakeup,
	},
	{
		name: "fair", usage: "spinning tasks of different nice values share one CPU", operation: "spin",
		params: with(preset{paramNices, "0,5,10"}, preset{paramDuration, "1s"}, threads, processes, same),
		tasks:  func(s Spec) int { return len(s.Nices) }, setUp: setUpFair,
	},
	{
		name: "syscall", usage: "a task makes the cheapest system call, getppid", operation: "call",
		params: with(preset{paramLoops, "1000000"}, preset{paramTasks, "1"}),
		tasks:  asAsked, setUp: setUpLoops(kindSyscall),
	},
}

var (
	threads   = preset{paramThreads, ""}
	processes = preset{paramProcesses, ""}
	free      = preset{paramLayout, string(Free)}
	same      = preset{paramLayout, string(Same)}
)

func pair(Spec) int      { return 2 }
func asAsked(s Spec) int { return s.Tasks }

// with adds the parameters that all workloads have.
func with(params ...preset) []preset { return append(params, placement...) }
