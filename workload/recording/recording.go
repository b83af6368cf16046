package recording

import "time"

// Version is the version of the file format that this package writes.
const Version = 1

// A Recording is everything that one file holds: sessions, and the samples of
// each in the order in which they were taken.
type Recording struct {
	Sessions []Session
	Samples  []Sample
	Ends     []End
	// Damage says what could not be read; empty for a whole file.
	Damage []Damage
}

// A Session is one stretch of measuring: one process, one boot, one plan.
type Session struct {
	ID       int       `json:"id"` // index within the file, from 0
	Started  time.Time `json:"started"`
	Tool     string    `json:"tool"` // "microcost 0.1.0"
	Variants []Variant `json:"variants"`
	Events   []Event   `json:"events"`
	Plan     Plan      `json:"plan"`
	Judge    Judge     `json:"judge"`
	Env      Env       `json:"environment"`
}

// A Variant is what was run: the base is the first of a session.
type Variant struct {
	Label   string   `json:"label"`   // "A", "B", or the user's
	Command []string `json:"command"` // argv as executed
	Text    string   `json:"text"`    // as the user wrote it, for people
	Shell   bool     `json:"shell,omitempty"`
	Env     []string `json:"env,omitempty"` // K=V set for this variant only
}

// An Event is one column of the samples.
type Event struct {
	Name    string  `json:"name"`             // as perf prints it: "instructions", "cycles:u"
	Source  string  `json:"source"`           // "kernel" or "run" (clock, wait4)
	Unit    string  `json:"unit,omitempty"`   // base unit: "", "ns", "bytes", "Joules"
	Scale   float64 `json:"scale,omitempty"`  // value = raw * scale; 0 means 1
	Domain  string  `json:"domain,omitempty"` // "", "u", "k": the modes really counted
	Support string  `json:"support"`          // Supported, or why not
	Reason  string  `json:"reason,omitempty"` // a sentence for the footnote
}

// The values of Event.Support.
const (
	Supported    = "yes"
	NotSupported = "not supported" // "<not supported>" on the report
	NotPermitted = "not permitted" // likewise; the reason says what would help
)

// The values of Plan.Schedule.
const (
	RandomBlocks = "random blocks" // STATISTICS 11.1: order inside each block shuffled
	Sequential   = "sequential"    // one variant, or runs in the order given
)

// A Plan is how the runs were scheduled.
type Plan struct {
	Schedule  string             `json:"schedule"`
	Seed      uint64             `json:"seed"`
	BlockSize int                `json:"block_size"`            // runs of each variant in a full block
	WarmUp    int                `json:"warm_up"`               // runs of each variant before the first block
	Runs      int                `json:"runs,omitempty"`        // of each variant, when fixed
	MaxTime   time.Duration      `json:"max_time_ns,omitempty"` // budget, when there is one
	Until     map[string]float64 `json:"until,omitempty"`       // metric: floor as a ratio (0.0001 = 0.01 %)
	CPUs      string             `json:"cpus,omitempty"`        // pinned to, as a list
}

// A Judge is what the user asked of the comparison; it is kept so that a
// report made later says the same.
type Judge struct {
	Alpha      float64           `json:"alpha"`             // family-wise error rate
	Primary    string            `json:"primary,omitempty"` // metric that decides alone
	Thresholds map[string]string `json:"thresholds,omitempty"`
}

// Env is what the measurement depends on besides the command.
type Env struct {
	BootID   string `json:"boot_id,omitempty"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Kernel   string `json:"kernel,omitempty"`         // uname -r
	Build    string `json:"kernel_version,omitempty"` // uname -v
	CPU      string `json:"cpu,omitempty"`            // model name
	CPUs     int    `json:"cpus,omitempty"`           // online
	Paranoid *int   `json:"perf_event_paranoid,omitempty"`
}

// A Count is one event's reading in one sample. A nil *Count in
// Sample.Counts means that there is no value: not supported, or another
// group's turn.
type Count struct {
	Raw     uint64
	Enabled time.Duration
	Running time.Duration
}

// A Sample is one run that ended.
type Sample struct {
	Session  int           `json:"session"`
	Variant  int           `json:"variant"`  // index into Session.Variants
	Run      int           `json:"run"`      // of this variant, from 1; 0 for a warm-up
	Block    int           `json:"block"`    // from 0; -1 for a warm-up
	Position int           `json:"position"` // within the block, from 0
	WarmUp   bool          `json:"warm_up,omitempty"`
	Start    time.Duration `json:"start_ns"` // since the session's start, monotonic
	Pad      int           `json:"env_pad"`  // bytes added to the environment block
	Exit     int           `json:"exit,omitempty"`
	Signal   string        `json:"signal,omitempty"`
	Failed   bool          `json:"failed,omitempty"` // not judged: ended badly and that was not accepted
	Counts   []*Count      `json:"counts"`           // by index into Session.Events
}

// An End says how a session ended.
type End struct {
	Session int    `json:"session"`
	Reason  string `json:"reason"`
	Detail  string `json:"detail,omitempty"`
}

// The values of End.Reason.
const (
	EndComplete    = "complete"    // the plan was carried out
	EndPrecise     = "precise"     // the floors asked for were reached
	EndTime        = "time"        // the time was up
	EndInterrupted = "interrupted" // by the user
	EndFailed      = "failed"      // a run or a hook failed; Detail says which
)

// Damage is a part of a file that could not be used.
type Damage struct {
	Line   int   // from 1
	Offset int64 // bytes from the start of the file
	Msg    string
}
