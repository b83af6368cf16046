// Package need is for tests of what may not be everywhere: where it is missing the
// test is skipped and says what is unmet, and fails where CI=true in the
// environment promised everything that make test installs and fetches.
package need

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Unmet ends the test for want of something; way says how it is had, or why it is
// not there.
func Unmet(t testing.TB, what, way string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("unmet need: %s: %s", what, way)
	}
	t.Skipf("unmet need: %s: %s", what, way)
}

// Program returns the path of a program that make tools installs.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Unmet(t, name, fmt.Sprintf("make tools installs it (%v)", err))
	}
	return path
}

// Cached returns the one file below the cache, $MICROCOST_CACHE or microcost in
// the user's, that a pattern names; script is what puts it there.
func Cached(t testing.TB, pattern, script string) string {
	t.Helper()
	dir := os.Getenv("MICROCOST_CACHE")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			Unmet(t, "a cache directory", err.Error())
		}
		dir = filepath.Join(cache, "microcost")
	}
	found, _ := filepath.Glob(filepath.Join(dir, pattern))
	if len(found) != 1 {
		Unmet(t, pattern+" in "+dir, script+" makes it")
	}
	return found[0]
}

// Debian is the boot image of a kernel that scripts/fetch-kernels.sh gets.
func Debian(t testing.TB, name string) string {
	t.Helper()
	return Cached(t, filepath.Join("guest-kernels", name, "boot", "vmlinuz-*"), "scripts/fetch-kernels.sh")
}

// Built is a file of the kernels that scripts/kernel-ab.sh builds.
func Built(t testing.TB, name string) string {
	t.Helper()
	return Cached(t, filepath.Join("kernel-ab", name), "scripts/kernel-ab.sh")
}
