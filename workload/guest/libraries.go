package guest

import (
	"bufio"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A ProgramError says why a program cannot run in a guest.
type ProgramError struct {
	Path string
	Msg  string
	Hint string
}

func (e *ProgramError) Error() string { return fmt.Sprintf("%s: %s", e.Path, e.Msg) }

// libraryDirs are where the dynamic loader looks when nothing else is said, with
// what Debian, Fedora and Alpine call it.
func libraryDirs(arch Arch) []string {
	triplet := map[Arch]string{AMD64: "x86_64-linux-gnu", ARM64: "aarch64-linux-gnu"}[arch]
	return []string{"/lib/" + triplet, "/usr/lib/" + triplet, "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib/" + triplet, "/usr/local/lib"}
}

// machineOf is the architecture of an ELF file.
func machineOf(f *elf.File) Arch {
	switch {
	case f.Machine == elf.EM_X86_64 && f.Class == elf.ELFCLASS64:
		return AMD64
	case f.Machine == elf.EM_AARCH64:
		return ARM64
	}
	return Arch(strings.TrimPrefix(f.Machine.String(), "EM_"))
}

// interpreter is the loader that a program asks for; "" when it is static.
func interpreter(f *elf.File) (string, error) {
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			b, err := io.ReadAll(p.Open())
			return string(bytes.TrimRight(b, "\x00")), err
		}
	}
	return "", nil
}

// companions are the files that a program needs beside itself, by their places in
// the guest: the loader and all libraries, or the interpreter of a script with
// those of its own. A static program needs none. The error is a *ProgramError.
func companions(path string, arch Arch) (files map[string]string, err error) {
	files = map[string]string{}
	if err := addCompanions(files, path, arch, 0); err != nil {
		return nil, err
	}
	return files, nil
}

func addCompanions(files map[string]string, path string, arch Arch, depth int) error {
	fail := func(hint, format string, args ...any) error {
		return &ProgramError{Path: path, Msg: fmt.Sprintf(format, args...), Hint: hint}
	}
	file, err := os.Open(path)
	if err != nil {
		return fail("", "opening it: %v", errors.Unwrap(err))
	}
	defer file.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(file, head)
	if script, ok := bytes.CutPrefix(head[:n], []byte("#!")); ok {
		words := strings.Fields(strings.SplitN(string(script), "\n", 2)[0])
		if len(words) == 0 || depth > 3 {
			return fail("", "is a script without an interpreter")
		}
		files[words[0]] = words[0]
		return addCompanions(files, words[0], arch, depth+1)
	}
	f, err := elf.NewFile(file)
	if err != nil {
		return fail("give a program, or a script with a #! line", "is no program that a kernel can run")
	}
	if m := machineOf(f); m != arch {
		return fail(fmt.Sprintf("give a static %s program", arch), "is a program for %s, the kernel is %s", m, arch)
	}
	interp, err := interpreter(f)
	if err != nil {
		return fail("", "reading its interpreter: %v", err)
	}
	needed, err := f.ImportedLibraries()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return fail("", "reading the list of its libraries: %v", err)
	}
	if interp == "" && len(needed) == 0 {
		return nil
	}
	if interp != "" {
		if _, err := os.Stat(interp); err != nil {
			return fail("link it statically", "is linked dynamically, and its loader %s is not on this machine", interp)
		}
		files[interp] = interp
	}
	return addLibraries(files, f, path, arch)
}

// addLibraries adds what f needs and what that needs.
func addLibraries(files map[string]string, f *elf.File, path string, arch Arch) error {
	needed, err := f.ImportedLibraries()
	if err != nil {
		return &ProgramError{Path: path, Msg: fmt.Sprintf("reading the list of its libraries: %v", err)}
	}
	var dirs []string
	for _, tag := range []elf.DynTag{elf.DT_RUNPATH, elf.DT_RPATH} {
		list, _ := f.DynString(tag)
		for _, l := range list {
			for _, d := range filepath.SplitList(l) {
				d = strings.NewReplacer("$ORIGIN", filepath.Dir(path), "${ORIGIN}", filepath.Dir(path)).Replace(d)
				dirs = append(dirs, d)
			}
		}
	}
	dirs = append(append(dirs, configuredDirs()...), libraryDirs(arch)...)
	for _, name := range needed {
		at, lib := findLibrary(name, dirs, arch)
		if lib == nil {
			return &ProgramError{Path: path, Msg: fmt.Sprintf("needs the library %s, which is not on this machine for %s", name, arch), Hint: "link it statically"}
		}
		_, known := files[at]
		files[at] = at
		if !known {
			err = addLibraries(files, lib, at, arch)
		}
		lib.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// findLibrary returns the first library of the name that is of the architecture.
func findLibrary(name string, dirs []string, arch Arch) (string, *elf.File) {
	if strings.Contains(name, "/") {
		dirs, name = []string{filepath.Dir(name)}, filepath.Base(name)
	}
	for _, d := range dirs {
		at := filepath.Join(d, name)
		f, err := elf.Open(at)
		if err != nil {
			continue
		}
		if machineOf(f) == arch {
			return at, f
		}
		f.Close()
	}
	return "", nil
}

// configuredDirs are the directories of /etc/ld.so.conf and what it includes.
func configuredDirs() []string {
	files, _ := filepath.Glob("/etc/ld.so.conf.d/*.conf")
	files = append([]string{"/etc/ld.so.conf"}, files...)
	var dirs []string
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		for s := bufio.NewScanner(f); s.Scan(); {
			if l := strings.TrimSpace(s.Text()); strings.HasPrefix(l, "/") && !slices.Contains(dirs, l) {
				dirs = append(dirs, l)
			}
		}
		f.Close()
	}
	return dirs
}
