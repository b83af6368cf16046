package workload

import (
	"fmt"
	"time"

	"microcost/workload/recording"
	"microcost/workload/sched"
)

// A Variant is one of the things compared: a command, or a built-in workload,
// with what belongs to it alone. The first of a list is the base.
type Variant struct {
	Label string   // "A", "B", ...
	Argv  []string // as executed; Argv[0] is looked up in PATH when it has no slash
	Text  string   // as the user wrote it
	Shell bool     // Argv hands Text to /bin/sh
	Env   []string // K=V, added to Config.Env for this variant
	Hooks Hooks
	Extra recording.Extra // kept in the recording

	// Builtin, if set, is run instead of Argv, which then only tells people how
	// to run the same.
	Builtin *sched.Spec
	// Window, if above zero, counts Config.Target for this long instead of
	// running anything.
	Window time.Duration
}

// Hooks are shell commands that run around the measured ones and are never
// counted. An empty string is no hook.
type Hooks struct {
	Setup    string // once, before the variant's first run
	Prepare  string // before each run
	Conclude string // after each run
	Cleanup  string // once, after the variant's last run, however it ends
}

// Record is the variant as it is kept in a recording.
func (v Variant) Record() recording.Variant {
	return recording.Variant{Label: v.Label, Command: v.Argv, Text: v.Text, Shell: v.Shell, Env: v.Env, Extra: v.Extra}
}

// Label names the i-th variant: A to Z, then A26, A27 and so on.
func Label(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return fmt.Sprintf("A%d", i)
}
