package recording

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
)

// MaxLine is the longest line, in bytes, that is written or read. The longest
// that occurs is a session with a kernel configuration, below 100 kB.
const MaxLine = 4 << 20

// The kinds of lines.
const (
	kindHead    = "head"
	kindSession = "session"
	kindSample  = "sample"
	kindSummary = "summary"
	kindEnd     = "end"
)

// A line is `{"kind":"sample",...,"crc32c":"89abcdef"}`: the kind is the first
// member and the checksum the last, so that both can be found without parsing
// anything else.
const (
	kindStart = `{"kind":"`
	sumStart  = `,"crc32c":"`
	sumEnd    = `"}`
	sumLen    = len(sumStart) + 8 + len(sumEnd)
)

// castagnoli is the polynomial of iSCSI and ext4, which processors compute.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var (
	errNoSum   = errors.New("no checksum at its end")
	errSum     = errors.New("checksum does not match")
	errNoKind  = errors.New("no kind at its start")
	errTooLong = fmt.Errorf("longer than %d bytes", MaxLine)
)

// appendLine adds the line of the given kind whose members are those of the
// JSON object body, with its checksum and its newline.
func appendLine(b []byte, kind string, body []byte) []byte {
	start := len(b)
	b = append(b, kindStart...)
	b = append(b, kind...)
	b = append(b, '"')
	if len(body) > len("{}") {
		b = append(b, ',')
		b = append(b, body[1:len(body)-1]...)
	}
	return seal(b, start)
}

// seal adds checksum, closing brace and newline to the line at b[start:].
func seal(b []byte, start int) []byte {
	sum := crc32.Checksum(b[start:], castagnoli)
	b = append(b, sumStart...)
	b = hex.AppendEncode(b, []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
	return append(b, sumEnd+"\n"...)
}

// openLine checks a line without its newline and returns its kind and its
// members as an object. It changes two bytes of the line to do so in place.
func openLine(line []byte) (kind string, body []byte, err error) {
	cut := len(line) - sumLen
	if cut < 0 || !bytes.HasPrefix(line[cut:], []byte(sumStart)) || !bytes.HasSuffix(line, []byte(sumEnd)) {
		return "", nil, errNoSum
	}
	var sum [4]byte
	if _, err := hex.Decode(sum[:], line[cut+len(sumStart):len(line)-len(sumEnd)]); err != nil {
		return "", nil, errNoSum
	}
	want := uint32(sum[0])<<24 | uint32(sum[1])<<16 | uint32(sum[2])<<8 | uint32(sum[3])
	if crc32.Checksum(line[:cut], castagnoli) != want {
		return "", nil, errSum
	}
	if !bytes.HasPrefix(line[:cut], []byte(kindStart)) {
		return "", nil, errNoKind
	}
	n := bytes.IndexByte(line[len(kindStart):cut], '"')
	if n < 0 {
		return "", nil, errNoKind
	}
	after := len(kindStart) + n + 1
	kind = string(line[len(kindStart) : after-1])
	if after == cut {
		return kind, []byte("{}"), nil
	}
	if line[after] != ',' {
		return "", nil, errNoKind
	}
	line[after], line[cut] = '{', '}'
	return kind, line[after : cut+1], nil
}
