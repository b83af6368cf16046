package guest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"microcost/internal/need"
)

// The four instructions of the probe are right: an emulated processor of either
// kind carries them out.
func TestProbeProgram(t *testing.T) {
	for _, arch := range []Arch{AMD64, ARM64} {
		qemu, err := FindQEMU(arch)
		if err != nil {
			need.Unmet(t, "QEMU for "+arch.String(), err.Error())
		}
		if said, err := probe(context.Background(), arch, Emulate, qemu, time.Minute); err != nil {
			t.Errorf("%s: %v: %s", arch, err, said)
		}
	}
}

// Whatever /dev/kvm does, or does not do, the probe ends in time and says which.
func TestProbeKVM(t *testing.T) {
	here := Arch(runtime.GOARCH)
	qemu, err := FindQEMU(here)
	if err != nil {
		need.Unmet(t, "QEMU for "+here.String(), err.Error())
	}
	const limit = 5 * time.Second
	began := time.Now()
	err = ProbeKVM(context.Background(), here, qemu, limit)
	if d := time.Since(began); d > 4*limit {
		t.Errorf("the probe took %v, its limit is %v", d, limit)
	}
	t.Logf("KVM here: %v", err)
	var ee *EngineError
	if err != nil && (!errors.As(err, &ee) || ee.Engine != KVM || ee.Hint == "") {
		t.Errorf("error %v, want an EngineError with a hint", err)
	}
	other := ARM64
	if here == ARM64 {
		other = AMD64
	}
	if err := ProbeKVM(context.Background(), other, qemu, limit); err == nil || !strings.Contains(err.Error(), "does not run "+other.String()) {
		t.Errorf("a kernel for another processor: %v", err)
	}
}

// A virtual processor that never runs: what a nested KVM may do.
func TestProbeThatHangs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "qemu")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexec sleep 60\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_, err := probe(context.Background(), AMD64, KVM, path, time.Second)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that the time was up", err)
	}
	if d := time.Since(began); d > 20*time.Second {
		t.Errorf("the probe took %v", d)
	}
}
