package guest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// An Arch is a processor architecture, by Go's name for it.
type Arch string

// The architectures that are booted.
const (
	AMD64 Arch = "amd64"
	ARM64 Arch = "arm64"
)

// String is the name that kernel developers use.
func (a Arch) String() string {
	switch a {
	case AMD64:
		return "x86-64"
	case ARM64:
		return "arm64"
	}
	return string(a)
}

// A Kind is the form of a kernel image.
type Kind string

// The kinds of images that can be booted.
const (
	BzImage  Kind = "bzImage"           // x86, Documentation/arch/x86/boot.rst
	RawImage Kind = "arm64 Image"       // Documentation/arch/arm64/booting.rst
	GzImage  Kind = "gzip arm64 Image"  // Image.gz, Debian's vmlinuz
	ELFImage Kind = "vmlinux"           // the linker's output
	ZImage   Kind = "EFI zboot vmlinuz" // drivers/firmware/efi/libstub/zboot-header.S
)

// An Image is a kernel that can be booted.
type Image struct {
	Path    string
	Arch    Arch
	Kind    Kind
	Version string // what follows "Linux version", as far as the image says it; may be empty
	SHA256  string // of the file
	// Flat and Memory are the bytes of an arm64 Image, unpacked, and of what it
	// takes up in memory by its header, with bss; 0 for the other kinds.
	Flat, Memory uint64

	// boot is what QEMU is to load in place of the file; nil for the file itself.
	boot []byte
}

// An ImageError says why a file cannot be booted.
type ImageError struct {
	Path string
	Msg  string
	Hint string // the way out; may be empty
}

func (e *ImageError) Error() string { return fmt.Sprintf("%s: %s", e.Path, e.Msg) }

// maxImage is the largest file that is taken for a kernel: a vmlinux with debug
// information has some hundred megabytes.
const maxImage = 2 << 30

// ReadImage finds out what kind of kernel the file is, by its content. Its error
// is an *ImageError.
func ReadImage(path string) (*Image, error) {
	fail := func(hint, format string, args ...any) (*Image, error) {
		return nil, &ImageError{Path: path, Msg: fmt.Sprintf(format, args...), Hint: hint}
	}
	st, err := os.Stat(path)
	var data []byte
	switch {
	case err == nil && st.IsDir():
		return fail("a built kernel is in arch/x86/boot/bzImage or arch/arm64/boot/Image", "is a directory, not a kernel image")
	case err == nil && st.Size() > maxImage:
		return fail("", "is too large for a kernel image (%d bytes)", st.Size())
	case err == nil:
		data, err = os.ReadFile(path)
	}
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return fail("", "reading the kernel image: %v", err)
	}
	im := &Image{Path: path, SHA256: sum256(data)}
	if err := im.recognise(data); err != nil {
		var ie *ImageError
		if errors.As(err, &ie) {
			ie.Path = path
			return nil, ie
		}
		return fail("", "%v", err)
	}
	return im, nil
}

// recognise fills the image in from the bytes of the file.
func (im *Image) recognise(data []byte) error {
	switch {
	case at(data, 0x202, "HdrS"):
		return im.bzImage(data)
	case at(data, 0x38, "ARM\x64"):
		im.Kind = RawImage
		im.flat(data)
		return nil
	case at(data, 0, "MZ") && at(data, 4, "zimg"):
		return im.zboot(data)
	case at(data, 0, "\x1f\x8b"):
		inner, err := unpack(data, "gzip")
		if err != nil {
			return &ImageError{Msg: fmt.Sprintf("is gzip, and does not unpack: %v", err)}
		}
		if !at(inner, 0x38, "ARM\x64") {
			return &ImageError{Msg: "is gzip with something in it that is no arm64 Image"}
		}
		im.Kind, im.boot = GzImage, inner
		im.flat(inner)
		return nil
	case at(data, 0, elf.ELFMAG):
		return im.vmlinux(data)
	case at(data, 0x38, "RSC\x05"), at(data, 0x30, "RISCV"):
		return &ImageError{Msg: "is a RISC-V kernel; x86-64 and arm64 can be booted"}
	}
	return &ImageError{
		Msg:  "is not a kernel image",
		Hint: "known are bzImage, an arm64 Image, also gzipped or in an EFI zboot wrapper, and vmlinux",
	}
}

func at(data []byte, offset int, want string) bool {
	return len(data) >= offset+len(want) && string(data[offset:offset+len(want)]) == want
}

// flat reads the header of an arm64 Image (Documentation/arch/arm64/booting.rst);
// its magic, which the caller has seen, is behind the sizes.
func (im *Image) flat(data []byte) {
	im.Arch, im.Version = ARM64, linuxVersion(data)
	im.Flat, im.Memory = uint64(len(data)), binary.LittleEndian.Uint64(data[16:])
}

// bzImage reads the x86 setup header.
func (im *Image) bzImage(data []byte) error {
	const (
		protocol  = 0x206 // boot protocol version
		version   = 0x20e // offset of the version string, less 0x200
		loadFlags = 0x236 // xloadflags, from protocol 2.12
		kernel64  = 1     // XLF_KERNEL_64
	)
	if len(data) < 0x260 {
		return &ImageError{Msg: "is a bzImage that was cut short"}
	}
	le := binary.LittleEndian
	if le.Uint16(data[protocol:]) < 0x20c || le.Uint16(data[loadFlags:])&kernel64 == 0 {
		return &ImageError{Msg: "is a 32-bit x86 kernel; x86-64 and arm64 can be booted"}
	}
	im.Arch, im.Kind = AMD64, BzImage
	if at := int(le.Uint16(data[version:])) + 0x200; at > 0x200 && at < len(data) {
		s := data[at:min(len(data), at+512)]
		if i := bytes.IndexByte(s, 0); i > 0 {
			im.Version = string(s[:i])
		}
	}
	return nil
}

