package guest

import (
	"encoding/json"
	"fmt"
	"time"

	"microcost/workload"
	"microcost/workload/recording"
)

// protocol is the version of what host and guest say to each other. The two are
// usually the same executable, but a guest program for another architecture may be
// one that was built earlier.
const protocol = 1

// planFile is where the plan lies in the guest.
const planFile = "/microcost.json"

// A Plan is what a guest does between its boot and its end.
type Plan struct {
	Variant workload.Variant
	Events  []string // lists as perfctr.Parse takes them
	WarmUp  int      // runs that are not judged
	Repeats int      // runs inside one boot
	CPUs    []int    // pin the runs to these; nil does not pin
	Timeout time.Duration
}

// A bootPlan is the plan of one boot: with what perturbs it.
type bootPlan struct {
	Protocol int
	Plan
	Perturbation
}

// A Perturbation makes a boot different from the others in what must not matter.
// An emulated machine repeats itself to the digit: without it all boots would
// follow one trajectory, and their agreement would say nothing.
type Perturbation struct {
	Seed  uint64        // of the machine's random numbers and of all that follows
	Delay time.Duration // slept before the first run: where in a tick it begins
}

// maxDelay is the longest start delay: some ticks of a kernel with HZ=100, in
// steps that meet all phases of one.
const maxDelay = 50 * time.Millisecond

// maxPause is the longest delay before each further run.
const maxPause = 20 * time.Millisecond

// A Hello is what a guest says before its first run.
type Hello struct {
	Protocol int
	Version  string        // /proc/version: "Linux version ..."
	Env      recording.Env // with the configuration, where the kernel has it inside
	Events   []recording.Event
}

// The kinds of messages.
const (
	sayHello  = "hello"
	saySample = "sample"
	sayNote   = "note"   // what a user should know
	sayFailed = "failed" // a run failed, or nothing could be run
	sayEnd    = "end"    // all that was planned is done
)

// A message is one record from the guest.
type message struct {
	Kind   string            `json:"kind"`
	Hello  *Hello            `json:"hello,omitempty"`
	Sample *recording.Sample `json:"sample,omitempty"`
	Text   string            `json:"text,omitempty"`
	// Samples is how many there were, in sayEnd.
	Samples int `json:"samples,omitempty"`
}

func readMessage(payload []byte) (message, error) {
	var m message
	if err := json.Unmarshal(payload, &m); err != nil {
		return m, fmt.Errorf("a record of the guest: %w", err)
	}
	if m.Kind == sayHello && m.Hello == nil || m.Kind == saySample && m.Sample == nil {
		return m, fmt.Errorf("a record of the guest: a %s without contents", m.Kind)
	}
	return m, nil
}
