package elfsize

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ReadOptions says what to read of an image. Start from DefaultReadOptions.
type ReadOptions struct {
	// Symbols: read them, here or from a separate debug file.
	Symbols bool
	// Bodies: digest what is loaded, and the code of each function, to recognise
	// renamed and rewritten ones; the latter needs Symbols.
	Bodies bool
	// SourceFiles: find the source file of each symbol by DWARF. Slow, and
	// takes memory in proportion to the debug sections. Needs Symbols.
	SourceFiles bool
	// DebugDirs are the roots below which separate debug files are looked for;
	// nil: none but beside the file itself.
	DebugDirs []string
	// MaxUnpacked is the most that one compressed file may unpack to, in bytes.
	MaxUnpacked int64
	// MaxDebug is the most that the debug sections of one object may unpack
	// to, in bytes, for SourceFiles.
	MaxDebug int64
}

// DefaultReadOptions reads everything but source files.
var DefaultReadOptions = ReadOptions{
	Symbols:     true,
	Bodies:      true,
	DebugDirs:   []string{"/usr/lib/debug"},
	MaxUnpacked: 4 << 30,
	MaxDebug:    4 << 30,
}

// ImageKind is what a path turned out to be.
type ImageKind string

const (
	File      ImageKind = "file"
	Archive   ImageKind = "archive"
	Directory ImageKind = "directory"
)

// An Image is what one path named. It is plain data: nothing is held open.
type Image struct {
	Path    string
	Kind    ImageKind
	Objects []*Object
	// Skipped counts the files of a directory or members of an archive that
	// are not ELF files.
	Skipped int
}

// Berkeley sums over all objects, as `size -t` does.
func (m *Image) Berkeley() Berkeley {
	var b Berkeley
	for _, o := range m.Objects {
		ob := berkeley(o.Sections)
		b.Text, b.Data, b.BSS = b.Text+ob.Text, b.Data+ob.Data, b.BSS+ob.BSS
	}
	return b
}

// Berkeley gives the line of `size` for one object.
func (o *Object) Berkeley() Berkeley { return berkeley(o.Sections) }

// Read reads the image at path. A path that cannot be opened gives the
// *fs.PathError of the system, a file that is none of what is understood a
// *FormatError.
func Read(path string, o ReadOptions) (*Image, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	m := &Image{Path: path, Kind: File}
	if st.IsDir() {
		m.Kind = Directory
		return m, m.readDir(path, o)
	}
	s, err := openSource(path)
	if err != nil {
		return nil, err
	}
	s, wrapping, err := unwrap(s, path, o)
	if err != nil {
		return nil, err
	}
	defer func() { s.close() }()
	from := path
	if isFlat(s.head(flatHead)) {
		flat := s
		if s, from = vmlinuxOf(flat, path, o.DebugDirs); s == nil {
			s = flat
			return nil, &FormatError{path, "an arm64 Image has no sections, and the vmlinux that it was made from is not found; give that"}
		}
		flat.close()
	}
	m.Kind, err = m.readSource(s, from, "", wrapping, o)
	if err != nil {
		return nil, err
	}
	if from != path {
		m.Objects[0].Vmlinux = from
	}
	if len(m.Objects) == 0 && m.Skipped > 0 { // an empty one is one, of size 0
		return nil, &FormatError{path, "an archive without ELF members"}
	}
	return m, nil
}

// readSource adds the objects of an unwrapped file. name is its name within
// the image, "" when it is the image.
func (m *Image) readSource(s *source, path, name string, wrapping []string, o ReadOptions) (ImageKind, error) {
	head := s.head(512)
	switch {
	case isELF(head):
		obj, err := readObject(s, path, o)
		if err != nil {
			return File, err
		}
		obj.Name, obj.Wrapping = name, wrapping
		m.Objects = append(m.Objects, obj)
		return File, nil
	case isArchive(head):
		seen := map[string]int{}
		return Archive, readArchive(s, path, func(member string, ms *source) error {
			label := path + "(" + member + ")"
			if !isELF(ms.head(4)) {
				m.Skipped++
				return nil
			}
			obj, err := readObject(ms, label, o)
			if err != nil {
				return err
			}
			// ar permits members of one name; they are matched in order.
			seen[member]++
			if n := seen[member]; n > 1 {
				member = fmt.Sprintf("%s #%d", member, n)
			}
			obj.Name = member
			if name != "" {
				obj.Name = name + "(" + member + ")"
			}
			m.Objects = append(m.Objects, obj)
			return nil
		})
	}
	return File, &FormatError{path, "not an ELF file, an archive or a kernel image" + guess(head)}
}

