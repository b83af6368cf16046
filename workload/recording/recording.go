package recording

import "time"

// Version is the version of the file format that this package writes. Adding
// a field or a kind of line does not change it; giving one that exists another
// meaning does.
const Version = 1

// Format is the name of the file format, in the head line of every file.
const Format = "microcost recording"

// A Recording is everything that one file holds: sessions, and the samples of
// each in the order in which they were taken.
//
// One that came from Read keeps these promises, whatever was in the file:
// Sessions[i].ID is i; every sample, summary and end names a session that is
// there; Sample.Variant is an index into the variants of its session, and
// Sample.Counts is as long as its events.
type Recording struct {
	Head     Head
	Sessions []Session
	Samples  []Sample
	// Summaries are what an imported file said of runs whose single values
	// it did not keep. They are not samples.
	Summaries []Summary
	Ends      []End
	// Unknown holds the bodies of lines of a kind that this version does not
	// know, so that they survive being read and written.
	Unknown []Unknown
	// Damage says what could not be read; empty for a whole file.
	Damage []Damage
}

// A Head is the first line of a file.
type Head struct {
	Format  string `json:"format"`  // always Format
	Version int    `json:"version"` // of the format
	Tool    string `json:"tool"`    // that created the file
	Extra   Extra  `json:"-"`
}

// An Unknown is a line of a kind that this version does not know.
type Unknown struct {
	Kind string
	Body string // a JSON object, without the kind and the checksum
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
	// AA is what the base showed against itself on this machine, when that had
	// been measured before.
	AA *AA `json:"aa,omitempty"`
	// Imported names the form of the file that the session was read from,
	// "perf stat text" for example; empty for one that microcost measured.
	Imported string `json:"imported,omitempty"`
	// Guest is set when the session ran in a virtual machine booted for it.
	Guest *Guest `json:"guest,omitempty"`
	Extra Extra  `json:"-"`
}

// A Variant is what was run: the base is the first of a session.
type Variant struct {
	Label   string   `json:"label"`   // "A", "B", or the user's
	Command []string `json:"command"` // argv as executed
	Text    string   `json:"text"`    // as the user wrote it, for people
	Shell   bool     `json:"shell,omitempty"`
	Env     []string `json:"env,omitempty"` // K=V set for this variant only
	// Binary identifies the executable that was run, when it could be read.
	Binary *Binary `json:"binary,omitempty"`
	Extra  Extra   `json:"-"`
}

// A Binary identifies an executable file by what is in it.
type Binary struct {
	SHA256  string `json:"sha256,omitempty"`
	BuildID string `json:"build_id,omitempty"` // GNU or Go build id
	Size    int64  `json:"size_bytes,omitempty"`
	// Sections are the bytes that size(1) prints of an ELF file; nil for others.
	Sections *SectionSizes `json:"sections,omitempty"`
	// Flat is the size of an arm64 Image, unpacked, and Memory what its header
	// asks for, bss included, both in bytes; 0 for anything else.
	Flat   uint64 `json:"flat_bytes,omitempty"`
	Memory uint64 `json:"memory_bytes,omitempty"`
	Extra  Extra  `json:"-"`
}

// SectionSizes is the line that size(1) prints, in bytes.
type SectionSizes struct {
	Text uint64 `json:"text_bytes"`
	Data uint64 `json:"data_bytes"`
	BSS  uint64 `json:"bss_bytes"`
	// Code is the SHA-256 of what is in the executable sections; empty when it
	// is not known.
	Code  string `json:"code_sha256,omitempty"`
	Extra Extra  `json:"-"`
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
	// Part is set on what one kind of core counted of the event that is the sum: it
	// runs while the task is on such cores, so that a count whose counter ran for
	// less than it was enabled is whole all the same.
	Part  bool  `json:"part,omitempty"`
	Extra Extra `json:"-"`
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
	AA        bool               `json:"aa,omitempty"`          // the variants are the same command
	Extra     Extra              `json:"-"`
}

// An AA is what an earlier comparison of a command with itself came to: how
// large a delta is on this machine when nothing differs.
type AA struct {
	Started time.Time `json:"started"` // of that comparison
	Runs    int       `json:"runs"`    // of each of its two variants
	Floors  []AAFloor `json:"floors"`
	Extra   Extra     `json:"-"`
}

// An AAFloor is the noise floor of one metric in that comparison.
type AAFloor struct {
	Metric string  `json:"metric"`
	Scale  string  `json:"scale"` // "log": a natural logarithm of a ratio; "raw": in the metric's unit
	Floor  float64 `json:"floor"`
	Extra  Extra   `json:"-"`
}

// A Judge is what the user asked of the comparison; it is kept so that a
// report made later says the same.
type Judge struct {
	Alpha      float64           `json:"alpha"`             // family-wise error rate
	Primary    string            `json:"primary,omitempty"` // metric that decides alone
	Thresholds map[string]string `json:"thresholds,omitempty"`
	Extra      Extra             `json:"-"`
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
	Extra    Extra         `json:"-"`
}

// An End says how a session ended.
type End struct {
	Session int    `json:"session"`
	Reason  string `json:"reason"`
	Detail  string `json:"detail,omitempty"`
	Extra   Extra  `json:"-"`
}

// The values of End.Reason.
const (
	EndComplete    = "complete"    // the plan was carried out
	EndPrecise     = "precise"     // the floors asked for were reached
	EndTime        = "time"        // the time was up
	EndInterrupted = "interrupted" // by the user
	EndFailed      = "failed"      // a run or a hook failed; Detail says which
	EndImported    = "imported"    // read from a file of another tool
)

// Damage is a part of a file that could not be used.
type Damage struct {
	Line    int   // the first line concerned, from 1
	Lines   int   // how many lines are concerned
	Offset  int64 // of the line: bytes from the start of the (decompressed) file
	Samples int   // complete samples in the lines before it
	Msg     string
}
