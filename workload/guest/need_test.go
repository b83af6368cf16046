package guest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"microcost/internal/need"
)

// needKernel returns one of the kernels that scripts/fetch-kernels.sh gets.
func needKernel(t *testing.T, name string) *Image {
	t.Helper()
	return needImage(t, need.Debian(t, name))
}

// needBuilt returns one of the kernels that scripts/kernel-ab.sh builds.
func needBuilt(t *testing.T, name string) *Image {
	t.Helper()
	return needImage(t, need.Built(t, name))
}

// needImage reads a kernel that there is a QEMU for.
func needImage(t *testing.T, path string) *Image {
	t.Helper()
	im, err := ReadImage(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := FindQEMU(im.Arch); err != nil {
		var missing *MissingError
		errors.As(err, &missing)
		need.Unmet(t, missing.Program, "apt-get install "+missing.Package)
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
		need.Unmet(t, "the Go toolchain", err.Error())
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
