package perfctr

import "strings"

// A cacheID names a hardware cache event: which cache, what is done to it,
// and whether all of that or only the misses are counted. The numbers are those
// of enum perf_hw_cache_id, perf_hw_cache_op_id and perf_hw_cache_op_result_id.
type cacheID struct{ cache, op, result int }

// The operations and results of caches.
const (
	cacheRead, cacheWrite, cachePrefetch = 0, 1, 2
	cacheAccess, cacheMiss               = 0, 1
)

// A cacheKind is one row of perf's table of caches (evsel__hw_cache in
// tools/perf/util/evsel.c): the names, perf's own first, and the operations
// that exist.
type cacheKind struct {
	names []string
	ops   []int
}

func cacheKinds() []cacheKind {
	all := []int{cacheRead, cacheWrite, cachePrefetch}
	return []cacheKind{
		{[]string{"L1-dcache", "l1-d", "l1d", "L1-data"}, all},
		{[]string{"L1-icache", "l1-i", "l1i", "L1-instruction"}, []int{cacheRead, cachePrefetch}},
		{[]string{"LLC", "L2"}, all},
		{[]string{"dTLB", "d-tlb", "Data-TLB"}, all},
		{[]string{"iTLB", "i-tlb", "Instruction-TLB"}, []int{cacheRead}},
		{[]string{"branch", "branches", "bpu", "btb", "bpc"}, []int{cacheRead}},
		{[]string{"node"}, all},
	}
}

// cacheOps and cacheResults are perf's words, by number.
func cacheOps() [][]string {
	return [][]string{
		{"load", "loads", "read"},
		{"store", "stores", "write"},
		{"prefetch", "prefetches", "speculative-read", "speculative-load"},
	}
}

func cacheResults() [][]string {
	return [][]string{
		{"refs", "Reference", "ops", "access"},
		{"misses", "miss"},
	}
}

// findCache reads cache[-op][-result] in either order, as perf does; what is
// left out is a read, and all of them.
func findCache(name string) (cacheID, bool) {
	for cache, kind := range cacheKinds() {
		for _, n := range kind.names {
			rest, ok := strings.CutPrefix(name, n)
			if !ok || rest != "" && rest[0] != '-' {
				continue
			}
			if id, ok := cacheWords(cacheID{cache: cache}, rest); ok && hasOp(kind, id.op) {
				return id, true
			}
		}
	}
	return cacheID{}, false
}

// cacheWords reads the words behind the cache's name, each with its dash.
func cacheWords(id cacheID, rest string) (cacheID, bool) {
	ops, results := 0, 0
	for rest != "" {
		n, word := 0, ""
		kind := 0
		for i, words := range cacheOps() {
			if w := prefixWord(rest, words); len(w) > len(word) {
				kind, n, word = 'o', i, w
			}
		}
		for i, words := range cacheResults() {
			if w := prefixWord(rest, words); len(w) > len(word) {
				kind, n, word = 'r', i, w
			}
		}
		switch kind {
		case 'o':
			id.op = n
			ops++
		case 'r':
			id.result = n
			results++
		default:
			return id, false
		}
		rest = rest[1+len(word):]
	}
	return id, ops <= 1 && results <= 1
}

// prefixWord finds the longest of the words that rest begins with, behind its
// dash.
func prefixWord(rest string, words []string) string {
	found := ""
	for _, w := range words {
		tail, ok := strings.CutPrefix(rest[1:], w)
		if ok && (tail == "" || tail[0] == '-') && len(w) > len(found) {
			found = w
		}
	}
	return found
}

func hasOp(k cacheKind, op int) bool {
	for _, o := range k.ops {
		if o == op {
			return true
		}
	}
	return false
}

// String is perf's own spelling: L1-dcache-load-misses, LLC-stores.
func (c cacheID) String() string {
	kind, op := cacheKinds()[c.cache], cacheOps()[c.op]
	if c.result == cacheMiss {
		return kind.names[0] + "-" + op[0] + "-" + cacheResults()[c.result][0]
	}
	return kind.names[0] + "-" + op[1]
}

// cacheIDs lists all that exist, in perf's order.
func cacheIDs() []cacheID {
	var ids []cacheID
	for cache, kind := range cacheKinds() {
		for _, op := range kind.ops {
			ids = append(ids, cacheID{cache, op, cacheAccess}, cacheID{cache, op, cacheMiss})
		}
	}
	return ids
}

func cacheNames() []string {
	var names []string
	for _, id := range cacheIDs() {
		names = append(names, id.String())
	}
	return names
}

// cacheEvent makes the event, not yet given to a PMU.
func cacheEvent(c cacheID) Event {
	return Event{Name: c.String(), Attr: Attr{Type: typeHWCache, Config: cacheConfig(c)}}
}
