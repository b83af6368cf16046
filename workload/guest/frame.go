package guest

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"strconv"
)

// The console is shared: the kernel writes its messages between our records, or
// into the middle of one. So a record is a line of its own
//
//	STX "mc1 " sequence " " length " " checksum " " payload ETX newline
//
// with the length in bytes and the CRC-32C of the sequence number, as written, and
// the payload. The newline before it ends whatever the kernel had begun. A payload has no control characters, as
// JSON never has, so that neither a marker nor a newline can occur in it.
const (
	frameStart = "\x02mc1 "
	frameEnd   = '\x03'
)

// maxFrame is the longest record, in bytes. The longest that occurs is the
// guest's description with the kernel's configuration in it, below 200 kB.
const maxFrame = 4 << 20

// maxHeader is the length of the longest header behind frameStart: two numbers of
// 20 digits, a checksum of 8 and three blanks.
const maxHeader = 20 + 1 + 20 + 1 + 8 + 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendFrame adds the record with the given number to b. A payload with control
// characters would not come through, and is a programmer's error.
func appendFrame(b []byte, sequence uint64, payload []byte) []byte {
	if len(payload) > maxFrame {
		panic(fmt.Sprintf("guest: a record of %d bytes, the largest has %d", len(payload), maxFrame))
	}
	if i := bytes.IndexFunc(payload, func(r rune) bool { return r < ' ' }); i >= 0 {
		panic(fmt.Sprintf("guest: a record with the control character %#x", payload[i]))
	}
	b = append(b, '\n')
	b = append(b, frameStart...)
	number := strconv.AppendUint(nil, sequence, 10)
	b = fmt.Appendf(b, "%s %d %08x ", number, len(payload), checksum(number, payload))
	b = append(b, payload...)
	return append(b, frameEnd, '\n')
}

func checksum(number, payload []byte) uint32 {
	return crc32.Update(crc32.Checksum(number, castagnoli), castagnoli, payload)
}

// A Decoder takes the output of a console apart. It is an io.Writer: what is
// written to it is the console's bytes, in pieces of any size.
type Decoder struct {
	// Record is called with each whole record. The payload is only valid during
	// the call.
	Record func(sequence uint64, payload []byte)
	// Line is called with each line of other text, without its line end.
	Line func(line []byte)
	// Torn counts records that began and were not whole: something was written
	// into them, or they were cut short.
	Torn int

	buf  []byte // the line so far
	long bool   // the line was too long and is being dropped
}

// Write never fails.
func (d *Decoder) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			d.add(p)
			return n, nil
		}
		d.add(p[:i])
		d.line()
		p = p[i+1:]
	}
}

// Close takes what came behind the last newline for a line.
func (d *Decoder) Close() error {
	if len(d.buf) > 0 {
		d.line()
	}
	return nil
}

func (d *Decoder) add(p []byte) {
	const most = maxFrame + len(frameStart) + maxHeader + 16
	if len(d.buf)+len(p) > most {
		d.long = true
		p = p[:max(0, most-len(d.buf))]
	}
	d.buf = append(d.buf, p...)
}

// line deals with one line, which is in d.buf.
func (d *Decoder) line() {
	line := bytes.TrimRight(d.buf, "\r")
	text := line
	// A record may stand behind text that did not end in a newline, and behind
	// the beginning of a torn one.
	if first := bytes.Index(line, []byte(frameStart)); first >= 0 {
		text = line[:first]
		last := bytes.LastIndex(line, []byte(frameStart))
		d.Torn += bytes.Count(line, []byte(frameStart)) - 1
		sequence, payload, ok := parseFrame(line[last+len(frameStart):])
		if ok && !d.long {
			if d.Record != nil {
				d.Record(sequence, payload)
			}
		} else {
			d.Torn++
		}
	}
	if len(text) > 0 && d.Line != nil {
		d.Line(text)
	}
	d.buf, d.long = d.buf[:0], false
}

// parseFrame checks what stands behind frameStart.
func parseFrame(b []byte) (sequence uint64, payload []byte, ok bool) {
	var fields [3][]byte
	for i := range fields {
		head := b[:min(len(b), maxHeader)]
		n := bytes.IndexByte(head, ' ')
		if n < 0 {
			return 0, nil, false
		}
		fields[i], b = b[:n], b[n+1:]
	}
	sequence, err := strconv.ParseUint(string(fields[0]), 10, 64)
	if err != nil {
		return 0, nil, false
	}
	length, err := strconv.ParseUint(string(fields[1]), 10, 32)
	if err != nil || length+1 != uint64(len(b)) || b[length] != frameEnd {
		return 0, nil, false
	}
	sum, err := strconv.ParseUint(string(fields[2]), 16, 32)
	payload = b[:length]
	if err != nil || len(fields[2]) != 8 || uint32(sum) != checksum(fields[0], payload) {
		return 0, nil, false
	}
	return sequence, payload, true
}
