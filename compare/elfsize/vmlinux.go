package elfsize

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"path/filepath"
	"strings"
)

// flatHead is how much of a file it takes to tell an arm64 Image.
const flatHead = 64

// isFlat says that the file is an arm64 Image (Documentation/arch/arm64/booting.rst):
// what objcopy -O binary left of a vmlinux, without sections and symbols.
func isFlat(head []byte) bool { return len(head) >= flatHead && string(head[56:60]) == "ARM\x64" }

// vmlinuxPaths are the places where the vmlinux of a boot image lies: beside it
// under its name; in the tree that it was built in, of which it is
// arch/*/boot/IMAGE; and below the roots of debug files where distributions put
// that of vmlinuz-VERSION or VERSION/vmlinuz.
func vmlinuxPaths(image string, roots []string) []string {
	out := []string{image + ".vmlinux"}
	abs, err := filepath.Abs(image)
	if err != nil {
		return out
	}
	// arch/x86_64/boot/bzImage is a link to the one in arch/x86.
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	boot := filepath.Dir(abs)
	if arch := filepath.Dir(filepath.Dir(boot)); filepath.Base(boot) == "boot" && filepath.Base(arch) == "arch" {
		out = append(out, filepath.Join(filepath.Dir(arch), "vmlinux"))
	}
	version, ok := strings.CutPrefix(filepath.Base(abs), "vmlinuz-")
	if !ok && filepath.Base(filepath.Dir(boot)) == "modules" { // lib/modules/VERSION/vmlinuz
		version, ok = filepath.Base(boot), true
	}
	if ok && version != "" {
		for _, r := range roots {
			out = append(out, filepath.Join(r, "boot", "vmlinux-"+version), filepath.Join(r, "lib", "modules", version, "vmlinux"))
		}
	}
	return out
}

// vmlinuxOf finds the vmlinux that a flat image was made from: the one whose
// build id is in the image. The source is nil when there is none.
func vmlinuxOf(flat *source, image string, roots []string) (*source, string) {
	for _, p := range vmlinuxPaths(image, roots) {
		s, err := openSource(p)
		if err != nil {
			continue
		}
		if f, err := openELF(s.r, s.size, p); err == nil && holdsBuildID(flat, f.buildID()) {
			return s, p
		}
		s.close()
	}
	return nil, ""
}

// holdsBuildID looks for the note with the build id in the bytes of a flat
// image, which is little-endian.
func holdsBuildID(flat *source, id string) bool {
	desc, err := hex.DecodeString(id)
	if err != nil || len(desc) == 0 {
		return false
	}
	note := binary.LittleEndian.AppendUint32(nil, 4)
	note = binary.LittleEndian.AppendUint32(note, uint32(len(desc)))
	note = binary.LittleEndian.AppendUint32(note, 3) // NT_GNU_BUILD_ID
	note = append(append(note, "GNU\x00"...), desc...)
	buf := make([]byte, 1<<20)
	for off := int64(0); off < flat.size; off += int64(len(buf) - len(note)) {
		n, err := flat.r.ReadAt(buf, off)
		if bytes.Contains(buf[:n], note) {
			return true
		}
		if err != nil {
			return false
		}
	}
	return false
}

// vmlinuxSymbols looks for the symbols of a boot image's kernel in the vmlinux
// that it was made from.
func (f *elfFile) vmlinuxSymbols(image string, roots []string) (*elfFile, func()) {
	if f.obj.BuildID == "" {
		return nil, nil
	}
	for _, p := range vmlinuxPaths(image, roots) {
		d, done := f.openDebug(p, 0, false)
		if d != nil && d.obj.BuildID == f.obj.BuildID {
			return d, done
		}
		if d != nil {
			done()
		}
	}
	return nil, nil
}
