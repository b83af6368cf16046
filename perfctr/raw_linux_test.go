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
