package sched

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// execute becomes the program and does not return. It runs in its parent's
// memory, so it may only write to its own task.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) execute() {
	// A kernel since 5.18 complains of an argv without a first element.
	args := (*[2]uintptr)(unsafe.Pointer(&t.ts))
	empty := uintptr(unsafe.Pointer(&t.stamp)) // a zero byte
	args[0], args[1] = empty, 0
	argv := uintptr(unsafe.Pointer(args))
	_, e := call6(unix.SYS_EXECVEAT, uintptr(t.program), empty, argv, argv+8, unix.AT_EMPTY_PATH, 0)
	t.missed = int64(e)
	t.exit(127)
}

// program makes the smallest program there is: it exits. What executing costs
// is then the kernel's part, and no dynamic linker's.
func (c *crew) program() (int, error) {
	image := exitProgram()
	fd, err := unix.MemfdCreate("microcost-exit", unix.MFD_CLOEXEC|unix.MFD_EXEC)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.3
		fd, err = unix.MemfdCreate("microcost-exit", unix.MFD_CLOEXEC)
	}
	if err == nil {
		c.fds = append(c.fds, fd)
		if _, err = unix.Write(fd, image); err == nil {
			return fd, nil
		}
	}
	if !errors.Is(err, unix.ENOSYS) {
		return -1, fmt.Errorf("making the program to execute: memfd_create: %w", err)
	}
	return c.programFile(image)
}

// programFile is for kernels without memfd_create(2).
func (c *crew) programFile(image []byte) (int, error) {
	f, err := os.CreateTemp("", "microcost-exit-")
	if err != nil {
		return -1, fmt.Errorf("making the program to execute: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(image)
	if err = errors.Join(err, f.Chmod(0o700), f.Close()); err != nil {
		return -1, fmt.Errorf("making the program to execute: %w", err)
	}
	// Nothing that is open for writing can be executed.
	fd, err := unix.Open(f.Name(), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("opening the program to execute: %w", err)
	}
	c.fds = append(c.fds, fd)
	return fd, nil
}

// exitProgram is an ELF file of one segment with exit_group(0).
func exitProgram() []byte {
	const (
		header, segment = 64, 56
		base            = 0x400000
	)
	code := exitCode
	size := uint64(header + segment + len(code))
	b := make([]byte, 0, size)
	le := binary.LittleEndian
	b = append(b, 0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0) // 64 bits, little-endian
	b = le.AppendUint16(b, 2)                                              // ET_EXEC
	b = le.AppendUint16(b, exitMachine)
	b = le.AppendUint32(b, 1)
	b = le.AppendUint64(b, base+header+segment) // entry
	b = le.AppendUint64(b, header)              // program headers
	b = le.AppendUint64(b, 0)                   // no sections
	b = le.AppendUint32(b, 0)
	for _, v := range []uint16{header, segment, 1, 0, 0, 0} {
		b = le.AppendUint16(b, v)
	}
	b = le.AppendUint32(b, 1) // PT_LOAD
	b = le.AppendUint32(b, 5) // readable, executable
	for _, v := range []uint64{0, base, base, size, size, 0x10000} {
		b = le.AppendUint64(b, v)
	}
	return append(b, code...)
}
