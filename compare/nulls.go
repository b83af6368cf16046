package compare

import (
	"encoding/binary"
	"slices"
	"sync"
)

// nulls keeps the kinds of blocks and distributions that were worked out
// already: those of a comparison without ties are all the same.
type nulls struct {
	mu    sync.Mutex
	kinds map[string]*blockKind
	sums  map[string]*null
}

func newNulls() *nulls {
	return &nulls{kinds: make(map[string]*blockKind), sums: make(map[string]*null)}
}

// maxKept bounds what nulls keeps. Tied counts can make a new kind for nearly
// every block.
const maxKept = 4096

// kind returns the blockKind with the key that appendKind made.
func (c *nulls) kind(key string, a, b int, ties []int) *blockKind {
	c.mu.Lock()
	k := c.kinds[key]
	c.mu.Unlock()
	if k != nil {
		return k
	}
	k = newBlockKind(a, b, ties)
	c.mu.Lock()
	if len(c.kinds) >= maxKept {
		clear(c.kinds)
	}
	c.kinds[key] = k
	c.mu.Unlock()
	return k
}

// appendKind writes the identity of a kind of block.
func appendKind(buf []byte, a, b int, ties []int) []byte {
	buf = binary.AppendUvarint(buf, uint64(a))
	buf = binary.AppendUvarint(buf, uint64(b))
	for _, t := range ties {
		buf = binary.AppendUvarint(buf, uint64(t))
	}
	return buf
}

// sum returns the distribution over blocks of the kinds with the given keys.
func (c *nulls) sum(kinds map[string]counted) *null {
	// In sorted order: the result must not depend on that of a map.
	keys := make([]string, 0, len(kinds))
	for k := range kinds {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	parts := make([]counted, len(keys))
	var id []byte
	for i, k := range keys {
		parts[i] = kinds[k]
		id = binary.AppendUvarint(id, uint64(len(k)))
		id = append(id, k...)
		id = binary.AppendUvarint(id, uint64(parts[i].times))
	}
	c.mu.Lock()
	d := c.sums[string(id)]
	c.mu.Unlock()
	if d != nil {
		return d
	}
	d = newNull(parts)
	c.mu.Lock()
	if len(c.sums) >= maxKept {
		clear(c.sums)
	}
	c.sums[string(id)] = d
	c.mu.Unlock()
	return d
}
