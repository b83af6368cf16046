package perfctr

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// rawRead and rawWrite move one byte without telling the Go scheduler, so that
// a blocked thread is just that.
func rawRead(fd int, b *[1]byte) (uintptr, unix.Errno) {
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(b)), 1)
	return n, errno
}

func rawWrite(fd int, b *[1]byte) (uintptr, unix.Errno) {
	n, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(b)), 1)
	return n, errno
}

// setLimit sets RLIMIT_NOFILE behind the back of the Go runtime.
func setLimit(l *unix.Rlimit) error {
	if _, _, errno := unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, uintptr(unsafe.Pointer(l)), 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
