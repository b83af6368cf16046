package guest

import (
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"microcost/internal/need"
	"microcost/internal/tinyelf"
)

func TestCompanions(t *testing.T) {
	here := Arch(runtime.GOARCH)
	sh, err := exec.LookPath("sh")
	if err != nil {
		need.Unmet(t, "sh", err.Error())
	}
	files, err := companions(sh, here)
	if err != nil {
		t.Fatal(err)
	}
	// What ldd says is what must be there.
	out, err := exec.Command("ldd", sh).Output()
	if err != nil {
		need.Unmet(t, "ldd", err.Error())
	}
	for line := range strings.Lines(string(out)) {
		for _, word := range strings.Fields(line) {
			if !strings.HasPrefix(word, "/") {
				continue
			}
			// Directories may be links to each other.
			name := filepath.Base(word)
			found := false
			for at := range files {
				found = found || filepath.Base(at) == name
			}
			if !found {
				t.Errorf("%s is missing among %v", word, files)
			}
		}
	}
	other := ARM64
	if here == ARM64 {
		other = AMD64
	}
	check := func(path string, arch Arch, msg string) {
		t.Helper()
		_, err := companions(path, arch)
		var pe *ProgramError
		if !errors.As(err, &pe) || !strings.Contains(pe.Error(), msg) {
			t.Errorf("companions(%s, %s): %v, want a ProgramError with %q", path, arch, err, msg)
		}
	}
	check(sh, other, "the kernel is "+other.String())
	check(write(t, []byte("data")), here, "no program")
	check(write(t, []byte("#!\n")), here, "without an interpreter")
	check(write(t, tinyelf.Program(elfMachine[here], []byte{0xc3}, "/lib/ld-none.so.1")), here, "its loader /lib/ld-none.so.1 is not on this machine")
	check(filepath.Join(t.TempDir(), "none"), here, "no such file")

	if files, err := companions(loopProgram(t, here, 1), here); err != nil || len(files) > 0 {
		t.Errorf("a static program needs %v, %v", files, err)
	}
	files, err = companions(write(t, []byte("#! "+sh+" -e\n:\n")), here)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for at := range files {
		names = append(names, at)
	}
	if !slices.Contains(names, sh) || len(names) < 3 {
		t.Errorf("a script needs %v, want its shell and that one's libraries", names)
	}
}
