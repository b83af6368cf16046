package elfsize

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	xz "github.com/therootcompany/xz"
	"github.com/ulikunitz/xz/lzma"
)

// A source is something being read: the file itself, or what it was unpacked
// to. close releases it.
type source struct {
	r     io.ReaderAt
	size  int64
	close func()
}

// maxDict bounds what an xz, lzma or zstd header can make the decoder
// allocate. Kernels use up to 128 MiB.
const maxDict = 256 << 20

// A packing is one way in which files are compressed. Some have no unambiguous
// magic; lzma is tried last.
type packing struct {
	name  string
	magic string
	open  func(io.Reader) (io.Reader, error)
}

var packings = []packing{
	{"gzip", "\x1f\x8b\x08", func(r io.Reader) (io.Reader, error) {
		z, err := gzip.NewReader(r)
		if err == nil {
			// A bzImage has other things behind its payload.
			z.Multistream(false)
		}
		return z, err
	}},
	{"xz", "\xfd7zXZ\x00", func(r io.Reader) (io.Reader, error) {
		z, err := xz.NewReader(r, maxDict)
		if err == nil {
			z.Multistream(false)
		}
		return z, err
	}},
	{"zstd", "\x28\xb5\x2f\xfd", func(r io.Reader) (io.Reader, error) {
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxDict))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}},
	{"bzip2", "BZh", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
	{"lz4", "\x04\x22\x4d\x18", func(r io.Reader) (io.Reader, error) { return lz4.NewReader(r), nil }},
	{"lz4", "\x02\x21\x4c\x18", func(r io.Reader) (io.Reader, error) { return lz4.NewReader(r), nil }}, // legacy: the kernel's
	{"lzma", "\x5d\x00\x00", func(r io.Reader) (io.Reader, error) {
		return lzma.ReaderConfig{DictCap: maxDict}.NewReader(r)
	}},
	{"lzo", "\x89LZO\x00", func(io.Reader) (io.Reader, error) {
		return nil, errors.New("lzo is not supported; unpack it with lzop -d")
	}},
}

func packingOf(head []byte) *packing {
	for i := range packings {
		if bytes.HasPrefix(head, []byte(packings[i].magic)) {
			return &packings[i]
		}
	}
	return nil
}

// head reads the first bytes of a source, fewer when it is short.
func (s *source) head(n int) []byte {
	b := make([]byte, n)
	n, _ = s.r.ReadAt(b, 0)
	return b[:n]
}

// unwrap takes compression and boot images away until something else is left,
// and says what it took away, outermost first. The returned source replaces s,
// which it has closed if it is another one. On error s is closed.
func unwrap(s *source, path string, o ReadOptions) (*source, []string, error) {
	var names []string
	fail := func(err error) (*source, []string, error) {
		s.close()
		return nil, nil, err
	}
	for depth := 0; ; depth++ {
		head := s.head(0x260)
		var inner io.Reader
		var what []string
		var pk *packing
		if off, size, err := bootPayload(head, s.size); err != nil {
			return fail(&FormatError{path, err.Error()})
		} else if size > 0 {
			payload := make([]byte, min(size, 16))
			if _, err := s.r.ReadAt(payload, off); err != nil {
				return fail(&FormatError{path, "the kernel in this bzImage is cut short"})
			}
			if pk = packingOf(payload); pk == nil && !isELF(payload) {
				return fail(&FormatError{path, fmt.Sprintf("a bzImage with a payload that is not known (% x)", payload[:4])})
			}
			// All but gzip have the unpacked size appended, as four bytes.
			if pk != nil && pk.name != "gzip" && size > 4 {
				size -= 4
			}
			inner, what = io.NewSectionReader(s.r, off, size), []string{"bzImage"}
		} else if pk = packingOf(head); pk != nil {
			inner = io.NewSectionReader(s.r, 0, s.size)
		} else {
			return s, names, nil
		}
		if depth == 4 {
			return fail(&FormatError{path, "compressed more than four times over"})
		}
		if pk != nil {
			what = append(what, pk.name)
		}
		next, err := unpack(inner, pk, min(o.MaxUnpacked, plausible(s.size)))
		if err != nil {
			return fail(&FormatError{path, fmt.Sprintf("unpacking %s: %v", what[len(what)-1], err)})
		}
		s.close()
		s, names = next, append(names, what...)
	}
}

// plausible is the most that a file of this size is unpacked to, in bytes: what
// is packed more tightly than kernels and programs is no build, and would only
// fill the disk.
func plausible(packed int64) int64 { return 64<<20 + 64*packed }

// unpack decompresses r into a temporary file that has no name any more, so
// that memory does not grow with it and nothing is left behind. Decoders are
// other people's code on hostile data: a panic is an error.
func unpack(r io.Reader, p *packing, limit int64) (s *source, err error) {
	f, err := os.CreateTemp("", "microcost-size-")
	if err != nil {
		return nil, err
	}
	removed := os.Remove(f.Name()) == nil
	done := func() {
		f.Close()
		if !removed {
			os.Remove(f.Name()) // systems on which an open file keeps its name
		}
	}
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("damaged: %v", e)
		}
		if err != nil {
			done()
			s = nil
		}
	}()
	in := io.Reader(bufio.NewReaderSize(r, 1<<20))
	if p != nil {
		if in, err = p.open(in); err != nil {
			return nil, err
		}
		if c, ok := in.(io.Closer); ok {
			defer c.Close()
		}
	}
	n, err := io.Copy(f, io.LimitReader(in, limit+1))
	if err != nil {
		return nil, err
	}
	if n > limit {
		return nil, fmt.Errorf("more than %d bytes when unpacked", limit)
	}
	return &source{f, n, done}, nil
}

// bootPayload finds the compressed kernel in an x86 bzImage, by the setup
// header of Documentation/arch/x86/boot.rst (payload_offset since protocol
// 2.08, Linux 2.6.26), or in an EFI zboot image. size 0: head is neither. The
// images that hold no ELF file are an error that says so.
func bootPayload(head []byte, total int64) (off, size int64, err error) {
	le := binary.LittleEndian
	switch {
	case len(head) >= 0x250 && string(head[0x202:0x206]) == "HdrS":
		if v := le.Uint16(head[0x206:]); v < 0x208 {
			return 0, 0, fmt.Errorf("a bzImage of boot protocol %d.%02d, which does not say where its kernel is", v>>8, v&0xff)
		}
		setup := int64(head[0x1f1])
		if setup == 0 {
			setup = 4
		}
		off = (setup+1)*512 + int64(le.Uint32(head[0x248:]))
		size = int64(le.Uint32(head[0x24c:]))
	case len(head) >= 64 && string(head[:2]) == "MZ" && string(head[4:8]) == "zimg":
		return 0, 0, errors.New("an EFI zboot kernel: it holds a flat Image without sections or symbols; give the vmlinux of the build")
	default:
		return 0, 0, nil
	}
	if size <= 0 || off+size > total {
		return 0, 0, errors.New("the kernel in this bzImage is cut short")
	}
	return off, size, nil
}

func isELF(head []byte) bool { return bytes.HasPrefix(head, []byte("\x7fELF")) }
