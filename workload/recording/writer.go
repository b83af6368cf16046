package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
)

// A Writer adds lines to a recording. Each is one write(2) and nothing is
// buffered, by choice: a run that has ended is in the kernel's hands before
// the next one starts, so killing the process loses nothing; Sync saves it
// from a power failure too.
//
// A line that could not be written whole is closed with a newline before the
// next one, so that it damages itself only. Its methods may be called from
// several goroutines.
type Writer struct {
	mu       sync.Mutex
	f        *os.File
	path     string // as the user gave it
	publish  func() error
	discard  func()
	head     bool // the file has its head line
	torn     bool // the last write ended within a line
	sessions []shape
	first    error // the first write that failed
	lost     int   // lines that were not written
	buf      []byte
}

// A shape is what the lines of a session must agree with.
type shape struct{ variants, events int }

func shapeOf(s *Session) shape { return shape{len(s.Variants), len(s.Events)} }

// check returns an error for a line that no reader would accept.
func (w *Writer) check(kind string, session, variant int) error {
	switch {
	case session < 0 || session >= len(w.sessions):
		return fmt.Errorf("%s names session %d, the file has %d", kind, session, len(w.sessions))
	case variant < 0 || variant >= w.sessions[session].variants:
		return fmt.Errorf("%s names variant %d, session %d has %d", kind, variant, session, w.sessions[session].variants)
	}
	return nil
}

// NextSession returns the ID that the next session must have.
func (w *Writer) NextSession() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.sessions)
}

// Session starts a session; its ID must be NextSession. With the first session
// of a file that Create opened, the file takes its name: see there.
func (w *Writer) Session(s Session) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.ID != len(w.sessions) {
		return fmt.Errorf("session has ID %d, the next is %d", s.ID, len(w.sessions))
	}
	body, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("session %d: %w", s.ID, err)
	}
	w.buf = w.buf[:0]
	if !w.head {
		head, err := json.Marshal(Head{Format: Format, Version: Version, Tool: s.Tool})
		if err != nil {
			return fmt.Errorf("head: %w", err)
		}
		w.buf = appendLine(w.buf, kindHead, head)
	}
	w.buf = appendLine(w.buf, kindSession, body)
	if err := w.write(); err != nil {
		return err
	}
	if w.publish != nil {
		if err := w.publish(); err != nil {
			w.restart()
			return w.fail(err)
		}
		w.publish, w.discard = nil, nil
	}
	w.head = true
	w.sessions = append(w.sessions, shapeOf(&s))
	return nil
}

// Sample adds the sample of a run that has ended.
func (w *Writer) Sample(s Sample) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.check(kindSample, s.Session, s.Variant); err != nil {
		return err
	}
	if want := w.sessions[s.Session].events; len(s.Counts) != want {
		return fmt.Errorf("sample has %d counts, session %d has %d events", len(s.Counts), s.Session, want)
	}
	w.buf = append(w.buf[:0], kindStart+kindSample+`"`...)
	mark := len(w.buf)
	w.buf = s.appendTo(w.buf)
	w.buf[mark] = ',' // was the opening brace of the sample alone
	w.buf = seal(w.buf[:len(w.buf)-1], 0)
	return w.write()
}

// Summary adds what is known of runs without samples.
func (w *Writer) Summary(s Summary) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.check(kindSummary, s.Session, s.Variant); err != nil {
		return err
	}
	if want := w.sessions[s.Session].events; s.Event < 0 || s.Event >= want {
		return fmt.Errorf("summary names event %d, session %d has %d", s.Event, s.Session, want)
	}
	return w.line(kindSummary, s)
}

// End closes a session.
func (w *Writer) End(e End) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.check(kindEnd, e.Session, 0); err != nil {
		return err
	}
	return w.line(kindEnd, e)
}

// Unknown writes a line as a later version wrote it.
func (w *Writer) Unknown(u Unknown) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.head {
		return errors.New("line of an unknown kind before the first session")
	}
	w.buf = appendLine(w.buf[:0], u.Kind, []byte(u.Body))
	return w.write()
}

func (w *Writer) line(kind string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	w.buf = appendLine(w.buf[:0], kind, body)
	return w.write()
}

// write writes w.buf, which holds whole lines, in one call.
func (w *Writer) write() error {
	if len(w.buf) > MaxLine {
		return fmt.Errorf("writing %s: line is %w", w.path, errTooLong)
	}
	b := w.buf
	if w.torn {
		b = append([]byte{'\n'}, b...)
	}
	n, err := w.f.Write(b)
	if err == nil {
		w.torn = false
		return nil
	}
	if n > 0 {
		w.torn = b[n-1] != '\n'
	}
	w.lost++
	w.restart()
	return w.fail(err)
}

// restart empties a file that has not taken its name yet: nobody reads it, and
// its head has to be its first line.
func (w *Writer) restart() {
	if w.publish == nil {
		return
	}
	if err := w.f.Truncate(0); err == nil {
		w.f.Seek(0, 0)
		w.torn = false
	}
}

// fail wraps an error and keeps the first.
func (w *Writer) fail(err error) error {
	err = fmt.Errorf("writing %s: %w", w.path, errno(err))
	if w.first == nil {
		w.first = err
	}
	return err
}

// Sync waits until everything written is on the disk. The caller does so at
// the end of a block, when no run is in progress that it would disturb.
func (w *Writer) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sync()
}

// Err returns the first error that writing met, saying how many lines were
// lost since, or nil.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err()
}

func (w *Writer) err() error {
	if w.first != nil && w.lost > 0 {
		return fmt.Errorf("%w (lines lost: %d)", w.first, w.lost)
	}
	return w.first
}

// Close syncs and closes the file and returns what Err does. A file without a
// session is removed again if Create made it.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.discard != nil {
		w.discard()
		w.f.Close()
		return w.err()
	}
	w.sync()
	if err := w.f.Close(); err != nil {
		w.fail(err)
	}
	return w.err()
}
