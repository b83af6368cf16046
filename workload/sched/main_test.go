package sched

import (
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The tests fail as a whole when they leave a process, a descriptor or a mapping
// behind.
func TestMain(m *testing.M) {
	files := openFiles()
	code := m.Run()
	if code == 0 {
		if err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil); err != unix.ECHILD {
			fmt.Fprintln(os.Stderr, "the tests left a child behind")
			code = 1
		}
		if n := openFiles(); n > files+2 { // the two of the runtime's poller may have come
			fmt.Fprintf(os.Stderr, "the tests left %d descriptors open\n", n-files)
			code = 1
		}
	}
	os.Exit(code)
}

func openFiles() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}

// within fails the test when what it waits for takes too long: an aid against
// hanging, never a measure.
const within = 60 * time.Second
