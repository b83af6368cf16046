package guest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A File goes into the guest: what lies at Source on this machine lies at Path
// there. A directory goes with all that is in it.
type File struct {
	Source string
	Path   string // absolute
}

// An initramfs is what all boots of an architecture have in common: the program
// and the user's files. It is the archive as the kernel takes it, uncompressed: a
// copy costs an emulated processor far less than unpacking does, and every kernel
// with an initramfs takes it.
type initramfs []byte

// newInitramfs packs the guest's file system. Programs among the files, and those
// in run, get their libraries with them; those in run must be for arch. It also
// returns the directories of the libraries, for the guest's LD_LIBRARY_PATH.
func newInitramfs(program string, arch Arch, files []File, run []string) (initramfs, []string, error) {
	var buf bytes.Buffer
	a := newArchive(&buf)
	for _, d := range []string{"dev", "proc", "sys", "tmp", "root", "bin", "usr/bin", "etc"} {
		a.dir(d)
	}
	// /dev/console must be there before the kernel starts /init, which has it as
	// standard output; devtmpfs comes too late.
	a.device("dev/console", 0o600, 5, 1)
	a.device("dev/null", 0o666, 1, 3)
	init, err := os.ReadFile(program)
	if err != nil {
		return nil, nil, fmt.Errorf("the guest's program: %w", err)
	}
	a.file("init", 0o755, init)

	libraries := map[string]string{}
	placed := map[string]bool{}
	for _, f := range files {
		if err := addTree(a, f, arch, libraries, placed); err != nil {
			return nil, nil, err
		}
	}
	for _, name := range run {
		need, err := companions(name, arch)
		if err != nil {
			return nil, nil, err
		}
		maps.Copy(libraries, need)
	}
	var dirs []string
	for _, at := range slices.Sorted(maps.Keys(libraries)) {
		if placed[at] {
			continue
		}
		data, err := os.ReadFile(libraries[at])
		if err != nil {
			return nil, nil, fmt.Errorf("a library for the guest: %w", err)
		}
		placed[at] = true
		a.file(at, 0o755, data)
		if d := filepath.Dir(at); strings.Contains(filepath.Base(at), ".so") && !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	if err := a.close(); err != nil {
		return nil, nil, err
	}
	return buf.Bytes(), dirs, nil
}

// addTree adds one of the user's files, or a directory of them.
func addTree(a *archive, f File, arch Arch, libraries map[string]string, placed map[string]bool) error {
	return filepath.WalkDir(f.Source, func(source string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(f.Source, source)
		if err != nil {
			return err
		}
		at := path.Join(f.Path, filepath.ToSlash(rel))
		st, err := os.Stat(source) // links are followed: what they point to may not be there
		switch {
		case err != nil:
			return err
		case st.IsDir():
			a.dir(at)
			return nil
		case !st.Mode().IsRegular():
			return fmt.Errorf("%s is neither a file nor a directory", source)
		}
		data, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		placed[at] = true
		a.file(at, int(st.Mode().Perm()), data)
		if st.Mode()&0o111 != 0 {
			// Only as a courtesy: what cannot be run here may not be meant to be.
			if need, err := companions(source, arch); err == nil {
				maps.Copy(libraries, need)
			}
		}
		return nil
	})
}

// withPlan is the initramfs of one boot. The kernel unpacks archives that follow
// each other one after the other.
func (fs initramfs) withPlan(plan bootPlan) ([]byte, error) {
	data, err := json.Marshal(plan)
	if err != nil {
		return nil, fmt.Errorf("the guest's plan: %w", err)
	}
	var buf bytes.Buffer
	a := newArchive(&buf)
	a.file(planFile, 0o600, data)
	if err := a.close(); err != nil {
		return nil, err
	}
	return append(buf.Bytes(), fs...), nil
}
