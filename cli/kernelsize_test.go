package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"microcost/internal/need"
	"microcost/workload/guest"
	"microcost/workload/recording"
)

// The sizes of a kernel that is booted: those that size prints of the vmlinux
// in a bzImage, and those of an arm64 Image.
func TestImageBinary(t *testing.T) {
	binary := func(name string) *recording.Binary {
		im, err := guest.ReadImage(need.Debian(t, name))
		if err != nil {
			t.Fatal(err)
		}
		b := imageBinary(im)
		if b.SHA256 != im.SHA256 || b.Size == 0 {
			t.Errorf("%s: %+v", name, b)
		}
		return b
	}
	b := binary("amd64-1")
	if s := b.Sections; s == nil || s.Text == 0 || s.Data == 0 || s.BSS == 0 || len(s.Code) != 64 || b.Flat != 0 {
		t.Errorf("a bzImage: %+v, sections %+v", b, s)
	}
	other := binary("amd64-2")
	if *other.Sections == *b.Sections || other.Sections.Code == b.Sections.Code {
		t.Errorf("two kernels have the same sections %+v", other.Sections)
	}
	arm := binary("arm64-1")
	if arm.Sections != nil || arm.Flat < uint64(arm.Size) || arm.Memory < arm.Flat {
		t.Errorf("an arm64 Image: %+v", arm)
	}
	// What was replaced after it was read is not what is booted.
	path := filepath.Join(t.TempDir(), "bzImage")
	data, err := os.ReadFile(need.Debian(t, "amd64-1"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	im, err := guest.ReadImage(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b := imageBinary(im); b.SHA256 != im.SHA256 || b.Size != 0 || b.Sections != nil {
		t.Errorf("a replaced image: %+v", b)
	}
}

// What ab keeps of a program is what size prints.
func TestSectionSizes(t *testing.T) {
	path := need.Program(t, "size")
	out, err := exec.Command(path, path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var want [3]uint64
	for i, f := range strings.Fields(strings.Split(string(out), "\n")[1])[:3] {
		if want[i], err = strconv.ParseUint(f, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	b := identify(path)
	if b == nil || b.Sections == nil {
		t.Fatalf("nothing is known of %s: %+v", path, b)
	}
	if s := b.Sections; [3]uint64{s.Text, s.Data, s.BSS} != want || len(s.Code) != 64 {
		t.Errorf("%+v, size prints %v", s, want)
	}
}
