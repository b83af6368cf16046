package machine

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"

	"microcost/workload/recording"
)

// maxNote bounds the notes that are looked at for a build id.
const maxNote = 1 << 20

// Identify returns the size, hash and build id of an executable file. The
// build id is the GNU one, or else that of the Go linker, or "" for a script
// or a program without. Reading takes about 1 ms for each megabyte.
func Identify(file io.ReaderAt, size int64) (*recording.Binary, error) {
	h := sha256.New()
	if n, err := io.Copy(h, io.NewSectionReader(file, 0, size)); err != nil || n != size {
		return nil, fmt.Errorf("hashing: read %d of %d bytes: %w", n, size, orUnexpected(err))
	}
	return &recording.Binary{
		SHA256:  hex.EncodeToString(h.Sum(nil)),
		BuildID: buildID(io.NewSectionReader(file, 0, size)),
		Size:    size,
	}, nil
}

func orUnexpected(err error) error {
	if err == nil {
		return io.ErrUnexpectedEOF
	}
	return err
}

// buildID goes by segments, which a stripped file still has.
func buildID(file io.ReaderAt) string {
	f, err := elf.NewFile(file)
	if err != nil {
		return ""
	}
	found := ""
	for _, p := range f.Progs {
		if p.Type != elf.PT_NOTE {
			continue
		}
		notes, err := io.ReadAll(io.LimitReader(p.Open(), maxNote))
		if err != nil {
			continue
		}
		eachNote(notes, f.ByteOrder, int(p.Align), func(name string, kind uint32, desc []byte) {
			switch {
			case name == "GNU" && kind == 3: // NT_GNU_BUILD_ID
				found = hex.EncodeToString(desc)
			case name == "Go" && kind == 4 && found == "": // the Go linker's
				found = string(bytes.ToValidUTF8(desc, []byte("?")))
			}
		})
	}
	return found
}

// eachNote calls f for each note of a segment: sizes of name and contents, a
// kind, then both, each padded.
func eachNote(b []byte, order binary.ByteOrder, align int, f func(name string, kind uint32, desc []byte)) {
	if align != 8 {
		align = 4
	}
	pad := func(n int) int { return (n + align - 1) &^ (align - 1) }
	for len(b) >= 12 {
		nameLen, descLen, kind := int(order.Uint32(b)), int(order.Uint32(b[4:])), order.Uint32(b[8:])
		if nameLen > maxNote || descLen > maxNote {
			return
		}
		start := pad(12 + nameLen)
		end := start + descLen
		if end > len(b) {
			return
		}
		f(string(bytes.TrimRight(b[12:12+nameLen], "\x00")), kind, b[start:end])
		b = b[min(pad(end), len(b)):]
	}
}
