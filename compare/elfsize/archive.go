package elfsize

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	arMagic   = "!<arch>\n"
	thinMagic = "!<thin>\n"
)

func isArchive(head []byte) bool {
	return bytes.HasPrefix(head, []byte(arMagic)) || bytes.HasPrefix(head, []byte(thinMagic))
}

// readArchive calls fn for each member of an ar archive, in order. Symbol
// indices and the table of long names are not members. A thin archive names
// files relative to itself, which are opened.
func readArchive(s *source, path string, fn func(name string, m *source) error) error {
	bad := func(format string, args ...any) error {
		return &FormatError{path, "archive: " + fmt.Sprintf(format, args...)}
	}
	thin := string(s.head(8)) == thinMagic
	var long stringTableLines
	h := make([]byte, 60)
	opened := map[string]int{} // by a thin archive
	for off := int64(8); off+60 <= s.size; {
		if _, err := s.r.ReadAt(h, off); err != nil {
			return err
		}
		if string(h[58:60]) != "`\n" {
			return bad("no member header at byte %d", off)
		}
		size, err := strconv.ParseInt(strings.TrimSpace(string(h[48:58])), 10, 64)
		if err != nil || size < 0 {
			return bad("the member at byte %d has no size", off)
		}
		off += 60
		name := strings.TrimRight(string(h[:16]), " ")
		stored := !thin || name == "/" || name == "//" || name == "/SYM64/"
		if stored && size > s.size-off {
			return bad("the member at byte %d is cut short", off-60)
		}
		start, next := off, off
		if stored {
			next += size + size&1
		}
		switch {
		case name == "/" || name == "/SYM64/" || name == "__.SYMDEF":
			off = next
			continue
		case name == "//":
			b := make([]byte, size)
			if _, err := s.r.ReadAt(b, off); err != nil {
				return err
			}
			long, off = stringTableLines(b), next
			continue
		case strings.HasPrefix(name, "#1/"): // BSD: the name is before the contents
			n, err := strconv.ParseInt(name[3:], 10, 64)
			if err != nil || n < 0 || n > size || n > maxMember {
				return bad("the member at byte %d has no name", off-60)
			}
			b := make([]byte, n)
			if _, err := s.r.ReadAt(b, off); err != nil {
				return err
			}
			name, start, size = strings.TrimRight(string(b), "\x00"), start+n, size-n
		case strings.HasPrefix(name, "/"):
			n, err := strconv.ParseUint(name[1:], 10, 63)
			if err != nil || n >= uint64(len(long)) {
				return bad("the member at byte %d has no name", off-60)
			}
			if name = long.at(n); name == "" {
				return bad("the member at byte %d has no name of at most %d bytes", off-60, maxMember)
			}
		default:
			name = strings.TrimSuffix(name, "/")
		}
		off = next
		if stored {
			err = fn(name, &source{io.NewSectionReader(s.r, start, size), size, func() {}})
		} else {
			file := thinPath(path, name)
			// Sixty bytes that cost the reading of a whole file.
			if opened[file]++; opened[file] > 16 {
				return bad("it names %s again and again", name)
			}
			err = withFile(file, func(m *source) error { return fn(name, m) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func thinPath(archive, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(archive), name)
}

// withFile opens a file for the time of a call.
func withFile(path string, fn func(*source) error) error {
	s, err := openSource(path)
	if err != nil {
		return err
	}
	defer s.close()
	return fn(s)
}

func openSource(path string) (*source, error) {
	// Before it is opened: opening a named pipe would wait for ever.
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &FormatError{path, "not a regular file"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &source{f, st.Size(), func() { f.Close() }}, nil
}

// maxMember is the longest name of a member, in bytes: that of a path.
const maxMember = 4096

// stringTableLines is the "//" member of GNU archives: names end in "/\n".
type stringTableLines string

// at is "" for a name without an end.
func (t stringTableLines) at(off uint64) string {
	s := string(t[off:min(off+maxMember+2, uint64(len(t)))])
	i := strings.IndexByte(s, '\n')
	if i < 0 {
		return ""
	}
	return strings.TrimSuffix(s[:i], "/")
}
