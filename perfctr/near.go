package perfctr

import (
	"sort"
	"strings"
)

// nearLimit is how many names a ParseError proposes at most.
const nearLimit = 3

// nearest returns the known names that look like name, nearest first: those
// within a third of its length in edits, then those that contain it.
func nearest(name string, known []string) []string {
	name = strings.ToLower(name)
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	limit := max(1, len(name)/3)
	for _, k := range known {
		lower := strings.ToLower(k)
		d := limit + 1
		if longer := len(name) - len(lower); max(longer, -longer) <= limit { // else there are more edits than that
			d = edits(name, lower)
		}
		if d > limit {
			if len(name) < 3 || !strings.Contains(lower, name) {
				continue
			}
			d = limit + 1
		}
		found = append(found, candidate{k, d})
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].distance < found[j].distance })
	var names []string
	for _, c := range found {
		if len(names) < nearLimit {
			names = append(names, c.name)
		}
	}
	return names
}

// edits is the number of insertions, deletions, replacements and swaps of
// neighbours that turn a into b (optimal string alignment).
func edits(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
