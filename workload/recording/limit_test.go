//go:build linux

package recording

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// withFileLimit runs f while no file of the process may grow beyond n bytes.
// Tests that use it are not parallel.
func withFileLimit(t *testing.T, n uint64, f func()) {
	t.Helper()
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old)
	f()
}

// A file size limit makes the kernel write half a line, as a full disk does.
func TestTornLineIsClosedBeforeTheNext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	w := mustCreate(t, path)
	if err := w.Session(example().Sessions[0]); err != nil {
		t.Fatal(err)
	}
	sample := example().Samples[0]
	if err := w.Sample(sample); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	withFileLimit(t, uint64(st.Size())+40, func() {
		if err := w.Sample(sample); !errors.Is(err, syscall.EFBIG) {
			t.Errorf("writing over the limit: %v", err)
		}
		if err := w.Sample(sample); !errors.Is(err, syscall.EFBIG) {
			t.Errorf("writing over the limit again: %v", err)
		}
	})
	if err := w.Sample(sample); err != nil {
		t.Errorf("writing after there was room again: %v", err)
	}
	if err := w.Close(); !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), "lines lost: 2") {
		t.Errorf("Close: %v", err)
	}
	rec := mustReadFile(t, path)
	if len(rec.Samples) != 2 || len(rec.Damage) != 1 {
		t.Errorf("read %d samples and damage %v; want 2 and the torn line", len(rec.Samples), rec.Damage)
	}
}