// guess says what a file looks like instead, where that helps.
func guess(head []byte) string {
	switch {
	case len(head) == 0:
		return ": it is empty"
	case bytes.HasPrefix(head, []byte("#!")):
		return ": it is a script"
	case bytes.HasPrefix(head, []byte("MZ")):
		return ": it is a PE file"
	case bytes.HasPrefix(head, []byte("BC\xc0\xde")):
		return ": it is LLVM bitcode; build without LTO or compare what was linked"
	case bytes.HasPrefix(head, []byte("070701")):
		return ": it is a cpio archive"
	}
	return ""
}

// readDir reads the ELF files and archives below root. Symbolic links are not
// followed: what they point to is met on its own, or is not part of the tree.
func (m *Image) readDir(root string, o ReadOptions) error {
	// The root itself may be one.
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	taken := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() {
			return nil
		}
		s, err := openSource(path)
		if err != nil {
			return err
		}
		if isThin(s.head(8)) { // its members are files of the tree, and met on their own
			s.close()
			return nil
		}
		if !holdsELF(s) {
			s.close()
			m.Skipped++
			return nil
		}
		s, wrapping, err := unwrap(s, path, o)
		if err != nil {
			return err
		}
		defer s.close()
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		// A module is the same one whether or how it is compressed.
		if short := strings.TrimSuffix(rel, filepath.Ext(rel)); len(wrapping) > 0 && wrapping[0] != "bzImage" && !taken[short] {
			rel = short
		}
		taken[rel] = true
		_, err = m.readSource(s, path, rel, wrapping, o)
		return err
	})
	if err == nil && len(m.Objects) == 0 {
		err = &FormatError{m.Path, "no ELF files below this directory"}
	}
	return err
}

// holdsELF looks at the start of a file, and through one layer of compression,
// without unpacking it: most compressed files of a tree are something else.
func holdsELF(s *source) (yes bool) {
	head := s.head(0x260)
	if isELF(head) || isArchive(head) {
		return true
	}
	if _, size, err := bootPayload(head, s.size); size > 0 && err == nil {
		return true
	}
	p := packingOf(head)
	if p == nil {
		return false
	}
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	r, err := p.open(io.NewSectionReader(s.r, 0, s.size))
	if err != nil {
		return false
	}
	if c, ok := r.(io.Closer); ok {
		defer c.Close()
	}
	b := make([]byte, 8)
	n, _ := io.ReadFull(r, b)
	return isELF(b[:n]) || isArchive(b[:n])
}

// readObject reads one ELF file.
func readObject(s *source, path string, o ReadOptions) (*Object, error) {
	f, err := openELF(s.r, s.size, path)
	if err != nil {
		return nil, err
	}
	f.obj.BuildID = f.buildID()
	if o.Bodies {
		if err := f.digests(); err != nil {
			return nil, err
		}
	}
	if !o.Symbols {
		return &f.obj, nil
	}
	if err := f.readSymbols(); err != nil {
		return nil, err
	}
	dwarf := f
	if f.obj.Stripped {
		d, done := f.vmlinuxSymbols(path, o.DebugDirs)
		if d == nil {
			d, done = f.findDebugFile(path, o.DebugDirs)
		}
		if d != nil {
			defer done()
			f.takeSymbols(d)
			dwarf = d
		}
	}
	f.inferSizes()
	if o.Bodies {
		f.readBodies()
	}
	if o.SourceFiles && !f.obj.Stripped {
		if err := f.sourceFiles(dwarf, o.MaxDebug); err != nil && !errors.Is(err, errNoDWARF) {
			return nil, err
		}
	}
	return &f.obj, nil
}

// digests sets Loaded and Code, in the order of the sections.
func (f *elfFile) digests() error {
	h, code := sha256.New(), sha256.New()
	executable := false
	var b [24]byte
	for i := range f.obj.Sections {
		s := &f.obj.Sections[i]
		if s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		io.WriteString(h, s.Name+"\x00")
		binary.LittleEndian.PutUint64(b[:], s.Addr)
		binary.LittleEndian.PutUint64(b[8:], s.Size)
		binary.LittleEndian.PutUint64(b[16:], uint64(s.Flags)<<32|uint64(s.Type))
		h.Write(b[:])
		if s.Type == elf.SHT_NOBITS {
			continue
		}
		if s.offset > uint64(f.size) || s.Size > uint64(f.size)-s.offset {
			// size(1) does not look at contents; nor is it needed here.
			continue
		}
		if err := f.spend(s.Size); err != nil {
			return err
		}
		to := io.Writer(h)
		if s.Flags&elf.SHF_EXECINSTR != 0 {
			to, executable = io.MultiWriter(h, code), true
		}
		if _, err := io.Copy(to, io.NewSectionReader(f.r, int64(s.offset), int64(s.Size))); err != nil {
			return f.errorf("reading %s: %v", s.Name, err)
		}
	}
	f.obj.Loaded = [32]byte(h.Sum(nil))
	if executable {
		f.obj.Code = [32]byte(code.Sum(nil))
	}
	return nil
}
