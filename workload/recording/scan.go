package recording

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A Visitor is called by Scan for each line, in the order of the file. A nil
// function skips its kind; an error from one ends the scan and is returned.
// What is passed may be kept.
type Visitor struct {
	Head    func(Head) error // once for each head: more in files joined by cat
	Session func(Session) error
	Sample  func(Sample) error
	Summary func(Summary) error
	End     func(End) error
	Unknown func(Unknown) error
	Damage  func(Damage) error // once for each damaged line
}

// Scan reads a recording from r, plain or compressed, in bounded memory
// whatever its size. It keeps the promises of Recording: sessions are numbered
// from 0 in the order of the file, also where files were joined by cat, and
// lines that do not agree with their session are damage.
//
// The error is a *FormatError for what is not a recording, a *VersionError for
// one that is too new, the visitor's, or one of reading. Damage is no error.
func Scan(r io.Reader, v Visitor) error {
	in, err := Decompress(r)
	if err != nil {
		return err
	}
	defer in.Close()
	return newScanner(in, v).run()
}

// magic is how the file that this package writes starts.
var magic = []byte(kindStart + kindHead + `","format":"` + Format + `"`)

// Starts tells whether what is to be read starts like a recording.
func Starts(r *bufio.Reader) bool {
	start, _ := r.Peek(len(magic))
	return bytes.Equal(start, magic)
}

// A scanner is the state of one Scan.
type scanner struct {
	r       *bufio.Reader
	v       Visitor
	buf     []byte
	at      Damage      // position and samples before the present line
	proved  bool        // it is a recording
	pending []Damage    // found before that was known
	ids     map[int]int // the file's session IDs, since its last head, to ours
	shapes  []shape     // by our ID
	fileID  int         // of the session line being visited
	maxID   int         // highest ID that the file uses since its last head
}

func newScanner(r io.Reader, v Visitor) *scanner {
	return &scanner{r: bufio.NewReaderSize(r, 64<<10), v: v, ids: map[int]int{}, maxID: -1}
}

// sniff returns nil if r holds a recording, as Scan would find.
func sniff(r io.Reader) error {
	enough := errors.New("enough")
	stop := func() error { return enough }
	err := newScanner(r, Visitor{
		Head:    func(Head) error { return stop() },
		Session: func(Session) error { return stop() },
		Sample:  func(Sample) error { return stop() },
		Damage:  func(Damage) error { return stop() },
	}).run()
	if err == enough {
		return nil
	}
	return err
}

func (s *scanner) run() error {
	start, err := s.r.Peek(len(magic))
	if len(start) == 0 && (err == nil || err == io.EOF) {
		return &FormatError{"the file is empty"}
	}
	s.proved = bytes.Equal(start, magic)
	for {
		s.at.Line++
		line, n, err := s.readLine()
		if len(line) > 0 || err == errTooLong {
			if err := s.visit(line, err); err != nil {
				return err
			}
		}
		s.at.Offset += n
		switch {
		case err == nil || err == errTooLong:
		case err == io.EOF:
			return s.finish()
		case errors.Is(err, errDamaged):
			if !s.proved {
				return &FormatError{err.Error()}
			}
			s.at.Line++
			return s.damaged(err)
		default:
			return err
		}
	}
}

