//go:build amd64 || arm64

package sched

import "unsafe"

// portable says that tasks can be started on this architecture.
const portable = true

// The functions below are in assembly because of where they run: in tasks that
// have no goroutine. Those of sync/atomic would call the race detector there.

// spawn is clone(2) with the stack's end and a task to run on it. tid is given
// as both the parent's and the child's pointer; flags say whether either is
// used. entry is what entryPoint returns: a call from assembly by name would be
// instrumented by the race detector, and would look like a recursion to the
// linker, which bounds the stacks of nosplit functions. Errors are negative
// numbers above -4096.
//
//go:noescape
func spawn(flags, stack uintptr, t *task, tid *uint32, entry uintptr) uintptr

// entryPoint is the address of taskMain's code.
func entryPoint() uintptr {
	f := taskMain
	return **(**uintptr)(unsafe.Pointer(&f))
}

// add32 adds to *p and returns the sum.
//
//go:noescape
func add32(p *uint32, delta uint32) uint32

//go:noescape
func load32(p *uint32) uint32

//go:noescape
func store32(p *uint32, v uint32)
