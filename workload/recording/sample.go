package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// MarshalJSON writes the count as [raw, enabled_ns, running_ns]: samples are
// most of a file, and the names would be most of a sample.
func (c Count) MarshalJSON() ([]byte, error) { return c.appendTo(nil), nil }

func (c Count) appendTo(b []byte) []byte {
	b = append(b, '[')
	b = strconv.AppendUint(b, c.Raw, 10)
	b = append(b, ',')
	b = strconv.AppendInt(b, int64(c.Enabled), 10)
	b = append(b, ',')
	b = strconv.AppendInt(b, int64(c.Running), 10)
	return append(b, ']')
}

// UnmarshalJSON reads [raw, enabled_ns, running_ns].
func (c *Count) UnmarshalJSON(data []byte) error {
	n := 0
	err := eachElement(data, func(v []byte) (err error) {
		switch n {
		case 0:
			c.Raw, err = strconv.ParseUint(string(v), 10, 64)
		case 1:
			err = parseDuration(v, &c.Enabled)
		case 2:
			err = parseDuration(v, &c.Running)
		}
		n++
		return err
	})
	if err == nil && n != 3 {
		err = fmt.Errorf("%d numbers", n)
	}
	if err != nil {
		return fmt.Errorf("count is not [raw, enabled_ns, running_ns]: %w", err)
	}
	return nil
}

// MarshalJSON writes the sample. It is written by hand, like UnmarshalJSON,
// because a file may have millions of them.
func (s Sample) MarshalJSON() ([]byte, error) { return s.appendTo(nil), nil }

func (s *Sample) appendTo(b []byte) []byte {
	b = appendInt(append(b, '{'), `"session":`, s.Session)
	b = appendInt(b, `,"variant":`, s.Variant)
	b = appendInt(b, `,"run":`, s.Run)
	b = appendInt(b, `,"block":`, s.Block)
	b = appendInt(b, `,"position":`, s.Position)
	if s.WarmUp {
		b = append(b, `,"warm_up":true`...)
	}
	b = appendInt(b, `,"start_ns":`, s.Start)
	b = appendInt(b, `,"env_pad":`, s.Pad)
	if s.Exit != 0 {
		b = appendInt(b, `,"exit":`, s.Exit)
	}
	if s.Signal != "" {
		quoted, _ := json.Marshal(s.Signal) // a string always can be
		b = append(append(b, `,"signal":`...), quoted...)
	}
	if s.Failed {
		b = append(b, `,"failed":true`...)
	}
	b = append(b, `,"counts":[`...)
	for i, c := range s.Counts {
		if i > 0 {
			b = append(b, ',')
		}
		if c == nil {
			b = append(b, "null"...)
		} else {
			b = c.appendTo(b)
		}
	}
	return s.Extra.appendTo(append(b, "]}"...))
}

// UnmarshalJSON reads a sample and keeps the members that it does not know.
func (s *Sample) UnmarshalJSON(data []byte) error {
	*s = Sample{}
	var extra []byte
	err := eachMember(data, func(key, v []byte) (err error) {
		switch string(key) {
		case "session":
			err = parseInt(v, &s.Session)
		case "variant":
			err = parseInt(v, &s.Variant)
		case "run":
			err = parseInt(v, &s.Run)
		case "block":
			err = parseInt(v, &s.Block)
		case "position":
			err = parseInt(v, &s.Position)
		case "warm_up":
			err = json.Unmarshal(v, &s.WarmUp)
		case "start_ns":
			err = parseDuration(v, &s.Start)
		case "env_pad":
			err = parseInt(v, &s.Pad)
		case "exit":
			err = parseInt(v, &s.Exit)
		case "signal":
			err = json.Unmarshal(v, &s.Signal)
		case "failed":
			err = json.Unmarshal(v, &s.Failed)
		case "counts":
			s.Counts, err = parseCounts(v)
		default:
			extra = appendExtra(extra, key, v)
		}
		if err != nil {
			return fmt.Errorf("%s of a sample: %w", key, err)
		}
		return nil
	})
	if extra != nil {
		s.Extra = Extra(append(extra, '}'))
	}
	return err
}

// parseCounts makes one allocation for all counts of a sample. How many there
// are follows from the brackets and nulls, as there is nothing else in the list.
func parseCounts(data []byte) ([]*Count, error) {
	n := max(0, bytes.Count(data, []byte("["))-1) + bytes.Count(data, []byte("null"))
	all, counts := make([]Count, n), make([]*Count, n)
	i := 0
	err := eachElement(data, func(v []byte) error {
		if i == n {
			return errors.New("not a list of counts")
		}
		i++
		if string(v) == "null" {
			return nil
		}
		counts[i-1] = &all[i-1]
		return all[i-1].UnmarshalJSON(v)
	})
	if err == nil && i != n {
		err = errors.New("not a list of counts")
	}
	return counts, err
}

func appendInt[T ~int | ~int64](b []byte, name string, v T) []byte {
	return strconv.AppendInt(append(b, name...), int64(v), 10)
}

func parseInt(v []byte, to *int) (err error) {
	*to, err = strconv.Atoi(string(v))
	return err
}

func parseDuration(v []byte, to *time.Duration) error {
	n, err := strconv.ParseInt(string(v), 10, 64)
	*to = time.Duration(n)
	return err
}