// readLine returns the next line without its end, and how many bytes of the
// file it took. The line is valid until the next call. Of a line that is too
// long nothing is returned and little is kept.
func (s *scanner) readLine() (line []byte, n int64, err error) {
	s.buf = s.buf[:0]
	long := false
	for {
		part, err := s.r.ReadSlice('\n')
		n += int64(len(part))
		if !long {
			s.buf = append(s.buf, part...)
		}
		if len(s.buf) > MaxLine {
			long, s.buf = true, s.buf[:0]
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if long && (err == nil || err == io.EOF) {
			return nil, n, errTooLong
		}
		return bytes.TrimRight(s.buf, "\r\n"), n, err
	}
}

// visit handles one line; readErr is io.EOF for a line without a newline.
func (s *scanner) visit(line []byte, readErr error) error {
	if readErr == errTooLong {
		return s.damaged(readErr)
	}
	size := len(line)
	kind, body, err := openLine(line)
	if err != nil {
		if readErr != nil {
			err = fmt.Errorf("line is cut short after %d bytes", size)
		}
		return s.damaged(err)
	}
	if err := s.prove(); err != nil {
		return err
	}
	if !json.Valid(body) {
		return s.damaged(errors.New("not JSON"))
	}
	bad, err := s.dispatch(kind, body)
	if bad != nil {
		return s.damaged(bad)
	}
	return err
}

// dispatch calls the visitor for a line. The first error is damage, the second
// ends the scan.
func (s *scanner) dispatch(kind string, body []byte) (bad, err error) {
	switch kind {
	case kindHead:
		return s.visitHead(body)
	case kindSession:
		return s.visitSession(body)
	case kindSample:
		var l Sample
		if bad = l.UnmarshalJSON(body); bad == nil {
			bad = s.place(&l.Session, l.Variant)
		}
		if bad == nil && len(l.Counts) != s.shapes[l.Session].events {
			bad = fmt.Errorf("sample has %d counts, its session %d events", len(l.Counts), s.shapes[l.Session].events)
		}
		if bad != nil {
			return bad, nil
		}
		s.at.Samples++
		return nil, call(s.v.Sample, l)
	case kindSummary:
		var l Summary
		if bad = l.UnmarshalJSON(body); bad == nil {
			bad = s.place(&l.Session, l.Variant)
		}
		if bad == nil && (l.Event < 0 || l.Event >= s.shapes[l.Session].events) {
			bad = fmt.Errorf("summary names event %d, its session has %d", l.Event, s.shapes[l.Session].events)
		}
		if bad != nil {
			return bad, nil
		}
		return nil, call(s.v.Summary, l)
	case kindEnd:
		var l End
		if bad = l.UnmarshalJSON(body); bad == nil {
			bad = s.place(&l.Session, -1)
		}
		if bad != nil {
			return bad, nil
		}
		return nil, call(s.v.End, l)
	}
	return nil, call(s.v.Unknown, Unknown{Kind: kind, Body: string(body)})
}

func (s *scanner) visitHead(body []byte) (bad, err error) {
	var h Head
	if err := h.UnmarshalJSON(body); err != nil {
		return err, nil
	}
	if h.Format != Format {
		return nil, &FormatError{fmt.Sprintf("its format is %q", h.Format)}
	}
	if h.Version > Version {
		return nil, &VersionError{h.Version, h.Tool}
	}
	clear(s.ids)
	s.maxID = -1
	return nil, call(s.v.Head, h)
}

func (s *scanner) visitSession(body []byte) (bad, err error) {
	var l Session
	if err := l.UnmarshalJSON(body); err != nil {
		return err, nil
	}
	if _, ok := s.ids[l.ID]; ok {
		// Two writers at once. What follows could belong to either.
		s.ids[l.ID] = -1
		return fmt.Errorf("a second session %d; samples after it are ambiguous", l.ID), nil
	}
	s.fileID, s.maxID = l.ID, max(s.maxID, l.ID)
	s.ids[l.ID] = len(s.shapes)
	l.ID = len(s.shapes)
	s.shapes = append(s.shapes, shapeOf(&l))
	return nil, call(s.v.Session, l)
}

// place turns the session ID of the file into ours and checks the variant;
// -1 for lines that have none.
func (s *scanner) place(session *int, variant int) error {
	id, ok := s.ids[*session]
	s.maxID = max(s.maxID, *session)
	switch {
	case !ok:
		return fmt.Errorf("belongs to session %d, whose line is missing", *session)
	case id < 0:
		return fmt.Errorf("belongs to one of several sessions %d", *session)
	case variant < -1 || variant >= s.shapes[id].variants:
		return fmt.Errorf("names variant %d, its session has %d", variant, s.shapes[id].variants)
	}
	*session = id
	return nil
}

// damaged reports the present line, or holds it back while the file has not
// proved to be a recording. Two lines without a right checksum at the start
// are taken as another kind of file.
func (s *scanner) damaged(err error) error {
	d := s.at
	d.Lines, d.Msg = 1, err.Error()
	if s.proved {
		return call(s.v.Damage, d)
	}
	if s.pending = append(s.pending, d); len(s.pending) == 2 {
		return s.finish()
	}
	return nil
}

// prove is called when a line had the right checksum.
func (s *scanner) prove() error {
	s.proved = true
	for _, d := range s.pending {
		if err := call(s.v.Damage, d); err != nil {
			return err
		}
	}
	s.pending = nil
	return nil
}

func (s *scanner) finish() error {
	if s.proved {
		return nil
	}
	return &FormatError{"no line has a right checksum"}
}

// call calls a visitor's function if there is one.
func call[T any](f func(T) error, v T) error {
	if f == nil {
		return nil
	}
	return f(v)
}
