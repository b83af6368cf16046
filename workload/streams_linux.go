package workload

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// stderrTail is how much of a failed command's stderr is shown.
const stderrTail = 2048

// streams are the files a measured command gets. They are always real files: a
// pipe with a reader behind it would add context switches of its own.
type streams struct {
	null   *os.File
	stdin  string
	stdout *os.File
	path   string
	stderr *os.File // unlinked, appended to, emptied before each run
}

func openStreams(cfg *Config) (*streams, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	tmp, err := os.CreateTemp("", "microcost-stderr-")
	if err != nil {
		null.Close()
		return nil, fmt.Errorf("making a file for the commands' stderr: %w", err)
	}
	name := tmp.Name()
	tmp.Close()
	// Reopened for appending: the commands write through their own descriptors.
	stderr, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0)
	os.Remove(name)
	if err != nil {
		null.Close()
		return nil, fmt.Errorf("making a file for the commands' stderr: %w", err)
	}
	return &streams{null: null, stdin: cfg.Stdin, stdout: cfg.Stdout, path: cfg.StdoutPath, stderr: stderr}, nil
}

func (s *streams) close() {
	s.null.Close()
	s.stderr.Close()
}

// files opens what one run needs. The result closes what was opened.
func (s *streams) files() (fds [3]uintptr, done func(), err error) {
	var opened []*os.File
	done = func() {
		for _, f := range opened {
			f.Close()
		}
	}
	in, out := s.null, s.null
	if s.stdin != "" {
		if in, err = os.Open(s.stdin); err != nil {
			return fds, done, err
		}
		opened = append(opened, in)
	}
	switch {
	case s.path != "":
		if out, err = os.Create(s.path); err != nil {
			done()
			return fds, func() {}, err
		}
		opened = append(opened, out)
	case s.stdout != nil:
		out = s.stdout
	}
	s.emptyStderr()
	return [3]uintptr{in.Fd(), out.Fd(), s.stderr.Fd()}, done, nil
}

// emptyStderr forgets what earlier commands wrote.
func (s *streams) emptyStderr() {
	if st, err := s.stderr.Stat(); err == nil && st.Size() > 0 {
		_ = s.stderr.Truncate(0)
	}
}

// tail is the end of what the last run wrote to stderr.
func (s *streams) tail() string {
	st, err := s.stderr.Stat()
	if err != nil || st.Size() == 0 {
		return ""
	}
	from := max(0, st.Size()-stderrTail)
	buf, _ := io.ReadAll(io.NewSectionReader(s.stderr, from, stderrTail))
	text := string(buf)
	if from > 0 {
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			text = text[i+1:]
		}
	}
	return strings.TrimRight(text, "\n")
}
