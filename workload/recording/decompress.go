package recording

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds the memory that a zstd file can ask for; 8 MB is what
// zstd -19 uses.
const maxWindow = 64 << 20

// errDamaged is wrapped by errors of Decompress's readers that are about the
// contents of the file, not about reading it.
var errDamaged = errors.New("compressed data is damaged or cut short")

// Decompress returns a reader of what r holds when it is compressed with gzip
// or zstd, and of r itself otherwise. It goes by the content, not by a name.
// The caller closes the result, which does not close r.
func Decompress(r io.Reader) (io.ReadCloser, error) {
	in := &source{r: r}
	buf := bufio.NewReaderSize(in, 64<<10)
	c, err := compression(peeker{buf})
	if err != nil {
		return nil, err
	}
	switch c {
	case "gzip":
		z, err := gzip.NewReader(buf)
		if err != nil {
			return nil, &FormatError{"gzip: " + err.Error()}
		}
		return &inflated{z, in, func() { z.Close() }}, nil
	case "zstd":
		// One goroutine and no read-ahead: a file of any size is read in the
		// memory of its window.
		z, err := zstd.NewReader(buf, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, &FormatError{"zstd: " + err.Error()}
		}
		return &inflated{z, in, z.Close}, nil
	}
	return io.NopCloser(buf), nil
}

// compression tells by the first bytes how r is compressed: "gzip", "zstd" or
// "" for not.
func compression(r io.Reader) (string, error) {
	var magic [4]byte
	n, err := io.ReadFull(r, magic[:])
	switch {
	case err != nil && err != io.EOF && err != io.ErrUnexpectedEOF:
		return "", err
	case bytes.HasPrefix(magic[:n], []byte{0x1f, 0x8b}):
		return "gzip", nil
	case bytes.Equal(magic[:n], []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return "zstd", nil
	}
	return "", nil
}

// A peeker reads without taking.
type peeker struct{ r *bufio.Reader }

func (p peeker) Read(b []byte) (int, error) {
	got, err := p.r.Peek(len(b))
	return copy(b, got), err
}

// A source remembers whether reading the file itself failed.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// An inflated is a decompressing reader that tells damage of the contents
// from failure to read them.
type inflated struct {
	io.Reader
	in    *source
	close func()
}

func (d *inflated) Read(b []byte) (int, error) {
	n, err := d.Reader.Read(b)
	switch {
	case err == nil || err == io.EOF:
	case d.in.err != nil:
		err = d.in.err
	default:
		err = fmt.Errorf("%w: %v", errDamaged, err)
	}
	return n, err
}

func (d *inflated) Close() error {
	d.close()
	return nil
}
