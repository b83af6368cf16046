package compare

// A layout is the schedule of a table: which rows stand in which random block.
// It is made once and serves all metrics.
type layout struct {
	variants int
	boot     []int32 // of each block
	// The rows of block i and variant v are rows[start[k]:start[k+1]] with
	// k = i*variants+v.
	start []int32
	rows  []int32
}

// newLayout finds the random blocks of a table, in order of their first run.
// Rows outside any block (Block < 0) are left out.
func newLayout(runs []Run, variants int) *layout {
	type key struct{ session, block int32 }
	l := &layout{variants: variants}
	ids := make(map[key]int32)
	of := make([]int32, len(runs))
	last, lastID := key{-1, -1}, int32(-1)
	for i, r := range runs {
		of[i] = -1
		if r.Block < 0 {
			continue
		}
		k := key{r.Session, r.Block}
		if k != last || lastID < 0 {
			id, ok := ids[k]
			if !ok {
				id = int32(len(l.boot))
				ids[k] = id
				l.boot = append(l.boot, r.Boot)
			}
			last, lastID = k, id
		}
		of[i] = lastID
	}
	// Counting sort by block and variant; rows of one cell stay in run order.
	l.start = make([]int32, len(l.boot)*variants+1)
	for i, b := range of {
		if b >= 0 {
			l.start[int(b)*variants+int(runs[i].Variant)+1]++
		}
	}
	for k := 1; k < len(l.start); k++ {
		l.start[k] += l.start[k-1]
	}
	l.rows = make([]int32, l.start[len(l.start)-1])
	next := append([]int32(nil), l.start...)
	for i, b := range of {
		if b >= 0 {
			k := int(b)*variants + int(runs[i].Variant)
			l.rows[next[k]] = int32(i)
			next[k]++
		}
	}
	return l
}

// cell returns the rows of one variant in one block.
func (l *layout) cell(block, variant int) []int32 {
	k := block*l.variants + variant
	return l.rows[l.start[k]:l.start[k+1]]
}

// paired returns the boots that have at least one block with runs of both the
// base and variant v, in order of appearance.
func (l *layout) paired(v int) []int32 {
	var boots []int32
	seen := make(map[int32]bool)
	for i, b := range l.boot {
		if len(l.cell(i, 0)) > 0 && len(l.cell(i, v)) > 0 && !seen[b] {
			seen[b] = true
			boots = append(boots, b)
		}
	}
	return boots
}

// A block holds the values of the base and of the change in one random block,
// in run order.
type block struct {
	boot int32
	a, b []float64
}

// blocks returns the blocks of one metric for the base and variant v: y holds
// one value for each row of the table, absent ones NaN. Absent values are left
// out, and so is a block in which one side has none: it says nothing about the
// difference.
func (l *layout) blocks(y []float64, v int) []block {
	flat := make([]float64, 0, len(l.rows))
	out := make([]block, 0, len(l.boot))
	take := func(rows []int32) []float64 {
		from := len(flat)
		for _, r := range rows {
			if x := y[r]; x == x {
				flat = append(flat, x)
			}
		}
		return flat[from:len(flat):len(flat)]
	}
	for i, boot := range l.boot {
		a, b := take(l.cell(i, 0)), take(l.cell(i, v))
		if len(a) > 0 && len(b) > 0 {
			out = append(out, block{boot, a, b})
		}
	}
	return out
}

// blockSizes is how n runs of each variant are divided into random blocks
// (docs/statistics.md, "Schedule"): fives, and the rest in a block of its own
// or, where it would be too small, in the last.
func blockSizes(n int) []int {
	if n <= 0 {
		return nil
	}
	if n <= 7 {
		return []int{n}
	}
	sizes := make([]int, n/5)
	for i := range sizes {
		sizes[i] = 5
	}
	switch r := n % 5; r {
	case 1, 2:
		sizes[len(sizes)-1] += r
	case 3, 4:
		sizes = append(sizes, r)
	}
	return sizes
}
