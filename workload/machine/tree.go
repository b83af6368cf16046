package machine

import (
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// maxFile bounds what is read of any one file. The largest is /proc/cpuinfo
// of a large machine, or a kernel configuration.
const maxFile = 8 << 20

// A tree reads small files of /proc and /sys; what cannot be read is empty.
type tree struct{ fs.FS }

func (t tree) bytes(path string) []byte {
	f, err := t.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil
	}
	return data
}

// text returns the contents of a file without the white space around them.
func (t tree) text(path string) string {
	return strings.TrimSpace(string(t.bytes(path)))
}

// number returns a file's decimal number, and nil when there is none.
func (t tree) number(path string) *int {
	n, err := strconv.Atoi(t.text(path))
	if err != nil {
		return nil
	}
	return &n
}

// kilohertz returns a file's frequency in hertz, or 0.
func (t tree) kilohertz(path string) uint64 {
	n, err := strconv.ParseUint(t.text(path), 10, 44)
	if err != nil {
		return 0
	}
	return n * 1000
}

// glob returns the paths that match, in order.
func (t tree) glob(pattern string) []string {
	paths, _ := fs.Glob(t, pattern) // the patterns are constants and right
	return paths
}

// first returns the text of the first of the files that has any.
func (t tree) first(paths ...string) string {
	for _, p := range paths {
		if s := t.text(p); s != "" {
			return s
		}
	}
	return ""
}

// chosen returns the word in brackets or parentheses of a list such as
// "always [madvise] never".
func chosen(list string) string {
	for _, w := range strings.Fields(list) {
		if len(w) > 2 && (w[0] == '[' || w[0] == '(') {
			return w[1 : len(w)-1]
		}
	}
	return ""
}

// listLen returns how many numbers a list such as "0-3,8" has, or 0.
func listLen(list string) int {
	total := 0
	for part := range strings.SplitSeq(list, ",") {
		lo, hi, isRange := strings.Cut(part, "-")
		if !isRange {
			hi = lo
		}
		a, err1 := strconv.Atoi(lo)
		b, err2 := strconv.Atoi(hi)
		if err1 != nil || err2 != nil || b < a {
			return 0
		}
		total += b - a + 1
	}
	return total
}
