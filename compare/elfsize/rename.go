package elfsize

// minRenamed is the least code that identifies a function, in bytes. Shorter
// ones are alike by chance: "return 0" is three bytes.
const minRenamed = 16

// findRenames joins a removed and an added function with the same code into
// one Renamed row. It is done only where it is unambiguous: one removed and one
// added function of the unit have that code.
func findRenames(rows []*row) []*row {
	type key struct {
		object string
		body   Body
	}
	removed, added := map[key][]*row{}, map[key][]*row{}
	for _, r := range rows {
		switch {
		case r.unknown:
		case r.Change == Removed && r.CountA == 1 && r.A >= minRenamed:
			k := key{r.Object, r.bodiesA[0]}
			removed[k] = append(removed[k], r)
		case r.Change == Added && r.CountB == 1 && r.B >= minRenamed:
			k := key{r.Object, r.bodiesB[0]}
			added[k] = append(added[k], r)
		}
	}
	gone := map[*row]bool{}
	for k, from := range removed {
		to := added[k]
		if len(from) != 1 || len(to) != 1 {
			continue
		}
		a, b := from[0], to[0]
		b.Change, b.OldName = Renamed, a.Name
		b.A, b.CountA, b.ClonesA = a.A, a.CountA, a.ClonesA
		gone[a] = true
	}
	out := rows[:0:0]
	for _, r := range rows {
		if !gone[r] {
			out = append(out, r)
		}
	}
	return out
}
