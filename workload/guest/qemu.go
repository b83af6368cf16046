package guest

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// An Engine is the way in which a guest's instructions are carried out.
type Engine string

// The engines.
const (
	// Emulate translates them (TCG), with a clock that advances by one
	// nanosecond for each: counts are exact, on any host.
	Emulate Engine = "emulate"
	// KVM lets the processor run them. Counters are real, where the host gives
	// the guest a PMU.
	KVM Engine = "kvm"
)

// A Machine is what a kernel is booted on.
type Machine struct {
	Engine Engine
	CPUs   int    // 0 is 1
	Memory int    // in MiB; 0 is DefaultMemory
	QEMU   string // the program; empty looks it up in PATH
}

// DefaultMemory is a guest's memory in MiB.
const DefaultMemory = 512

// A MissingError says that there is no QEMU for an architecture.
type MissingError struct {
	Arch    Arch
	Program string // that was looked for
	Package string // Debian's, that holds it
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s, which boots %s kernels, is not installed", e.Program, e.Arch)
}

// FindQEMU returns the QEMU for an architecture. The error is a *MissingError.
func FindQEMU(arch Arch) (string, error) {
	program, pack := "qemu-system-x86_64", "qemu-system-x86"
	if arch == ARM64 {
		program, pack = "qemu-system-aarch64", "qemu-system-arm"
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", &MissingError{Arch: arch, Program: program, Package: pack}
	}
	return path, nil
}

// QEMUVersion is the first line of what a QEMU says of its version.
func QEMUVersion(path string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimPrefix(line, "QEMU emulator version ")
}

// arguments are QEMU's for one boot.
func (m Machine) arguments(arch Arch, kernel, initrd, commandLine string, seed uint64) []string {
	args := []string{
		"-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot",
		"-smp", strconv.Itoa(max(1, m.CPUs)), "-m", strconv.Itoa(m.memory()),
		"-kernel", kernel, "-initrd", initrd, "-append", commandLine,
	}
	board, cpu := "q35", "max"
	if arch == ARM64 {
		board = "virt,dtb-randomness=off"
	}
	switch m.Engine {
	case KVM:
		cpu = "host"
		if arch == AMD64 {
			cpu = "host,pmu=on"
		}
		args = append(args, "-accel", "kvm")
	default:
		// sleep=off: idle time is skipped. The random numbers of the machine
		// (RDRAND, FEAT_RNG) come from the boot's seed, so that the same seed
		// gives the same boot again.
		args = append(args, "-accel", "tcg", "-icount", "shift=0,sleep=off", "-rtc", "base=2026-01-01,clock=vm",
			"-seed", strconv.FormatUint(seed&0xffffffff, 10))
	}
	return append(args, "-M", board, "-cpu", cpu)
}

// MemoryBytes is the guest's memory.
func (m Machine) MemoryBytes() int64 { return int64(m.memory()) << 20 }

func (m Machine) memory() int {
	if m.Memory == 0 {
		return DefaultMemory
	}
	return m.Memory
}

// commandLine is the kernel's: what the guest needs, then the user's, which wins
// where both say something. A console of the user's own replaces ours: the last
// one is /dev/console, but all of them are written to.
func (m Machine) commandLine(arch Arch, user string) string {
	words := []string{"panic=-1", "nokaslr"}
	if !strings.Contains(" "+user, " console=") {
		console := "console=ttyS0"
		if arch == ARM64 {
			console = "console=ttyAMA0"
		}
		words = append([]string{console}, words...)
	}
	if arch == AMD64 && m.Engine == Emulate {
		// The emulated TSC is as good as the clock; calibrating it against others
		// takes time and fails.
		words = append(words, "tsc=reliable")
	}
	return strings.TrimSpace(strings.Join(words, " ") + " " + user)
}
