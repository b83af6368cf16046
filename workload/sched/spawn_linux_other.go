//go:build linux && !amd64 && !arm64

package sched

import (
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// On other architectures than x86-64 and arm64 the built-in workloads cannot be
// run: what starts a task is assembly. Check says so, and all else works.
const portable = false

func spawn(_, _ uintptr, _ *task, _ *uint32, _ uintptr) uintptr {
	errno := uintptr(unix.ENOSYS)
	return -errno
}

func entryPoint() uintptr { return 0 }

func add32(p *uint32, delta uint32) uint32 { return atomic.AddUint32(p, delta) }

func load32(p *uint32) uint32 { return atomic.LoadUint32(p) }

func store32(p *uint32, v uint32) { atomic.StoreUint32(p, v) }

// exitMachine and exitCode are for the smallest program, which no task starts here.
const exitMachine = 0

var exitCode []byte
