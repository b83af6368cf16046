package elfsize

import (
	"bytes"
	"debug/elf"
	"hash/crc32"
	"io"
	"path/filepath"
	"slices"
	"strings"

	xz "github.com/therootcompany/xz"
)

// findDebugFile looks for the separate debug file of a stripped one, where GDB
// does: by build id below each root, then by .gnu_debuglink beside the file, in
// .debug, and below each root; last the symbol table that Fedora embeds as
// .gnu_debugdata. A candidate with another build id or checksum is another
// build and is not used. The file is nil when there is none.
func (f *elfFile) findDebugFile(path string, roots []string) (*elfFile, func()) {
	if id := f.obj.BuildID; len(id) > 2 {
		for _, r := range roots {
			p := filepath.Join(r, ".build-id", id[:2], id[2:]+".debug")
			if d, done := f.openDebug(p, 0, false); d != nil {
				return d, done
			}
		}
	}
	if name, crc := f.debugLink(); name != "" {
		dir := filepath.Dir(path)
		if abs, err := filepath.Abs(path); err == nil {
			dir = filepath.Dir(abs)
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		places := []string{filepath.Join(dir, name), filepath.Join(dir, ".debug", name)}
		for _, r := range roots {
			places = append(places, filepath.Join(r, dir, name))
		}
		for _, p := range places {
			if d, done := f.openDebug(p, crc, true); d != nil {
				return d, done
			}
		}
	}
	return f.embeddedDebug(path)
}

// debugLink reads .gnu_debuglink: a file name, padded, and its CRC-32.
func (f *elfFile) debugLink() (string, uint32) {
	i := slices.IndexFunc(f.obj.Sections, func(s Section) bool { return s.Name == ".gnu_debuglink" })
	if i < 0 || f.obj.Sections[i].Size > 1<<16 {
		return "", 0
	}
	b, err := f.contents(&f.obj.Sections[i])
	n := bytes.IndexByte(b, 0)
	if err != nil || n <= 0 || len(b) < (n+4)&^3+4 {
		return "", 0
	}
	name := string(b[:n])
	if strings.ContainsRune(name, '/') {
		return "", 0 // a name, never a path
	}
	return name, f.ord.Uint32(b[(n+4)&^3:])
}

// openDebug opens a candidate and checks that it belongs to f and has symbols.
func (f *elfFile) openDebug(path string, crc uint32, check bool) (*elfFile, func()) {
	s, err := openSource(path)
	if err != nil {
		return nil, nil
	}
	d := f.debugSource(s, path)
	if d != nil && (d.obj.BuildID == "" || f.obj.BuildID == "") && check {
		// Without build ids only the checksum of all of it tells.
		h := crc32.NewIEEE()
		if _, err := io.Copy(h, io.NewSectionReader(s.r, 0, s.size)); err != nil || h.Sum32() != crc {
			d = nil
		}
	}
	if d == nil {
		s.close()
		return nil, nil
	}
	return d, s.close
}

func (f *elfFile) debugSource(s *source, path string) *elfFile {
	d, err := openELF(s.r, s.size, path)
	if err != nil {
		return nil
	}
	d.obj.BuildID = d.buildID()
	if d.obj.BuildID != f.obj.BuildID && d.obj.BuildID != "" && f.obj.BuildID != "" {
		return nil
	}
	if d.obj.Machine != f.obj.Machine || d.obj.Class != f.obj.Class {
		return nil
	}
	if d.readSymbols() != nil || d.obj.Stripped {
		return nil
	}
	return d
}

func (f *elfFile) embeddedDebug(path string) (*elfFile, func()) {
	i := slices.IndexFunc(f.obj.Sections, func(s Section) bool { return s.Name == ".gnu_debugdata" })
	if i < 0 {
		return nil, nil
	}
	b, err := f.contents(&f.obj.Sections[i])
	if err != nil {
		return nil, nil
	}
	s, err := unpack(bytes.NewReader(b), &packing{name: "xz", open: func(r io.Reader) (io.Reader, error) {
		return xz.NewReader(r, maxDict)
	}}, 256<<20)
	if err != nil {
		return nil, nil
	}
	d := f.debugSource(s, path+" .gnu_debugdata")
	if d == nil {
		s.close()
		return nil, nil
	}
	return d, s.close
}

// takeSymbols moves the symbols of a debug file to the sections of f, which
// have the contents: in a debug file the loaded ones are empty, and may be
// numbered otherwise. Names and addresses agree.
func (f *elfFile) takeSymbols(d *elfFile) {
	type key struct {
		name string
		addr uint64
	}
	index := map[key]int{}
	for i, s := range f.obj.Sections {
		index[key{s.Name, s.Addr}] = i
	}
	f.obj.Symbols, f.obj.SymbolsFrom, f.obj.Stripped = d.obj.Symbols, d.path, false
	for i := range f.obj.Symbols {
		s := &f.obj.Symbols[i]
		if s.Section < 0 {
			continue
		}
		there := d.obj.Sections[s.Section]
		j, ok := index[key{there.Name, there.Addr}]
		if !ok {
			s.Section = -1
			continue
		}
		s.Section = j
		s.Class = classOf(s, elf.SectionIndex(min(j, int(elf.SHN_LORESERVE)-1)), &f.obj.Sections[j])
	}
}
