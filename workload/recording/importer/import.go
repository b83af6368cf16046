package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"microcost/workload/recording"
)

// MaxSize is the largest file of another tool, in bytes and decompressed, that
// is read. Recordings have no such limit.
const MaxSize = 64 << 20

// maxLines and maxLength bound the lines of such a file, but for JSON, which may
// stand in one line.
const (
	maxLines  = 1 << 20
	maxLength = 1 << 20
)

// Options say what a file cannot.
type Options struct {
	// Label is the label of the variant in a file that holds a single one;
	// empty for the command, or the workload, that the file names.
	Label string
	// Runs is how many runs a mean is of, where the file does not tell: perf
	// stat -r with -x or -j. 0 leaves it unknown.
	Runs int
}

// A ParseError says where a file of a known form has something impossible.
type ParseError struct {
	Form string // "perf stat text", for example
	Line int    // from 1; 0 when no one line is to blame
	Msg  string
}

func (e *ParseError) Error() string {
	msg := e.Msg
	if len(msg) > enoughSaid { // json quotes what it does not like as a whole
		msg = msg[:enoughSaid] + " ..."
	}
	if e.Line == 0 {
		return e.Form + ": " + msg
	}
	return fmt.Sprintf("%s: line %d: %s", e.Form, e.Line, msg)
}

// enoughSaid is how long a message may be, in bytes.
const enoughSaid = 500

// A form is one kind of file. Parse gets lines without their ends.
type form struct {
	name  string
	is    func(lines []string) bool
	parse func(lines []string, o Options) ([]series, error)
}

const formHyperfine = "hyperfine JSON"

// forms are tried in order: the output of perf stat holds that of the program
// that was measured, which may be hackbench.
func forms() []form {
	return []form{
		{formHyperfine, isHyperfine, parseHyperfine},
		{"perf stat JSON", isPerfJSON, parsePerfJSON},
		{"perf stat text", hasPerfHeader, parsePerfText},
		{"Go benchmark format", isGoBench, parseGoBench},
		{"hackbench", isHackbench, parseHackbench},
		{"perf bench", isPerfBench, parsePerfBench},
		{"CSV", isCSV, parseCSV},
		{"perf stat text", isPerfText, parsePerfText},
		{"perf stat CSV", isPerfCSV, parsePerfCSV},
		{"perf bench simple", isNumbers, parseNumbers},
	}
}

// Import reads a recording, or what another tool wrote, from r, plain or
// compressed. The error is a *recording.FormatError for a file of no known
// form, a *ParseError for one with impossible contents, or one of reading.
// There is a Recording or an error, never both.
func Import(r io.Reader, o Options) (*recording.Recording, error) {
	in, err := recording.Decompress(r)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	buf := bufio.NewReader(in)
	if start, _ := buf.Peek(len(recordingStart)); string(start) == recordingStart {
		return recording.Read(buf)
	}
	data, err := io.ReadAll(io.LimitReader(buf, MaxSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxSize {
		return nil, &recording.FormatError{Msg: fmt.Sprintf("larger than the %d MiB that are read of other tools' files", MaxSize>>20)}
	}
	if n := bytes.Count(data, []byte("\n")); n > maxLines {
		return nil, &recording.FormatError{Msg: fmt.Sprintf("more than %d lines, which is more than is read of other tools' files", maxLines)}
	}
	lines := splitLines(data)
	long := slices.IndexFunc(lines, func(l string) bool { return len(l) > maxLength })
	for _, f := range forms() {
		if long >= 0 && f.name != formHyperfine || !f.is(lines) {
			continue
		}
		list, err := f.parse(lines, o)
		if err == nil {
			var rec *recording.Recording
			if rec, err = build(f.name, list, o); err == nil {
				return rec, nil
			}
		}
		var pe *ParseError
		if errors.As(err, &pe) {
			pe.Form = f.name
		}
		return nil, err
	}
	if rec, err := recording.Read(bytes.NewReader(data)); err == nil {
		return rec, nil // with a damaged first line
	}
	if long >= 0 {
		return nil, &recording.FormatError{Msg: fmt.Sprintf("line %d is longer than the %d MiB that are read of other tools' lines", long+1, maxLength>>20)}
	}
	if len(data) == 0 {
		return nil, &recording.FormatError{Msg: "the file is empty"}
	}
	return nil, &recording.FormatError{Msg: "no output of perf stat, perf bench, hackbench, hyperfine or Go benchmarks, and no CSV with a column variant"}
}

// recordingStart is how every recording begins that is not damaged there.
const recordingStart = `{"kind":"`

func splitLines(data []byte) []string {
	lines := strings.Split(string(data), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	if n := len(lines); lines[n-1] == "" {
		lines = lines[:n-1]
	}
	return lines
}

// bad makes a ParseError of the line with the given index.
func bad(index int, format string, args ...any) error {
	return &ParseError{Line: index + 1, Msg: fmt.Sprintf(format, args...)}
}
