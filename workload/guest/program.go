package guest

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// A ProgramSource says where a guest's /init may come from.
type ProgramSource struct {
	// Executable is the running program.
	Executable string
	// Cache is a directory for programs that are built.
	Cache string
	// Env is the environment for the Go toolchain; its PATH says where that is.
	Env []string
}

// Program returns the path of a static microcost for arch: the running one, one
// that lies beside it as microcost-ARCH, or one that is built now from the source.
// The error is a *ProgramError.
func (s ProgramSource) Program(ctx context.Context, arch Arch) (string, error) {
	if static(s.Executable, arch) {
		return s.Executable, nil
	}
	beside := filepath.Join(filepath.Dir(s.Executable), "microcost-"+string(arch))
	if static(beside, arch) {
		return beside, nil
	}
	what := "is linked dynamically"
	if arch != Arch(runtime.GOARCH) {
		what = "is not for " + arch.String()
	}
	fail := func(format string, args ...any) (string, error) {
		return "", &ProgramError{
			Path: s.Executable, Msg: fmt.Sprintf("%s, and cannot be a guest's first program; %s", what, fmt.Sprintf(format, args...)),
			Hint: fmt.Sprintf("build it with CGO_ENABLED=0 GOARCH=%s go build, and put it beside this program as microcost-%s", arch, arch),
		}
	}
	source := sourceDir()
	if source == "" {
		return fail("its source is not on this machine, to build another")
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		return fail("there is no Go toolchain in PATH to build another")
	}
	out := filepath.Join(s.Cache, "guest", "microcost-"+string(arch))
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return fail("building another: %v", err)
	}
	// Built under a name of its own, and renamed: another microcost may be
	// reading the one that is there.
	temp := fmt.Sprintf("%s.%d", out, os.Getpid())
	defer os.Remove(temp)
	c := exec.CommandContext(ctx, tool, "build", "-trimpath", "-ldflags=-s -w", "-o", temp, ".")
	c.Dir = source
	c.Env = append(append([]string(nil), s.Env...), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+string(arch), "GOFLAGS=", "PWD="+source)
	if text, err := c.CombinedOutput(); err != nil {
		return fail("building another failed: %v\n%s", err, strings.TrimSpace(string(text)))
	}
	if err := os.Rename(temp, out); err != nil {
		return fail("building another: %v", err)
	}
	return out, nil
}

// static says whether a file is a static Linux program for arch.
func static(path string, arch Arch) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	interp, err := interpreter(f)
	return err == nil && interp == "" && machineOf(f) == arch && (f.Type == elf.ET_EXEC || f.Type == elf.ET_DYN)
}

// sourceDir is where this module's source lies: where the compiler found this
// file. It is empty for a program that was built with -trimpath, or elsewhere.
func sourceDir() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return ""
	}
	dir := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !strings.HasPrefix(string(mod), "module microcost\n") {
		return ""
	}
	return dir
}
