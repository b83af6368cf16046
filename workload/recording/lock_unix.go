//go:build unix && !solaris && !aix

package recording

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the advisory lock of a file for as long as it is open, so that
// two processes do not append to it at once: their sessions would get the same
// number. A file system without locks is no reason to refuse to measure.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrInUse
	}
	return nil
}
