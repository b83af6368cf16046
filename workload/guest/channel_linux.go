package guest

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// The channels by which a guest's records come home.
const (
	// ChannelConsole is the serial console, which every kernel has built in. The
	// kernel's messages are written between the records.
	ChannelConsole = "console"
	// ChannelVirtio is a port of a virtio-serial device: whole buffers instead of
	// a device access for each byte, and nobody else writes to it. Distributions'
	// kernels have its driver as a module, which the guest does not load.
	ChannelVirtio = "virtio"
)

// portName is how the guest finds its port among those of the machine.
const portName = "microcost"

// portPath is where QEMU finds the pipe behind the port: the first descriptor after
// the standard ones.
const portPath = "/proc/self/fd/3"

// pipeBytes holds the longest record that is usual, the guest's description, so
// that QEMU need not wait for this program: the guest would spin meanwhile, and
// count it. It is what a user may have without privileges.
const pipeBytes = 1 << 20

// portArguments are QEMU's for a virtio-serial port that writes into the pipe.
func portArguments(arch Arch) []string {
	// Its queues are to be served by the processor that notifies, not by another
	// thread at a time of its own: the guest would count the difference.
	device := "virtio-serial-pci,ioeventfd=off"
	if arch == ARM64 {
		device = "virtio-serial-device" // needs no PCI in the kernel
	}
	return []string{
		"-chardev", "file,id=records,path=" + portPath, "-device", device,
		"-device", "virtserialport,chardev=records,name=" + portName,
	}
}

// portPipe makes the pipe: the host reads what QEMU writes.
func portPipe() (r, w *os.File, err error) {
	if r, w, err = os.Pipe(); err != nil {
		return nil, nil, err
	}
	// Where it is refused the pipe is a smaller one, and works.
	_, _ = unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, pipeBytes)
	return r, w, nil
}

// openPort opens the guest's end, or returns nil where the kernel has no driver.
func openPort() *os.File {
	names, _ := filepath.Glob("/sys/class/virtio-ports/*/name")
	for _, path := range names {
		name, err := os.ReadFile(path)
		if err != nil || strings.TrimSpace(string(name)) != portName {
			continue
		}
		// Not os.OpenFile, which would make it non-blocking: a write that returns
		// has reached the host.
		device := filepath.Join("/dev", filepath.Base(filepath.Dir(path)))
		if fd, err := unix.Open(device, unix.O_WRONLY|unix.O_CLOEXEC, 0); err == nil {
			return os.NewFile(uintptr(fd), device)
		}
	}
	return nil
}
