package elfsize

// A SectionDelta is the sections of one name on both sides.
type SectionDelta struct {
	Name           string
	Kind           Kind // of B, or of A where B has none
	A, B           uint64
	AddrA, AddrB   uint64 // of the first one
	CountA, CountB int    // 0: the section is absent
}

// Delta is B minus A, in bytes.
func (d SectionDelta) Delta() int64 { return int64(d.B - d.A) }

func sectionDeltas(a, b *Image) []SectionDelta {
	var out []SectionDelta
	index := map[string]int{}
	find := func(s *Section) *SectionDelta {
		i, ok := index[s.Name]
		if !ok {
			i = len(out)
			index[s.Name] = i
			out = append(out, SectionDelta{Name: s.Name, Kind: s.Kind})
		}
		return &out[i]
	}
	for _, o := range b.Objects {
		for i := range o.Sections {
			if s := &o.Sections[i]; s.Listed {
				d := find(s)
				if d.CountB++; d.CountB == 1 {
					d.AddrB = s.Addr
				}
				d.B += s.Size
			}
		}
	}
	for _, o := range a.Objects {
		for i := range o.Sections {
			if s := &o.Sections[i]; s.Listed {
				d := find(s)
				if d.CountA++; d.CountA == 1 {
					d.AddrA = s.Addr
				}
				d.A += s.Size
			}
		}
	}
	return out
}
