package guest

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"microcost/internal/tinyelf"

	"github.com/klauspost/compress/zstd"
)

// rawImage is the beginning of an arm64 Image, with a banner in it.
func rawImage() []byte {
	b := make([]byte, 8192)
	binary.LittleEndian.PutUint64(b[16:], 12288) // with bss
	copy(b[0x38:], "ARM\x64")
	copy(b[4096:], "Linux version 6.9.0-test (a@b) (gcc 1) #1 SMP\n\x00")
	return b
}

// bigImage is a bzImage's setup, with the load flags given.
func bigImage(flags uint16) []byte {
	b := make([]byte, 4096)
	copy(b[0x1fe:], "\x55\xaa")
	copy(b[0x202:], "HdrS")
	binary.LittleEndian.PutUint16(b[0x206:], 0x20f)
	binary.LittleEndian.PutUint16(b[0x20e:], 0x400)
	binary.LittleEndian.PutUint16(b[0x236:], flags)
	copy(b[0x600:], "6.9.0-test (a@b) #1 SMP\x00")
	return b
}

func zboot(name string, payload []byte) []byte {
	b := make([]byte, 64)
	copy(b, "MZ\x00\x00zimg")
	binary.LittleEndian.PutUint32(b[8:], 64)
	binary.LittleEndian.PutUint32(b[12:], uint32(len(payload)))
	copy(b[24:], name)
	return append(b, payload...)
}

func gzipped(b []byte) []byte {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	z.Write(b)
	z.Close()
	return buf.Bytes()
}

func zstded(b []byte) []byte {
	z, _ := zstd.NewWriter(nil)
	return z.EncodeAll(b, nil)
}

func write(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadImage(t *testing.T) {
	check := func(name string, data []byte, arch Arch, kind Kind) {
		t.Helper()
		im, err := ReadImage(write(t, data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if im.Arch != arch || im.Kind != kind || !strings.HasPrefix(im.Version, "6.9.0-test") {
			t.Errorf("%s: %s %s %q, want %s %s", name, im.Arch, im.Kind, im.Version, arch, kind)
		}
		if arch != ARM64 {
			if im.Flat != 0 || im.Memory != 0 {
				t.Errorf("%s: sizes of an arm64 Image, %d and %d", name, im.Flat, im.Memory)
			}
			return
		}
		if im.Flat != 8192 || im.Memory != 12288 {
			t.Errorf("%s: %d bytes, %d in memory, want 8192 and 12288", name, im.Flat, im.Memory)
		}
		path, err := im.Bootable(t.TempDir())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, _ := os.ReadFile(path)
		if !bytes.Equal(got, rawImage()) {
			t.Errorf("%s: what is booted has %d bytes and is not the Image", name, len(got))
		}
	}
	check("bzImage", bigImage(1), AMD64, BzImage)
	check("Image", rawImage(), ARM64, RawImage)
	check("Image.gz", gzipped(rawImage()), ARM64, GzImage)
	check("Image.gz with something behind it", append(gzipped(rawImage()), "tail"...), ARM64, GzImage)
	check("zboot gzip", zboot("gzip", gzipped(rawImage())), ARM64, ZImage)
	check("zboot zstd", zboot("zstd22", zstded(rawImage())), ARM64, ZImage)
}

func TestReadImageRefuses(t *testing.T) {
	check := func(name, path, msg string) {
		t.Helper()
		im, err := ReadImage(path)
		var ie *ImageError
		if im != nil || !errors.As(err, &ie) || ie.Path != path || !strings.Contains(ie.Msg, msg) {
			t.Errorf("%s: %v, %v, want an ImageError with %q", name, im, err, msg)
		}
	}
	check("missing", filepath.Join(t.TempDir(), "none"), "no such file")
	check("directory", t.TempDir(), "is a directory")
	check("empty", write(t, nil), "not a kernel image")
	check("text", write(t, []byte("#!/bin/sh\n")), "not a kernel image")
	check("32-bit", write(t, bigImage(0)), "32-bit")
	check("cut", write(t, bigImage(1)[:0x210]), "cut short")
	check("gzip of a text", write(t, gzipped([]byte("text"))), "no arm64 Image")
	check("cut gzip", write(t, gzipped(rawImage())[:40]), "does not unpack")
	check("zboot beyond its end", write(t, zboot("gzip", gzipped(rawImage()))[:100]), "beyond its end")
	check("zboot of an unknown kind", write(t, zboot("brotli", []byte("x"))), `"brotli"`)
	check("zboot cut", write(t, zboot("gzip", nil)[:20]), "cut short")
	check("a program", write(t, tinyelf.Program(elfMachine[AMD64], []byte{0xc3}, "/lib/ld.so")), "is a program")
	check("an ELF without PVH", write(t, tinyelf.Program(elfMachine[AMD64], []byte{0xc3}, "")), "PVH")
	check("an arm64 program", write(t, tinyelf.Program(elfMachine[ARM64], []byte{0xc3}, "")), "not a kernel")
	riscv := make([]byte, 64)
	copy(riscv[0x38:], "RSC\x05")
	check("RISC-V", write(t, riscv), "RISC-V")
}

func TestRealImages(t *testing.T) {
	for name, want := range map[string]struct {
		arch Arch
		kind Kind
	}{"amd64-1": {AMD64, BzImage}, "amd64-2": {AMD64, BzImage}, "arm64-1": {ARM64, RawImage}} {
		im := needKernel(t, name)
		if im.Arch != want.arch || im.Kind != want.kind || !strings.HasPrefix(im.Version, "6.1.0-") {
			t.Errorf("%s is %s, %s, %q", name, im.Arch, im.Kind, im.Version)
		}
	}
}

// No file makes the recognition panic, and it gives an image or an error.
func FuzzImage(f *testing.F) {
	for _, b := range [][]byte{bigImage(1), rawImage(), gzipped(rawImage()), zboot("zstd22", zstded(rawImage())), tinyelf.Program(elfMachine[AMD64], []byte{1}, ""), tinyelf.Program(elfMachine[ARM64], []byte{1}, "x")} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		im := &Image{}
		if err := im.recognise(data); err == nil && (im.Arch == "" || im.Kind == "") {
			t.Fatalf("neither an error nor an image: %+v", im)
		}
	})
}
