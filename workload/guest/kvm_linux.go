package guest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// An EngineError says why an engine cannot be used.
type EngineError struct {
	Engine Engine
	Msg    string
	Hint   string
}

func (e *EngineError) Error() string { return fmt.Sprintf("engine %s: %s", e.Engine, e.Msg) }

// ProbeTime is how long a virtual processor is given for its first instructions. A
// /dev/kvm that works needs a tenth of a second.
const ProbeTime = 10 * time.Second

// The first thing that the probe's machine says.
const probeWord = 'K'

// ProbeKVM finds out whether KVM runs a guest on this machine, by letting a virtual
// processor carry out four instructions. That /dev/kvm is there says little: in a
// virtual machine it may open, create a processor, and never run it. A nil error
// says that it ran; otherwise it is an *EngineError.
func ProbeKVM(ctx context.Context, arch Arch, qemu string, limit time.Duration) error {
	const way = "--engine emulate needs no KVM"
	fail := func(hint, format string, args ...any) error {
		return &EngineError{Engine: KVM, Msg: fmt.Sprintf(format, args...), Hint: hint}
	}
	if arch != Arch(runtime.GOARCH) {
		return fail(way, "this machine's processor does not run %s kernels", arch)
	}
	f, err := os.OpenFile("/dev/kvm", os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fail("load the module kvm_intel or kvm_amd, or allow virtualisation in the firmware; "+way, "there is no /dev/kvm")
	case errors.Is(err, fs.ErrPermission):
		return fail("join the group that owns it (usually kvm); "+way, "/dev/kvm may not be opened")
	case err != nil:
		return fail(way, "opening /dev/kvm: %v", errors.Unwrap(err))
	}
	f.Close()
	said, err := probe(ctx, arch, KVM, qemu, limit)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return fail(way, "/dev/kvm is there, but a processor that it made ran no instruction within %v", limit)
	}
	said, _, _ = strings.Cut(said, "\n")
	return fail(way, "QEMU could not use /dev/kvm: %v: %s", err, said)
}

// probe boots a machine whose program is four instructions long and sends one
// letter home. It returns what QEMU said otherwise.
func probe(ctx context.Context, arch Arch, engine Engine, qemu string, limit time.Duration) (said string, err error) {
	dir, err := os.MkdirTemp("", "microcost-probe-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	image := filepath.Join(dir, "program")
	args := []string{"-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none"}
	accel, cpu := "kvm", "host"
	if engine == Emulate {
		accel, cpu = "tcg", "max"
	}
	args = append(args, "-accel", accel, "-cpu", cpu)
	var program []byte
	switch arch {
	case ARM64:
		// movz x0, #0x900, lsl #16 (the PL011); movz w1, #'K'; str w1, [x0];
		// wfi; b back to it
		program = []byte{0x00, 0x20, 0xa1, 0xd2, 0x61, 0x09, 0x80, 0x52, 0x01, 0x00, 0x00, 0xb9, 0x7f, 0x20, 0x03, 0xd5, 0xff, 0xff, 0xff, 0x17}
		args = append(args, "-M", "virt", "-m", "64", "-serial", "stdio", "-kernel", image)
	default:
		// A ROM of the smallest size, with the reset vector 16 bytes before its
		// end: mov dx, 0x402; mov al, 'K'; out dx, al; hlt; jmp back to it
		program = make([]byte, 64<<10)
		copy(program[len(program)-16:], []byte{0xba, 0x02, 0x04, 0xb0, probeWord, 0xee, 0xf4, 0xeb, 0xfd})
		args = append(args, "-M", "q35", "-m", "16", "-bios", image, "-chardev", "stdio,id=out", "-device", "isa-debugcon,iobase=0x402,chardev=out")
	}
	if err := os.WriteFile(image, program, 0o600); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	runtime.LockOSThread() // for Pdeathsig
	defer runtime.UnlockOSThread()
	var stderr strings.Builder
	c := exec.CommandContext(ctx, qemu, args...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	c.WaitDelay = time.Second
	heard := false
	c.Stdout = writerFunc(func(p []byte) (int, error) {
		if strings.IndexByte(string(p), probeWord) >= 0 {
			heard = true
			cancel()
		}
		return len(p), nil
	})
	c.Stderr = &stderr
	err = c.Run()
	switch {
	case heard:
		return "", nil
	case ctx.Err() != nil:
		return "", context.DeadlineExceeded
	case err == nil:
		err = errors.New("it ended at once")
	}
	return strings.TrimSpace(stderr.String()), err
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
