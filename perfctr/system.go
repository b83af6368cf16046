package perfctr

import (
	"io/fs"
	"os"
)

// A System is where event names are looked up: the files of this machine, or
// of a fixture. The zero System knows the generic events only.
type System struct {
	Sys  fs.FS // what is mounted on /sys
	Proc fs.FS // what is mounted on /proc
	Root fs.FS // "/", to find tracefs wherever it is mounted
}

// Host is this machine.
func Host() *System {
	return &System{Sys: os.DirFS("/sys"), Proc: os.DirFS("/proc"), Root: os.DirFS("/")}
}
