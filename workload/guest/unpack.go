package guest

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/therootcompany/xz"
	"github.com/ulikunitz/xz/lzma"
)

// maxWindow bounds what a header can make a decoder allocate; kernels use up to
// 128 MiB.
const maxWindow = 256 << 20

// unpack undoes one of the compressions that kernels are packed with, by the name
// that the zboot header has for it (arch/arm64/boot/Makefile).
func unpack(data []byte, name string) ([]byte, error) {
	var r io.Reader
	in := bytes.NewReader(data)
	switch name {
	case "gzip":
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		// What was appended to the image is not part of it.
		z.Multistream(false)
		r = z
	case "zstd", "zstd22":
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		r = z
	case "xzkern", "xz":
		z, err := xz.NewReader(in, maxWindow)
		if err != nil {
			return nil, err
		}
		z.Multistream(false)
		r = z
	case "lzma":
		z, err := lzma.ReaderConfig{DictCap: lzma.MinDictCap}.NewReader(in)
		if err != nil {
			return nil, err
		}
		r = z
	case "lz4":
		r = lz4.NewReader(in)
	default:
		return nil, fmt.Errorf("it is compressed with %q, which is not known", name)
	}
	out, err := io.ReadAll(io.LimitReader(r, maxImage))
	// Kbuild appends the length to some formats, which their decoders take for
	// the beginning of another stream.
	if err != nil && len(out) > 1<<20 {
		err = nil
	}
	return out, err
}

func sum256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
