package recording

// Merge joins recordings into one, in the order given, numbering the sessions
// anew. The parts are left as they are.
func Merge(parts ...*Recording) *Recording {
	all := &Recording{}
	for i, r := range parts {
		if i == 0 {
			all.Head = r.Head
		}
		all.add(r, nil)
		all.Unknown = append(all.Unknown, r.Unknown...)
		all.Damage = append(all.Damage, r.Damage...)
	}
	return all
}

// A keep says what Filter and Split keep of a session: new indexes of its
// variants, with -1 for those dropped, and which samples. A nil function keeps
// every sample.
type keep struct {
	variants []int
	sample   func(*Sample) bool
}

// add copies sessions of r that choose keeps, and what belongs to them.
func (r *Recording) add(from *Recording, choose func(*Session) (keep, bool)) {
	type place struct {
		id   int
		keep keep
	}
	places := make([]place, len(from.Sessions))
	for i := range from.Sessions {
		s := from.Sessions[i]
		p := place{id: len(r.Sessions)}
		if choose != nil {
			k, ok := choose(&s)
			if !ok {
				places[i].id = -1
				continue
			}
			p.keep = k
		}
		if p.keep.variants != nil {
			var kept []Variant
			for v, to := range p.keep.variants {
				if to >= 0 {
					kept = append(kept, s.Variants[v])
				}
			}
			s.Variants = kept
		}
		s.ID = p.id
		places[i] = p
		r.Sessions = append(r.Sessions, s)
	}
	variant := func(p place, v int) int {
		if p.keep.variants == nil {
			return v
		}
		return p.keep.variants[v]
	}
	for _, s := range from.Samples {
		p := places[s.Session]
		if p.id < 0 || p.keep.sample != nil && !p.keep.sample(&s) {
			continue
		}
		if s.Session, s.Variant = p.id, variant(p, s.Variant); s.Variant >= 0 {
			r.Samples = append(r.Samples, s)
		}
	}
	for _, s := range from.Summaries {
		p := places[s.Session]
		if p.id < 0 {
			continue
		}
		if s.Session, s.Variant = p.id, variant(p, s.Variant); s.Variant >= 0 {
			r.Summaries = append(r.Summaries, s)
		}
	}
	for _, e := range from.Ends {
		if p := places[e.Session]; p.id >= 0 {
			e.Session = p.id
			r.Ends = append(r.Ends, e)
		}
	}
}

// Filter returns what the functions keep of a recording, a session or a sample
// at a time; a nil function keeps all. Sessions are numbered anew, and
// summaries stay with their session.
func Filter(r *Recording, session func(*Session) bool, sample func(*Session, *Sample) bool) *Recording {
	out := &Recording{Head: r.Head, Unknown: r.Unknown, Damage: r.Damage}
	out.add(r, func(s *Session) (keep, bool) {
		if session != nil && !session(s) {
			return keep{}, false
		}
		if sample == nil {
			return keep{}, true
		}
		return keep{sample: func(m *Sample) bool { return sample(s, m) }}, true
	})
	return out
}

// A Part is one of the recordings that SplitBy makes.
type Part struct {
	Key       string
	Recording *Recording
}

// ByLabel is the key of SplitBy for one recording of each variant.
func ByLabel(_ *Session, v *Variant) string { return v.Label }

// ByHost is the key of SplitBy for one recording of each machine; "" for those
// that are not known.
func ByHost(s *Session, _ *Variant) string { return s.Env.Host }

// SplitBy returns a recording for each value of key, in the order in which
// they occur. A session that is split between keys is in each of them, with
// its own part of the variants.
func SplitBy(r *Recording, key func(*Session, *Variant) string) []Part {
	var parts []Part
	seen := map[string]bool{}
	for i := range r.Sessions {
		s := &r.Sessions[i]
		for v := range s.Variants {
			k := key(s, &s.Variants[v])
			if seen[k] {
				continue
			}
			seen[k] = true
			part := &Recording{Head: r.Head}
			part.add(r, func(s *Session) (keep, bool) {
				kept := keep{variants: make([]int, len(s.Variants))}
				n := 0
				for v := range s.Variants {
					kept.variants[v] = -1
					if key(s, &s.Variants[v]) == k {
						kept.variants[v] = n
						n++
					}
				}
				return kept, n > 0
			})
			parts = append(parts, Part{Key: k, Recording: part})
		}
	}
	return parts
}
