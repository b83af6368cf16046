package elfsize

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"slices"
)

// maxBody bounds the code read of one symbol. Larger ones are not functions.
const maxBody = 16 << 20

// A span is a range of bytes, [lo, hi).
type span struct{ lo, hi uint64 }

func (s span) has(v uint64) bool { return v >= s.lo && v < s.hi }

// masksAddresses says that the code of this machine is compared without the
// addresses in it; elsewhere bodies are compared byte for byte.
func masksAddresses(m elf.Machine) bool {
	return m == elf.EM_X86_64 || m == elf.EM_386 || m == elf.EM_AARCH64
}

// readBodies digests the code of every sized function. from is the file that
// has the contents: f itself, or the stripped file beside a debug file.
func (f *elfFile) readBodies() {
	o := &f.obj
	relocs := f.codeRelocs()
	image := f.imageSpan()
	// All symbols together may not cost more than a few times the file: sizes
	// are the file's own claims, and may overlap.
	budget := uint64(f.size)*4 + 1<<20
	buf := []byte(nil)
	for i := range o.Symbols {
		s := &o.Symbols[i]
		if s.Size == 0 || s.Size > maxBody || s.Section < 0 || s.Size > budget {
			continue
		}
		sec := &o.Sections[s.Section]
		if sec.Flags&elf.SHF_EXECINSTR == 0 || sec.Type == elf.SHT_NOBITS {
			continue
		}
		addr := s.Addr
		if o.Machine == elf.EM_ARM {
			addr &^= 1 // the Thumb bit
		}
		off := addr
		if o.Type != elf.ET_REL {
			off -= sec.Addr
		}
		if off > sec.Size || s.Size > sec.Size-off || sec.offset > uint64(f.size) || off+s.Size > uint64(f.size)-sec.offset {
			continue
		}
		buf = slices.Grow(buf[:0], int(s.Size))[:s.Size]
		if _, err := f.r.ReadAt(buf, int64(sec.offset+off)); err != nil {
			continue
		}
		budget -= s.Size
		relocs.mask(s.Section, off, buf)
		switch o.Machine {
		case elf.EM_X86_64:
			maskX86(buf, addr, true, image)
		case elf.EM_386:
			maskX86(buf, addr, false, image)
		case elf.EM_AARCH64:
			maskARM64(buf)
		}
		sum := sha256.Sum256(buf)
		copy(s.Body[:], sum[:])
	}
}

// imageSpan is where absolute addresses of a position-dependent image point.
// In other images an operand that looks like an address is a number.
func (f *elfFile) imageSpan() span {
	if f.obj.Type != elf.ET_EXEC {
		return span{}
	}
	s := span{lo: ^uint64(0)}
	for _, sec := range f.obj.Sections {
		// Low sections are offsets: the kernel's per-CPU variables.
		if sec.Kind != Unloaded && sec.Addr >= 1<<16 {
			s.lo, s.hi = min(s.lo, sec.Addr), max(s.hi, sec.Addr+sec.Size)
		}
	}
	return s
}

// A relocTable holds, by section, where relocations write, in order.
type relocTable map[int][]uint64

// codeRelocs reads where the linker will write into the code of a relocatable
// object. Linked files have no need: their operands are masked by decoding.
func (f *elfFile) codeRelocs() relocTable {
	t := relocTable{}
	if f.obj.Type != elf.ET_REL {
		return t
	}
	for i := range f.obj.Sections {
		r := &f.obj.Sections[i]
		if r.Type != elf.SHT_REL && r.Type != elf.SHT_RELA || int(r.info) >= len(f.obj.Sections) {
			continue
		}
		if f.obj.Sections[r.info].Flags&elf.SHF_EXECINSTR == 0 {
			continue
		}
		b, err := f.contents(r)
		if err != nil {
			continue
		}
		word := 4
		if f.is64 {
			word = 8
		}
		entry := 2 * word
		if r.Type == elf.SHT_RELA {
			entry = 3 * word
		}
		at := t[int(r.info)]
		for ; len(b) >= entry; b = b[entry:] {
			if f.is64 {
				at = append(at, f.ord.Uint64(b))
			} else {
				at = append(at, uint64(f.ord.Uint32(b)))
			}
		}
		t[int(r.info)] = at
	}
	for section, at := range t {
		slices.Sort(at)
		// So that no function has more of them than bytes.
		t[section] = slices.Compact(at)
	}
	return t
}

// mask sets the four bytes at each relocation to zero. Code is written to in
// units of four bytes by nearly every relocation; an eight-byte one leaves
// half of an addend behind, which is zero with RELA.
func (t relocTable) mask(section int, off uint64, code []byte) {
	at := t[section]
	i, _ := slices.BinarySearch(at, off)
	for ; i < len(at) && at[i]-off < uint64(len(code)); i++ {
		p := at[i] - off
		clear(code[p:min(p+4, uint64(len(code)))])
	}
}

// maskARM64 sets to zero the operands that depend on where code and data are:
// branches and calls out of sight, the page of ADRP and ADR, and the offset
// within the page that ADD and loads add to such a register afterwards.
func maskARM64(code []byte) {
	le := binary.LittleEndian
	var paged uint32 // registers that hold a page address
	size := int64(len(code))
	for pos := int64(0); len(code) >= 4; pos, code = pos+4, code[4:] {
		w := le.Uint32(code)
		rd, rn := w&31, w>>5&31
		switch {
		case w&0x7c000000 == 0x14000000: // B, BL: 26 bits, in words
			if to := pos + int64(int32(w<<6)>>4); to < 0 || to >= size {
				le.PutUint32(code, w&0xfc000000)
			}
		case w&0x1f000000 == 0x10000000: // ADR, ADRP
			le.PutUint32(code, w&0x9f00001f)
			paged |= 1 << rd
		case w&0x7f800000 == 0x11000000: // ADD immediate
			if paged>>rn&1 == 1 {
				le.PutUint32(code, w&^(0xfff<<10))
			}
			paged &^= 1 << rd
		case w&0x3b000000 == 0x39000000: // load or store, unsigned offset
			if paged>>rn&1 == 1 {
				le.PutUint32(code, w&^(0xfff<<10))
			}
		}
	}
}
