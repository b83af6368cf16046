package sched

// A definition is one workload.
type definition struct {
	name      string
	usage     string
	operation string // what is repeated, in the singular
	params    []preset
	latency   bool // records latencies
	// tasks is how many there are at the gate, and extra how many more task
	// structures the run needs.
	tasks func(Spec) int
	extra int
	setUp func(*crew, Spec) error
}

// definitions are all workloads, in the order in which they are listed.
var definitions = []*definition{
	{
		name: "pipe", usage: "two tasks send a token to and fro over two pipes", operation: "round trip",
		params: with(preset{paramLoops, "100000"}, preset{paramThreads, ""}, preset{paramProcesses, ""}, preset{paramLayout, "free"}),
		tasks:  pair, setUp: setUpPipe,
	},
}

func pair(Spec) int { return 2 }

// with adds the parameters that all workloads have.
func with(params ...preset) []preset { return append(params, placement...) }
