package guest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// unmet ends a test that needs something which is not there. Where CI is set
// everything was promised, and its absence is a failure.
func unmet(t *testing.T, need, way string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("needs %s: %s", need, way)
	}
	t.Skipf("needs %s: %s", need, way)
}

// needKernel returns one of the kernels that scripts/fetch-kernels.sh gets.
func needKernel(t *testing.T, name string) *Image {
	t.Helper()
	return needImage(t, filepath.Join("guest-kernels", name, "boot", "vmlinuz-*"), "scripts/fetch-kernels.sh gets it")
}

// needBuilt returns one of the kernels that scripts/kernel-ab.sh builds.
func needBuilt(t *testing.T, name string) *Image {
	t.Helper()
	return needImage(t, filepath.Join("kernel-ab", name), "scripts/kernel-ab.sh builds it")
}

// needImage returns the one kernel of the cache that a pattern names.
func needImage(t *testing.T, pattern, way string) *Image {
	t.Helper()
	dir := os.Getenv("MICROCOST_CACHE")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			unmet(t, "a cache directory", err.Error())
		}
		dir = filepath.Join(cache, "microcost")
	}
	found, _ := filepath.Glob(filepath.Join(dir, pattern))
	if len(found) != 1 {
		unmet(t, "the kernel "+pattern+" in "+dir, way)
	}
	im, err := ReadImage(found[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := FindQEMU(im.Arch); err != nil {
		var missing *MissingError
		errors.As(err, &missing)
		unmet(t, missing.Program, "apt-get install "+missing.Package)
	}
	return im
}

var (
	buildOnce sync.Mutex
	built     = map[Arch]string{}
)

// needProgram builds a static microcost.
func needProgram(t *testing.T, arch Arch) string {
	t.Helper()
	buildOnce.Lock()
	defer buildOnce.Unlock()
	if built[arch] != "" {
		return built[arch]
	}
	if _, err := exec.LookPath("go"); err != nil {
		unmet(t, "the Go toolchain", err.Error())
	}
	dir, err := os.MkdirTemp("", "microcost-guest-test-")
	if err != nil {
		t.Fatal(err)
	}
	path, err := ProgramSource{Executable: filepath.Join(dir, "none"), Cache: dir, Env: os.Environ()}.Program(context.Background(), arch)
	if err != nil {
		t.Fatal(err)
	}
	built[arch] = path
	return path
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, p := range built {
		os.RemoveAll(filepath.Dir(filepath.Dir(p)))
	}
	os.Exit(code)
}
