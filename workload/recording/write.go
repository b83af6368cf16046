package recording

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// WriteTo writes the recording as Read reads it: each session followed by its
// summaries, samples and end. Damage is not written.
func (r *Recording) WriteTo(w io.Writer) (int64, error) {
	e := &emitter{w: bufio.NewWriterSize(w, 64<<10)}
	h := r.Head
	h.Format, h.Version = Format, Version
	if h.Tool == "" && len(r.Sessions) > 0 {
		h.Tool = r.Sessions[0].Tool
	}
	e.line(kindHead, h)

	samples := make([][]int, len(r.Sessions)) // indexes into r.Samples
	for i, s := range r.Samples {
		if s.Session < 0 || s.Session >= len(r.Sessions) {
			return e.n, fmt.Errorf("sample %d names session %d, the recording has %d", i, s.Session, len(r.Sessions))
		}
		samples[s.Session] = append(samples[s.Session], i)
	}
	for id, s := range r.Sessions {
		if s.ID != id {
			return e.n, fmt.Errorf("session %d has ID %d", id, s.ID)
		}
		e.line(kindSession, s)
		for _, m := range r.Summaries {
			if m.Session == id {
				e.line(kindSummary, m)
			}
		}
		for _, i := range samples[id] {
			e.line(kindSample, r.Samples[i])
		}
		for _, m := range r.Ends {
			if m.Session == id {
				e.line(kindEnd, m)
			}
		}
	}
	for _, u := range r.Unknown {
		e.body(u.Kind, []byte(u.Body))
	}
	if e.err == nil {
		e.err = e.w.Flush()
	}
	return e.n, e.err
}

// An emitter writes lines until the first error.
type emitter struct {
	w   *bufio.Writer
	n   int64
	buf []byte
	err error
}

func (e *emitter) line(kind string, v any) {
	if e.err != nil {
		return
	}
	body, err := json.Marshal(v)
	if err != nil {
		e.err = fmt.Errorf("%s: %w", kind, err)
		return
	}
	e.body(kind, body)
}

func (e *emitter) body(kind string, body []byte) {
	if e.err != nil {
		return
	}
	e.buf = appendLine(e.buf[:0], kind, body)
	n, err := e.w.Write(e.buf)
	e.n, e.err = e.n+int64(n), err
}
