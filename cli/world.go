package cli

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// A World is what the program gets from outside.
type World struct {
	Args   []string // with the program's name first
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Env    []string // K=V
	// Notify starts to catch the signals by which a user ends a program; the
	// function that it returns gives them back their usual effect. nil: none.
	Notify func() (<-chan os.Signal, func())

	interrupts <-chan os.Signal // nil outside of a measurement
}

// catch lets a measurement end in order when the user interrupts it. Nothing
// else needs that: elsewhere a signal just ends the program. The result undoes
// it.
func (w *World) catch() (release func()) {
	if w.Notify == nil {
		return func() {}
	}
	signals, stop := w.Notify()
	w.interrupts = signals
	return func() { stop(); w.interrupts = nil }
}

// getenv is the value of an environment variable; the last setting counts.
func (w *World) getenv(key string) string {
	for i := len(w.Env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(w.Env[i], key+"="); ok {
			return v
		}
	}
	return ""
}

// terminal is the file descriptor of a stream that is a terminal.
func terminal(stream any) (fd int, ok bool) {
	f, ok := stream.(interface{ Fd() uintptr })
	if !ok {
		return 0, false
	}
	fd = int(f.Fd())
	return fd, term.IsTerminal(fd)
}

// pipeWidth is the width of a report that does not go to a terminal.
const pipeWidth = 120

// width is the number of columns for text that goes to stream.
func width(stream any) int {
	if fd, ok := terminal(stream); ok {
		if w, _, err := term.GetSize(fd); err == nil && w > 0 {
			return w
		}
		return 80
	}
	return pipeWidth
}

// coloured decides for one stream whether to colour it.
func (w *World) coloured(mode string, stream any) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	_, tty := terminal(stream)
	return tty && w.getenv("NO_COLOR") == "" && w.getenv("TERM") != "dumb"
}
