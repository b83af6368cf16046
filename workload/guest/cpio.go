package guest

import (
	"fmt"
	"io"
	"path"
	"strings"
)

// An archive is a cpio archive in the "newc" format, as the kernel unpacks it for
// an initramfs (Documentation/driver-api/early-userspace/buffer-format.rst). The
// kernel makes no missing directories, so the archive does.
type archive struct {
	w     io.Writer
	n     int64
	inode int
	made  map[string]bool // directories
	err   error
}

func newArchive(w io.Writer) *archive {
	return &archive{w: w, made: map[string]bool{"": true, ".": true}}
}

// Types and permissions of entries: struct stat's st_mode.
const (
	modeFile   = 0o100000
	modeDir    = 0o040000
	modeLink   = 0o120000
	modeDevice = 0o020000 // character device
)

// file adds a regular file.
func (a *archive) file(name string, mode int, data []byte) {
	a.parents(name)
	a.entry(name, modeFile|mode, data, 0, 0)
}

// link adds a symbolic link.
func (a *archive) link(name, target string) {
	a.parents(name)
	a.entry(name, modeLink|0o777, []byte(target), 0, 0)
}

// dir adds a directory, once.
func (a *archive) dir(name string) {
	name = strings.Trim(name, "/")
	if a.made[name] {
		return
	}
	a.parents(name)
	a.made[name] = true
	a.entry(name, modeDir|0o755, nil, 0, 0)
}

// device adds a character device.
func (a *archive) device(name string, mode, major, minor int) {
	a.parents(name)
	a.entry(name, modeDevice|mode, nil, major, minor)
}

func (a *archive) parents(name string) {
	if d := path.Dir(strings.Trim(name, "/")); d != "." {
		a.dir(d)
	}
}

// close adds the entry that ends an archive.
func (a *archive) close() error {
	a.entry("TRAILER!!!", 0, nil, 0, 0)
	return a.err
}

// entry writes one entry: a header of 13 numbers of eight hexadecimal digits,
// then name and data, each padded to a multiple of four bytes.
func (a *archive) entry(name string, mode int, data []byte, major, minor int) {
	name = strings.Trim(name, "/")
	a.inode++
	a.printf("070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s\x00",
		a.inode, mode, 0, 0, 1, 0, len(data), 0, 0, major, minor, len(name)+1, 0, name)
	a.pad()
	a.write(data)
	a.pad()
}

func (a *archive) printf(format string, args ...any) { a.write(fmt.Appendf(nil, format, args...)) }

func (a *archive) pad() { a.write(make([]byte, (4-a.n%4)%4)) }

func (a *archive) write(b []byte) {
	if a.err != nil || len(b) == 0 {
		return
	}
	n, err := a.w.Write(b)
	a.n, a.err = a.n+int64(n), err
}
