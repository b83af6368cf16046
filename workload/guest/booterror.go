package guest

import (
	"fmt"
	"strings"
)

// A Failure says how a boot went wrong.
type Failure string

// The failures.
const (
	Silent   Failure = "silent"   // nothing on the console
	Hung     Failure = "hung"     // nothing more on the console
	Panicked Failure = "panicked" // the kernel did
	NoInit   Failure = "no init"  // the kernel did not find or start the guest's program
	Stalled  Failure = "stalled"  // the guest began, and a run did not end
	Ended    Failure = "ended"    // QEMU ended too early
	Refused  Failure = "refused"  // the guest said why it cannot go on
	Lost     Failure = "lost"     // records did not arrive
)

// A BootError says what became of a boot that did not do what was planned. The
// samples that had arrived were handed over.
type BootError struct {
	Boot    Boot
	Label   string // of the kernel
	Failure Failure
	Msg     string   // what happened, without naming the boot
	Hint    string   // the way out; may be empty
	Console []string // the last lines, oldest first
}

func (e *BootError) Error() string {
	return fmt.Sprintf("boot %d, of kernel %s: %s", e.Boot.Number+1, e.Label, e.Msg)
}

// noConsole is the way out for a kernel that says nothing.
const noConsole = "the kernel needs a serial console (CONFIG_SERIAL_8250_CONSOLE on x86-64, CONFIG_SERIAL_AMBA_PL011_CONSOLE on arm64)"

// tailLines is how many lines of the console are kept for an error.
const tailLines = 20

// A console remembers the last lines, and what the kernel's last words were.
type console struct {
	lines   []string
	panic   string // behind "Kernel panic - not syncing: "
	started bool   // the kernel says that it runs /init
}

func (c *console) line(b []byte) {
	text := strings.ToValidUTF8(string(b), "?")
	if len(text) > 500 {
		text = text[:500]
	}
	if len(c.lines) == tailLines {
		c.lines = append(c.lines[:0], c.lines[1:]...)
	}
	c.lines = append(c.lines, text)
	if _, after, ok := strings.Cut(text, "Kernel panic - not syncing: "); ok && c.panic == "" {
		c.panic = after
	}
	c.started = c.started || strings.Contains(text, "Run /init as init process")
}

// died makes the error of a machine that ended before its guest did.
func (c *console) died(qemu string) (f Failure, msg, hint string) {
	noInit := strings.Contains(c.panic, "No working init found") || strings.Contains(c.panic, "Unable to mount root") ||
		strings.Contains(c.panic, "Requested init")
	switch {
	case noInit:
		return NoInit, "the kernel did not start the guest's /init, and panicked: " + c.panic,
			"it needs CONFIG_BLK_DEV_INITRD and CONFIG_BINFMT_ELF, and no rdinit= or init= of its own"
	case c.panic != "":
		return Panicked, "the kernel panicked: " + c.panic, ""
	case qemu != "" && len(c.lines) == 0:
		return Ended, "QEMU ended at once: " + qemu, ""
	case len(c.lines) == 0:
		// A kernel without the console may well have booted: its guest had nobody to
		// talk to, and ended.
		return Silent, "the machine ended without a word on its serial console",
			noConsole + "; or the image is damaged, or needs more --memory"
	}
	return Ended, "the machine ended before the guest was done", ""
}
