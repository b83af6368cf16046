package compare

import "slices"

// A sorter turns blocks into rank sums; it holds the scratch space.
type sorter struct {
	a, b []float64
	ties []int
	key  []byte
}

// rank returns twice the Mann-Whitney count of one block, and appends to s.key
// and s.ties the kind of block.
func (s *sorter) rank(bl block) (u2 int) {
	s.a = append(s.a[:0], bl.a...)
	s.b = append(s.b[:0], bl.b...)
	slices.Sort(s.a)
	slices.Sort(s.b)
	s.ties = s.ties[:0]
	i, j := 0, 0
	for i < len(s.a) || j < len(s.b) {
		var v float64
		if j == len(s.b) || i < len(s.a) && s.a[i] <= s.b[j] {
			v = s.a[i]
		} else {
			v = s.b[j]
		}
		fromA, fromB := i, j
		for i < len(s.a) && s.a[i] == v {
			i++
		}
		for j < len(s.b) && s.b[j] == v {
			j++
		}
		u2 += (j - fromB) * (2*fromA + (i - fromA))
		s.ties = append(s.ties, i-fromA+j-fromB)
	}
	if len(s.ties) == len(s.a)+len(s.b) {
		s.ties = s.ties[:0] // none tied
	}
	s.key = appendKind(s.key[:0], len(bl.a), len(bl.b), s.ties)
	return u2
}

// kinds ranks all blocks: the statistic summed, and how many blocks there are
// of which kind.
func (c *nulls) rank(bs []block) (u2 int, kinds map[string]counted) {
	var s sorter
	kinds = make(map[string]counted)
	lastKey, last := "", counted{}
	for _, bl := range bs {
		u2 += s.rank(bl)
		if string(s.key) == lastKey { // the usual case: one kind only
			last.times++
			continue
		}
		if last.times > 0 {
			kinds[lastKey] = last
		}
		k, ok := kinds[string(s.key)]
		if !ok {
			ties := s.ties
			if len(ties) == 0 {
				ties = nil
			}
			k.blockKind = c.kind(string(s.key), len(bl.a), len(bl.b), ties)
		}
		k.times++
		lastKey, last = string(s.key), k
	}
	if last.times > 0 {
		kinds[lastKey] = last
	}
	return u2, kinds
}

// untied is what kinds would be without any ties.
func (c *nulls) untied(bs []block) map[string]counted {
	kinds := make(map[string]counted)
	var key []byte
	for i := range bs {
		a, b := len(bs[i].a), len(bs[i].b)
		key = appendKind(key[:0], a, b, nil)
		k, ok := kinds[string(key)]
		if !ok {
			k.blockKind = c.kind(string(key), a, b, nil)
		}
		k.times++
		kinds[string(key)] = k
	}
	return kinds
}
