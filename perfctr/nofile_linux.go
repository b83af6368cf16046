package perfctr

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// wantFiles is how many descriptors are asked for when they run out: enough for
// hundreds of events on hundreds of CPUs, and below the kernel's default
// fs.nr_open of 2^20.
const wantFiles = 1 << 19

// raiseFileLimit raises RLIMIT_NOFILE as far as this user may, and reports
// whether there is more room now.
//
// It makes the system call itself: after syscall.Setrlimit and unix.Prlimit the
// Go runtime no longer gives children the limit that it found at start, and the
// command that is measured would run under another limit than without us (some
// close every possible descriptor, one by one).
func raiseFileLimit() bool {
	var now unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &now) != nil {
		return false
	}
	for _, want := range []unix.Rlimit{
		{Cur: max(now.Max, wantFiles), Max: max(now.Max, wantFiles)}, // needs CAP_SYS_RESOURCE
		{Cur: now.Max, Max: now.Max},
	} {
		if want.Cur <= now.Cur {
			continue
		}
		_, _, errno := unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, uintptr(unsafe.Pointer(&want)), 0, 0, 0)
		if errno == 0 {
			return true
		}
	}
	return false
}
