package guest

import (
	"context"
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"microcost/internal/need"
	"microcost/internal/tinyelf"
)

// fails carries a series out that must fail with one boot error.
func fails(t *testing.T, s *Series, want Failure, msg string) []*result {
	t.Helper()
	boots, err := gather(t, s)
	var be *BootError
	if !errors.As(err, &be) {
		t.Fatalf("error %v, want a BootError", err)
	}
	if be.Failure != want || !strings.Contains(be.Error(), msg) {
		t.Errorf("failure %q: %v, want %q with %q; its console:\n%s", be.Failure, be, want, msg, strings.Join(be.Console, "\n"))
	}
	if want != Silent && len(be.Console) == 0 {
		t.Error("no console lines in the error")
	}
	if left := children(t); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
	return boots
}

// children are the QEMUs of this process that have ended and were not reaped. Tests
// that run beside this one have running ones of their own.
func children(t *testing.T) []string {
	t.Helper()
	var left []string
	dirs, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, d := range dirs {
		b, err := os.ReadFile(d)
		if err != nil {
			continue
		}
		s := string(b)
		f := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
		if len(f) > 1 && f[1] == strconv.Itoa(os.Getpid()) && strings.Contains(s, "(qemu-system") && f[0] == "Z" {
			left = append(left, s)
		}
	}
	return left
}

// endless is a program that never ends.
func endless(t *testing.T) string {
	return tinyProgram(t, AMD64, tinyelf.Endless(elf.EM_X86_64))
}

func TestKernelWithoutInit(t *testing.T) {
	t.Parallel()
	s := series(t, needKernel(t, "amd64-1"))
	s.command(loopProgram(t, AMD64, 1))
	s.Append = "rdinit=/nothing"
	fails(t, s, NoInit, "did not start the guest's /init")
}

func TestKernelWithoutSerialConsole(t *testing.T) {
	t.Parallel()
	s := series(t, needKernel(t, "amd64-1"))
	s.command(loopProgram(t, AMD64, 1))
	s.Append = "console=ttyS3"
	s.Limits = Timeouts{Boot: 15 * time.Second, Run: time.Minute}
	// The limit passes, or the kernel is quicker: it boots, and its guest, which
	// nobody hears, ends it.
	fails(t, s, Silent, "serial console")
}

func TestKernelThatHangs(t *testing.T) {
	t.Parallel()
	s := series(t, needKernel(t, "amd64-1"))
	s.command(endless(t))
	s.Append = "rdinit=/bin/test" // runs, and says nothing
	s.Limits = Timeouts{Boot: 20 * time.Second, Run: time.Minute}
	fails(t, s, Hung, "went silent for 20s before the guest began")
}

func TestRunThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	s := series(t, needKernel(t, "amd64-1"))
	s.command(endless(t))
	s.Plan.Events = []string{"task-clock"}
	s.Limits = Timeouts{Boot: time.Minute, Run: 10 * time.Second}
	fails(t, s, Stalled, "a run does not end")
}

// A kernel that panics in a run is reported with its last words, and the runs
// before it are kept.
func TestKernelThatPanics(t *testing.T) {
	t.Parallel()
	k := needKernel(t, "amd64-1")
	sh, err := exec.LookPath("sh")
	if err != nil || Arch(runtime.GOARCH) != AMD64 {
		need.Unmet(t, "an x86-64 sh", "it is run in the guest")
	}
	s := series(t, k)
	s.command(sh, "-c", "if test -e /tmp/second; then echo c > /proc/sysrq-trigger; fi; : > /tmp/second")
	s.Plan.Events = []string{"task-clock"}
	boots := fails(t, s, Panicked, "sysrq triggered crash")
	if n := len(boots[0].samples); n != 1 {
		t.Errorf("%d samples before the panic, want the one of the first run", n)
	}
}

func TestCommandThatFails(t *testing.T) {
	t.Parallel()
	s := series(t, needKernel(t, "amd64-1"))
	sh, err := exec.LookPath("sh")
	if err != nil || Arch(runtime.GOARCH) != AMD64 {
		need.Unmet(t, "an x86-64 sh", "it is run in the guest")
	}
	s.command(sh, "-c", "echo not today >&2; exit 7")
	s.Plan.Events = []string{"task-clock"}
	fails(t, s, Refused, "failed with exit status 7")
}

func TestDamagedImage(t *testing.T) {
	t.Parallel()
	k := *needKernel(t, "amd64-1")
	data, err := os.ReadFile(k.Path)
	if err != nil {
		t.Fatal(err)
	}
	k.Path = filepath.Join(t.TempDir(), "cut")
	if err := os.WriteFile(k.Path, data[:4096], 0o600); err != nil {
		t.Fatal(err)
	}
	im, err := ReadImage(k.Path)
	if err != nil {
		t.Fatal(err)
	}
	s := series(t, im)
	s.command(loopProgram(t, AMD64, 1))
	s.Limits = Timeouts{Boot: 15 * time.Second, Run: time.Minute}
	_, err = gather(t, s)
	var be *BootError
	if !errors.As(err, &be) || be.Failure != Ended && be.Failure != Silent {
		t.Errorf("error %v, want one that says that the machine ended or is silent", err)
	}
}

// Cancelling in the middle of a boot ends QEMU at once.
func TestCancel(t *testing.T) {
	s := series(t, needKernel(t, "amd64-1"))
	s.command(endless(t))
	s.Next = func(int) int { return 2 }
	ctx, cancel := context.WithCancel(context.Background())
	started := make(chan struct{}, 4)
	s.Started = func(Boot) { started <- struct{}{} }
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	<-started
	time.Sleep(2 * time.Second)
	cancel()
	began := time.Now()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want context.Canceled", err)
		}
		if d := time.Since(began); d > 5*time.Second {
			t.Errorf("ending took %v", d)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("still running 30 s after it was cancelled")
	}
}
