package elfsize

import "encoding/binary"

// An x86Inst is the layout of one instruction: where it ends and where the
// fields are that may hold addresses. Offsets of 0 are absent fields.
type x86Inst struct {
	len          int
	disp, dlen   int  // displacement of a memory operand
	imm, ilen    int  // immediate
	rel          bool // the immediate is relative to the end: branches
	pcrel        bool // disp is relative to the end (RIP)
	absolute     bool // disp has no base register
	segment      bool // FS or GS
	addressWidth int  // bytes of the sign-extended operand: 4 or 8
}

// Operand classes of the one-byte opcodes, from the opcode map of the Intel
// manual (volume 2, appendix A.3): m has a ModRM byte; b, w, z, v an immediate
// of 1, 2, 4 (2 with 66h) or 4 to 8 bytes; j and J a branch of 1 or 4 bytes; o
// an address as wide as addresses are; f a far pointer; e is ENTER; x does not
// exist in 64-bit mode or is handled before.
var x86Classes = [...]string{
	0x0: "m m m m b z - - m m m m b z - x", // 0F is handled before
	0x1: "m m m m b z - - m m m m b z - -",
	0x2: "m m m m b z x - m m m m b z x -",
	0x3: "m m m m b z x - m m m m b z x -",
	0x4: "- - - - - - - - - - - - - - - -",
	0x5: "- - - - - - - - - - - - - - - -",
	0x6: "- - m m x x x x z M b B - - - -", // M: ModRM and z, B: ModRM and b
	0x7: "j j j j j j j j j j j j j j j j",
	0x8: "B M B B m m m m m m m m m m m m",
	0x9: "- - - - - - - - - - f - - - - -",
	0xa: "o o o o - - - - b z - - - - - -",
	0xb: "b b b b b b b b v v v v v v v v",
	0xc: "B B w - m m B M e - w - - b - -",
	0xd: "m m m m b b - - m m m m m m m m",
	0xe: "j j j j b b b b J J f j - - - -",
	0xf: "x - x x - - T T - - - - - - m m", // T: an immediate if ModRM.reg is 0 or 1
}

func x86Class(op byte) byte { return x86Classes[op>>4][2*(op&15)] }

// x86Class0F is the same for the two-byte opcodes 0F xx.
func x86Class0F(op byte) byte {
	switch {
	case op >= 0x80 && op <= 0x8f:
		return 'J'
	case op >= 0x05 && op <= 0x09, op == 0x0b, op == 0x0e, op >= 0x30 && op <= 0x37,
		op == 0x77, op >= 0xa0 && op <= 0xa2, op >= 0xa8 && op <= 0xaa, op >= 0xc8 && op <= 0xcf:
		return '-'
	case op == 0x0f, op >= 0x70 && op <= 0x73, op == 0xa4, op == 0xac, op == 0xba,
		op == 0xc2, op >= 0xc4 && op <= 0xc6:
		return 'B'
	}
	return 'm'
}

