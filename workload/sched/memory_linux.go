package sched

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A memory is what a crew has mapped.
type memory struct{ maps [][]byte }

// shared maps zeroed memory that forked tasks share with this program.
func (m *memory) shared(bytes uintptr) (unsafe.Pointer, error) {
	return m.mmap(bytes, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
}

// private maps zeroed memory of which each forked task gets its own copy. It is
// never touched here, so a fork copies nothing of it.
func (m *memory) private(bytes uintptr) (unsafe.Pointer, error) {
	return m.mmap(bytes, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
}

func (m *memory) mmap(bytes uintptr, flags int) (unsafe.Pointer, error) {
	b, err := unix.Mmap(-1, 0, int(max(bytes, 1)), unix.PROT_READ|unix.PROT_WRITE, flags)
	if err != nil {
		return nil, fmt.Errorf("mapping %d bytes for the tasks: mmap: %w", bytes, err)
	}
	m.maps = append(m.maps, b)
	return unsafe.Pointer(&b[0]), nil
}

func (m *memory) release() {
	for _, b := range m.maps {
		_ = unix.Munmap(b)
	}
	m.maps = nil
}
