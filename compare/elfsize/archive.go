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
	return bytes.HasPrefix(head, []byte(arMagic)) || isThin(head)
}

func isThin(head []byte) bool { return bytes.HasPrefix(head, []byte(thinMagic)) }

// readArchive calls fn for each member of an ar archive, in order. Symbol
// indices and the table of long names are not members. A thin archive names
// files relative to itself, which are opened, or members of another archive.
func readArchive(s *source, path string, fn func(name string, m *source) error) error {
	n := nest{}
	defer n.close()
	return eachMember(s, path, n, func(name string, _ int64, m *source) error { return fn(name, m) })
}

// eachMember does so and says at which byte the member's header is. n may be nil
// for an archive that is not a thin one.
func eachMember(s *source, path string, n nest, fn func(name string, at int64, m *source) error) error {
	bad := func(format string, args ...any) error {
		return &FormatError{path, "archive: " + fmt.Sprintf(format, args...)}
	}
	thin := isThin(s.head(8))
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
		at := off
		off += 60
		name := strings.TrimRight(string(h[:16]), " ")
		stored := !thin || name == "/" || name == "//" || name == "/SYM64/"
		if stored && size > s.size-off {
			return bad("the member at byte %d is cut short", off-60)
		}
		start, next, nested := off, off, int64(0)
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
			n, origin, ok := longName(name)
			if !ok || n >= uint64(len(long)) {
				return bad("the member at byte %d has no name", off-60)
			}
			nested = origin
			if name = long.at(n); name == "" {
				return bad("the member at byte %d has no name of at most %d bytes", off-60, maxMember)
			}
		default:
			name = strings.TrimSuffix(name, "/")
		}
		off = next
		if stored {
			err = fn(name, at, &source{io.NewSectionReader(s.r, start, size), size, func() {}})
		} else if file := thinPath(path, name); nested > 0 {
			var m *nestedMember
			if m, err = n.member(file, nested); err == nil {
				err = fn(name+"("+m.name+")", at, m.source)
			}
		} else {
			// Sixty bytes that cost the reading of a whole file.
			if opened[file]++; opened[file] > 16 {
				return bad("it names %s again and again", name)
			}
			err = withFile(file, func(m *source) error { return fn(name, at, m) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// longName reads "/123": where the name is in the table of long names. ar leaves
// what it likes behind the digits, but ":456" says that the member is at that
// byte of the archive of this name.
func longName(field string) (at uint64, origin int64, ok bool) {
	digits := func(s string) (n, rest string) {
		i := 0
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return s[:i], s[i:]
	}
	n, rest := digits(field[1:])
	at, err := strconv.ParseUint(n, 10, 63)
	if err != nil {
		return 0, 0, false
	}
	if strings.HasPrefix(rest, ":") {
		n, _ = digits(rest[1:])
		if origin, err = strconv.ParseInt(n, 10, 63); err != nil || origin < 8 {
			return 0, 0, false
		}
	}
	return at, origin, true
}

// A nest holds the archives that members of a thin archive are members of.
type nest map[string]*nestedArchive

type nestedArchive struct {
	source  *source
	members map[int64]*nestedMember // by the byte of the header
}

type nestedMember struct {
	name   string
	source *source
}

// maxNested bounds the files that are open at once.
const maxNested = 200

// member finds the member of an archive whose header is at this byte.
func (n nest) member(file string, at int64) (*nestedMember, error) {
	a := n[file]
	if a == nil {
		if len(n) == maxNested {
			return nil, &FormatError{file, fmt.Sprintf("a thin archive names members of more than %d others", maxNested)}
		}
		s, err := openSource(file)
		if err != nil {
			return nil, err
		}
		a = &nestedArchive{s, map[int64]*nestedMember{}}
		n[file] = a
		if string(s.head(8)) != arMagic {
			return nil, &FormatError{file, "a thin archive names a member of it, and it is no archive"}
		}
		err = eachMember(s, file, nil, func(name string, at int64, m *source) error {
			a.members[at] = &nestedMember{name, m}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if m := a.members[at]; m != nil {
		delete(a.members, at) // named twice it would be read twice, for sixty bytes
		return m, nil
	}
	return nil, &FormatError{file, fmt.Sprintf("a thin archive names the member at byte %d, and there is none", at)}
}

func (n nest) close() {
	for _, a := range n {
		a.source.close()
	}
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
