package recording

import (
	"fmt"
	"io"
	"os"
)

// maxDamages bounds the list of damages of one file.
const maxDamages = 100

// Read reads a whole recording into memory, plain or compressed; Scan is for
// files larger than that. Its errors are those of Scan: there is a Recording or
// an error, never both.
func Read(r io.Reader) (*Recording, error) {
	rec := &Recording{}
	heads := 0
	err := Scan(r, Visitor{
		Head: func(h Head) error {
			if heads++; heads == 1 {
				rec.Head = h
			}
			return nil
		},
		Session: func(s Session) error { rec.Sessions = append(rec.Sessions, s); return nil },
		Sample:  func(s Sample) error { rec.Samples = append(rec.Samples, s); return nil },
		Summary: func(s Summary) error { rec.Summaries = append(rec.Summaries, s); return nil },
		End:     func(e End) error { rec.Ends = append(rec.Ends, e); return nil },
		Unknown: func(u Unknown) error { rec.Unknown = append(rec.Unknown, u); return nil },
		Damage:  func(d Damage) error { rec.Damage = appendDamage(rec.Damage, d); return nil },
	})
	if err != nil {
		return nil, err
	}
	return rec, nil
}

// ReadFile reads the recording at path; see Read.
func ReadFile(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, errno(err))
	}
	defer f.Close()
	rec, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, errno(err))
	}
	return rec, nil
}

// appendDamage joins damages of lines that follow each other and say the same,
// and all those after the hundredth.
func appendDamage(list []Damage, d Damage) []Damage {
	if n := len(list); n > 0 {
		last := &list[n-1]
		if last.Msg == d.Msg && last.Line+last.Lines == d.Line {
			last.Lines += d.Lines
			return list
		}
		if n == maxDamages {
			last.Lines += d.Lines
			last.Msg = "and more damage"
			return list
		}
	}
	return append(list, d)
}

// String says where the damage is and what could be read before it.
func (d Damage) String() string {
	where := fmt.Sprintf("line %d (byte %d)", d.Line, d.Offset)
	if d.Lines > 1 {
		where = fmt.Sprintf("%d lines from %d (byte %d)", d.Lines, d.Line, d.Offset)
	}
	return fmt.Sprintf("%s: %s; complete samples before: %d", where, d.Msg, d.Samples)
}

// EndOf returns how a session ended. A session without an end was killed, or
// its file was cut short at the end of a line, or it is still running.
func (r *Recording) EndOf(session int) (End, bool) {
	for _, e := range r.Ends {
		if e.Session == session {
			return e, true
		}
	}
	return End{}, false
}