// zboot unwraps the payload of an EFI application that holds a compressed kernel.
func (im *Image) zboot(data []byte) error {
	if len(data) < 0x40 {
		return &ImageError{Msg: "is an EFI zboot image that was cut short"}
	}
	offset, size := binary.LittleEndian.Uint32(data[8:]), binary.LittleEndian.Uint32(data[12:])
	if uint64(offset)+uint64(size) > uint64(len(data)) {
		return &ImageError{Msg: "is an EFI zboot image whose payload goes beyond its end"}
	}
	name, _, _ := bytes.Cut(data[24:56], []byte{0})
	inner, err := unpack(data[offset:offset+size], string(name))
	if err != nil {
		return &ImageError{Msg: fmt.Sprintf("is an EFI zboot image whose payload does not unpack: %v", err)}
	}
	if !at(inner, 0x38, "ARM\x64") {
		return &ImageError{Msg: "is an EFI zboot image with a kernel that is not arm64"}
	}
	im.Kind, im.boot = ZImage, inner
	im.flat(inner)
	return nil
}

// vmlinux takes the linker's output. QEMU enters an x86 one by its PVH note; an
// arm64 one is laid out in memory here as objcopy -O binary does it, which makes
// it an Image.
func (im *Image) vmlinux(data []byte) error {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return &ImageError{Msg: fmt.Sprintf("is no valid ELF file: %v", err)}
	}
	im.Kind = ELFImage
	if f.Type != elf.ET_EXEC && f.Type != elf.ET_DYN {
		return &ImageError{Msg: "is an ELF file, but not a linked kernel"}
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return &ImageError{Msg: "is a program, not a kernel image"}
		}
	}
	switch f.Machine {
	case elf.EM_X86_64:
		im.Arch = AMD64
		if !hasPVH(f) {
			return &ImageError{Msg: "is an x86-64 vmlinux without a PVH entry (CONFIG_PVH), which QEMU needs", Hint: "give arch/x86/boot/bzImage of the same build"}
		}
	case elf.EM_AARCH64:
		im.Arch = ARM64
		if im.boot, err = flatten(f); err != nil {
			return &ImageError{Msg: err.Error()}
		}
		if !at(im.boot, 0x38, "ARM\x64") {
			return &ImageError{Msg: "is an arm64 ELF file, but not a kernel"}
		}
	default:
		return &ImageError{Msg: fmt.Sprintf("is a kernel for %v; x86-64 and arm64 can be booted", f.Machine)}
	}
	im.Version = linuxVersion(data)
	return nil
}

// hasPVH looks for the note XEN_ELFNOTE_PHYS32_ENTRY (arch/x86/platform/pvh).
func hasPVH(f *elf.File) bool {
	for _, p := range f.Progs {
		if p.Type != elf.PT_NOTE {
			continue
		}
		b, err := io.ReadAll(p.Open())
		if err != nil {
			return false
		}
		for len(b) >= 12 {
			name, desc, typ := f.ByteOrder.Uint32(b), f.ByteOrder.Uint32(b[4:]), f.ByteOrder.Uint32(b[8:])
			if typ == 18 && name == 4 && at(b, 12, "Xen\x00") {
				return true
			}
			next := 12 + (uint64(name)+3)&^3 + (uint64(desc)+3)&^3
			if next > uint64(len(b)) {
				break
			}
			b = b[next:]
		}
	}
	return false
}

// flatten puts the loadable segments where they are in memory.
func flatten(f *elf.File) ([]byte, error) {
	lo, hi := ^uint64(0), uint64(0)
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Filesz > 0 {
			lo, hi = min(lo, p.Vaddr), max(hi, p.Vaddr+p.Filesz)
		}
	}
	if hi <= lo || hi-lo > maxImage {
		return nil, errors.New("is an ELF file whose segments are no kernel's")
	}
	out := make([]byte, hi-lo)
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Filesz > 0 {
			if _, err := p.ReadAt(out[p.Vaddr-lo:p.Vaddr-lo+p.Filesz], 0); err != nil {
				return nil, fmt.Errorf("is an ELF file that was cut short: %w", err)
			}
		}
	}
	return out, nil
}

// versionText is linux_banner of init/version.c. Its first occurrence with a digit
// is the one; others are formats.
var versionText = regexp.MustCompile(`Linux version (\d[^\x00\n]{0,500})`)

func linuxVersion(data []byte) string {
	if m := versionText.FindSubmatch(data); m != nil {
		return string(m[1])
	}
	return ""
}

// Bootable returns a file that QEMU can load: the image's own, or one that is
// made in dir.
func (im *Image) Bootable(dir string) (string, error) {
	if im.boot == nil {
		return filepath.Abs(im.Path)
	}
	path := filepath.Join(dir, "kernel-"+im.SHA256[:16])
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return path, os.WriteFile(path, im.boot, 0o600)
}
