// Package cli is the command line: one file for each command, flags to
// options, wiring, progress and hints. It measures nothing itself and judges
// nothing itself.
package cli
