// Package tinyelf makes the programs of tests that count instructions: no compiler
// and no library stands between them and the count.
package tinyelf

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// Program is an executable of one segment with code at its start, and an
// interpreter if one is named.
func Program(machine elf.Machine, code []byte, interp string) []byte {
	const base, header, progHeader = 0x400000, 64, 56
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
	put(uint16(elf.ET_EXEC), uint16(machine), uint32(1), uint64(base+start), uint64(header), uint64(0), uint32(0),
		uint16(header), uint16(progHeader), uint16(progs), uint16(0), uint16(0), uint16(0))
	if interp != "" {
		at := start + uint64(len(code))
		put(uint32(elf.PT_INTERP), uint32(elf.PF_R), at, base+at, base+at, uint64(len(interp)+1), uint64(len(interp)+1), uint64(1))
	}
	put(uint32(elf.PT_LOAD), uint32(elf.PF_R|elf.PF_X), uint64(0), uint64(base), uint64(base), end, end, uint64(0x1000))
	b.Write(code)
	b.WriteString(interp + "\x00")
	return b.Bytes()
}

// LoopCode goes round so many times, two instructions each, and exits.
func LoopCode(machine elf.Machine, rounds uint32) []byte {
	if machine == elf.EM_AARCH64 {
		return words(
			0xd2800000|(rounds&0xffff)<<5, // movz x0, #low
			0xf2a00000|(rounds>>16)<<5,    // movk x0, #high, lsl #16
			0xf1000400,                    // 1: subs x0, x0, #1
			0x54ffffe1,                    // b.ne 1b
			0xd2800ba8,                    // mov x8, #93 (exit)
			0xd2800000,                    // mov x0, #0
			0xd4000001,                    // svc #0
		)
	}
	code := binary.LittleEndian.AppendUint32([]byte{0xb9}, rounds) // mov ecx, rounds
	return append(code,
		0xff, 0xc9, // 1: dec ecx
		0x75, 0xfc, // jnz 1b
		0x31, 0xff, // xor edi, edi
		0xb8, 60, 0, 0, 0, // mov eax, 60 (exit)
		0x0f, 0x05) // syscall
}

// Endless is code that never ends.
func Endless(machine elf.Machine) []byte {
	if machine == elf.EM_AARCH64 {
		return words(0x14000000) // b .
	}
	return []byte{0xeb, 0xfe} // jmp .
}

func words(list ...uint32) (b []byte) {
	for _, w := range list {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}
