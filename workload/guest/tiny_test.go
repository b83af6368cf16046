package guest

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// loopProgram writes a static program whose loop has exactly 2*n instructions,
// with ten or so around it: no compiler and no library stands between it and the
// count.
func loopProgram(t *testing.T, arch Arch, n uint32) string {
	t.Helper()
	var code []byte
	le := binary.LittleEndian
	switch arch {
	case AMD64:
		code = append(code, 0xb9) // mov ecx, n
		code = le.AppendUint32(code, n)
		code = append(code,
			0xff, 0xc9, // dec ecx
			0x75, 0xfc, // jnz back to it
			0x31, 0xff, // xor edi, edi
			0xb8, 60, 0, 0, 0, // mov eax, SYS_exit
			0x0f, 0x05) // syscall
	case ARM64:
		for _, word := range []uint32{
			0xd2800000 | (n&0xffff)<<5, // movz x0, low half
			0xf2a00000 | (n>>16)<<5,    // movk x0, high half
			0xf1000400,                 // subs x0, x0, #1
			0x54ffffe1,                 // b.ne back to it
			0xd2800000,                 // mov x0, #0
			0xd2800ba8,                 // mov x8, #SYS_exit
			0xd4000001,                 // svc #0
		} {
			code = le.AppendUint32(code, word)
		}
	}
	path := filepath.Join(t.TempDir(), "loop")
	if err := os.WriteFile(path, tinyELF(arch, code, ""), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// tinyELF makes an executable of one segment with code at its start, and an
// interpreter if one is named.
func tinyELF(arch Arch, code []byte, interp string) []byte {
	const base, header, progHeader = 0x400000, 64, 56
	machine := map[Arch]uint16{AMD64: 62, ARM64: 183}[arch]
	progs := 1
	if interp != "" {
		progs = 2
	}
	start := uint64(header + progs*progHeader)
	end := start + uint64(len(code)+len(interp)+1)
	var b bytes.Buffer
	put := func(v ...any) {
		for _, x := range v {
			_ = binary.Write(&b, binary.LittleEndian, x)
		}
	}
	b.WriteString("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	put(uint16(2), machine, uint32(1), uint64(base+start), uint64(header), uint64(0), uint32(0),
		uint16(header), uint16(progHeader), uint16(progs), uint16(0), uint16(0), uint16(0))
	if interp != "" {
		at := start + uint64(len(code))
		put(uint32(3), uint32(4), at, base+at, base+at, uint64(len(interp)+1), uint64(len(interp)+1), uint64(1))
	}
	put(uint32(1), uint32(5), uint64(0), uint64(base), uint64(base), end, end, uint64(0x1000))
	b.Write(code)
	b.WriteString(interp + "\x00")
	return b.Bytes()
}
