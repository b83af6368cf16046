package cli

import (
	"path/filepath"
)

// lastRecording is where the last recording is kept when -o names no other
// place: $XDG_STATE_HOME/microcost/last.jsonl, by default below ~/.local/state.
// It is empty when the environment names neither.
func (w *World) lastRecording() string {
	dir := w.getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) { // the specification says to ignore relative paths
		home := w.getenv("HOME")
		if !filepath.IsAbs(home) {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "microcost", "last.jsonl")
}