// decodeX86 finds the layout of the instruction at the start of code. It knows
// lengths and not meanings. ok is false where it does not know.
func decodeX86(code []byte, mode64 bool) (in x86Inst, ok bool) {
	pos, op16, rexW, addr16 := 0, false, false, false
	at := func(i int) byte {
		if i < len(code) {
			return code[i]
		}
		return 0
	}
prefixes:
	for ; pos < 15; pos++ {
		switch b := at(pos); {
		case b == 0x66:
			op16 = true
		case b == 0x67:
			addr16 = !mode64
		case b == 0x64 || b == 0x65:
			in.segment = true
		case b == 0xf0 || b == 0xf2 || b == 0xf3 || b == 0x2e || b == 0x36 || b == 0x3e || b == 0x26:
		default:
			break prefixes
		}
	}
	if addr16 {
		return in, false // 16-bit addressing: boot code only
	}
	if mode64 && at(pos)&0xf0 == 0x40 {
		rexW = at(pos)&8 != 0
		pos++
	}
	op := at(pos)
	pos++
	var class byte
	switch {
	case op == 0x0f:
		op = at(pos)
		pos++
		switch op {
		case 0x38:
			pos++
			class = 'm'
		case 0x3a:
			pos++
			class = 'B'
		default:
			class = x86Class0F(op)
		}
	case (op == 0xc4 || op == 0xc5 || op == 0x62) && (mode64 || at(pos)&0xc0 == 0xc0):
		table := byte(1) // of C5: 0F
		switch op {
		case 0xc4:
			table = at(pos) & 0x1f
			pos += 2
		case 0xc5:
			pos++
		default: // EVEX
			table = at(pos) & 7
			pos += 3
		}
		op = at(pos)
		pos++
		switch {
		case table == 3:
			class = 'B'
		case table == 1:
			class = x86Class0F(op)
			if class == 'J' || op != 0x77 && class == '-' {
				class = 'm'
			}
		default:
			class = 'm'
		}
	case op == 0x8f && at(pos)&0x1f >= 8: // XOP, of AMD's family 15h
		class = map[byte]byte{8: 'B', 9: 'm', 10: 'M'}[at(pos)&0x1f]
		if class == 0 {
			return in, false
		}
		pos += 3
		op16 = false
	case op == 0x62:
		class = 'm' // BOUND
	default:
		class = x86Class(op)
	}
	z := 4
	if op16 && !rexW {
		z = 2
	}
	if class == 'T' {
		class = 'm'
		if at(pos)&0x30 == 0 { // TEST; the others of the group have no immediate
			if class = 'B'; op == 0xf7 {
				class = 'M'
			}
		}
	}
	if class == 'm' || class == 'M' || class == 'B' {
		mod, rm := at(pos)>>6, at(pos)&7
		pos++
		switch {
		case mod == 3:
		case rm == 4:
			base := at(pos) & 7
			pos++
			if mod == 0 && base == 5 {
				in.dlen, in.absolute = 4, true
			}
		case mod == 0 && rm == 5:
			in.dlen, in.pcrel, in.absolute = 4, mode64, !mode64
		}
		switch mod {
		case 1:
			in.dlen = 1
		case 2:
			in.dlen = 4
		}
		if in.dlen > 0 {
			in.disp = pos
			pos += in.dlen
		}
	}
	in.addressWidth = 4
	if mode64 {
		in.addressWidth = 8
	}
	switch class {
	case 'b', 'B':
		in.ilen = 1
	case 'j':
		in.ilen, in.rel = 1, true
	case 'J':
		in.ilen, in.rel = 4, true
		if !mode64 && op16 {
			in.ilen = 2
		}
	case 'w':
		in.ilen = 2
	case 'z', 'M':
		in.ilen = z
	case 'v':
		if in.ilen = z; rexW {
			in.ilen = 8
		}
	case 'o':
		in.ilen = in.addressWidth
	case 'f':
		in.ilen = z + 2
	case 'e':
		in.ilen = 3
	case 'x':
		return in, false
	}
	if in.ilen > 0 {
		in.imm = pos
		pos += in.ilen
	}
	in.len = pos
	return in, pos <= len(code) && pos <= 15
}

// maskX86 sets the operands that hold addresses to zero: branches that leave
// the code, RIP-relative and per-CPU displacements, and numbers that point
// into the image. It stops where it does not understand an instruction and
// leaves the rest as it is, which can only make two bodies differ.
func maskX86(code []byte, addr uint64, mode64 bool, image span) {
	size := uint64(len(code))
	le := binary.LittleEndian
	for pos := 0; pos < len(code); {
		in, ok := decodeX86(code[pos:], mode64)
		if !ok {
			return
		}
		b := code[pos : pos+in.len]
		// number is the operand as the CPU extends it.
		number := func(off, n int) uint64 {
			switch {
			case n == 8:
				return le.Uint64(b[off:])
			case n == 4 && in.addressWidth == 8:
				return uint64(int64(int32(le.Uint32(b[off:]))))
			case n == 4:
				return uint64(le.Uint32(b[off:]))
			}
			return 0
		}
		points := func(off, n int) bool {
			return n >= 4 && (image.has(number(off, n)) || n == 4 && image.has(uint64(le.Uint32(b[off:]))))
		}
		if in.dlen == 4 && (in.pcrel || in.segment && in.absolute || points(in.disp, 4)) {
			clear(b[in.disp : in.disp+4])
		}
		switch {
		case in.rel && in.ilen == 4:
			// Relative to the start of the code; beyond it either way leaves.
			to := uint64(pos+in.len) + uint64(int64(int32(le.Uint32(b[in.imm:]))))
			if to >= size {
				clear(b[in.imm : in.imm+4])
			}
		case !in.rel && in.ilen >= 4 && points(in.imm, in.ilen):
			clear(b[in.imm : in.imm+in.ilen])
		}
		pos += in.len
	}
}
