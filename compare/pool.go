package compare

import (
	"math/rand/v2"
	"slices"
)

// maxValues is how many values a table holds, of all metrics together, and
// maxRows how many rows it has at most: 32 MiB, and what judging a column takes
// besides is a few times its length.
const (
	maxValues = 1 << 22
	maxRows   = 1 << 18
)

// A pool keeps a table that grows within its bounds. When there is no room left,
// neighbouring blocks are pooled two by two: each run of the one is averaged with
// a run of the same variant of the other, and the means stand in a block of the
// same size. From then on rows are means of two runs, then of four, and so on.
//
// This keeps the test exact. Which run is averaged with which is drawn anew for
// every pair of blocks. If the variants do not differ, every way of giving a
// block's values to its 5 + 5 places is equally likely, and remains so for the
// sums of two independent blocks: exchanging two places in both changes nothing.
// Were the runs paired in the order in which they were made, the first of A and
// the first of B would resemble each other more than the first and the last of
// A, and that would not hold.
type pool struct {
	t     *Table
	rows  int // the most that the table may have
	least int // as many cannot be pooled: hardly any session has two blocks
	depth int // runs in a row; 1: nothing was pooled yet
	done  int // rows that are pooled so deep; the later ones are single runs
	rng   *rand.Rand

	single [][]Moments // by column and variant
	runs   []int       // by variant
	blocks int
	last   Run // as it was made
	number int32
}

func newPool(t *Table) *pool {
	// The seed is fixed: the same recording always gives the same comparison.
	return &pool{t: t, rows: maxRows, depth: 1, rng: rand.New(rand.NewPCG(0x706f6f6c, 0))}
}

// room is the number of rows that the table may have.
func (p *pool) room() int {
	return max(p.least, min(p.rows, maxValues/max(1, len(p.t.Metrics))))
}

// add takes a run, whose values are set later, and returns its row.
func (p *pool) add(r Run) int {
	fresh := len(p.t.Runs) == 0 || r.Block < 0 || r.Block != p.last.Block || r.Session != p.last.Session
	if fresh {
		// Only whole blocks are pooled.
		p.settle()
		if r.Block >= 0 || r.Session != p.last.Session || len(p.t.Runs) == 0 {
			p.blocks++
		}
		p.number++
	}
	p.last = r
	if p.depth > 1 && r.Block >= 0 {
		r.Block = p.number // those that were pooled have new numbers as well
	}
	for len(p.runs) <= int(r.Variant) {
		p.runs = append(p.runs, 0)
	}
	p.runs[r.Variant]++
	p.t.Runs = append(p.t.Runs, r)
	return len(p.t.Runs) - 1
}

// describe takes the value of a run for the moments.
func (p *pool) describe(column int, variant int32, x float64) {
	for len(p.single) <= column {
		p.single = append(p.single, nil)
	}
	for len(p.single[column]) <= int(variant) {
		p.single[column] = append(p.single[column], Moments{})
	}
	if x == x {
		p.single[column][variant].add(x)
	}
}

// settle makes room where there is none.
func (p *pool) settle() {
	room, rows := p.room(), len(p.t.Runs)
	switch {
	case rows < room && (p.depth == 1 || rows-p.done < max(room/32, 16*p.depth)):
		return
	case p.depth > 1:
		for d := 1; d < p.depth; d *= 2 {
			p.halve(p.done)
		}
		p.done = len(p.t.Runs)
		if p.done < room {
			return
		}
	}
	before := len(p.t.Runs)
	p.halve(0)
	p.done = len(p.t.Runs)
	if p.done <= before*3/4 {
		p.depth *= 2
	} else {
		p.least = before + before/2
	}
}

// A span is the rows of one block, or one row outside of any.
type span struct{ from, to int }

// halve pools the rows from the given one on. A block finds its partner in the
// next one of its session with runs of the same variants; a run outside of random
// blocks in the next one of its session and variant.
func (p *pool) halve(from int) {
	t := p.t
	type kind struct {
		session  int32
		block    bool
		variants string // a character for each
	}
	var pairs [][2]span // in the order of the first; the second is empty where there is none
	waiting := map[kind]int{}
	var present []rune
	for at := from; at < len(t.Runs); {
		r := t.Runs[at]
		s := span{at, at + 1}
		for r.Block >= 0 && s.to < len(t.Runs) && t.Runs[s.to].Block == r.Block && t.Runs[s.to].Session == r.Session {
			s.to++
		}
		present = present[:0]
		for _, r := range t.Runs[s.from:s.to] {
			if i, ok := slices.BinarySearch(present, r.Variant); !ok {
				present = slices.Insert(present, i, r.Variant)
			}
		}
		k := kind{r.Session, r.Block >= 0, string(present)}
		if i, ok := waiting[k]; ok {
			pairs[i][1] = s
			delete(waiting, k)
		} else {
			waiting[k] = len(pairs)
			pairs = append(pairs, [2]span{s, {}})
		}
		at = s.to
	}
	var runs []Run
	var first, second []int32 // rows of each new one
	for _, pair := range pairs {
		p.number++
		a, b := p.byVariant(pair[0]), p.byVariant(pair[1])
		place := int32(0)
		for v := range a {
			n := len(a[v])
			if b != nil {
				// Where a run failed one block is smaller: a run of the other, drawn by
				// chance, finds no partner.
				n = min(n, len(b[v]))
			}
			for i := range n {
				r := t.Runs[a[v][i]]
				if r.Block >= 0 {
					r.Block, r.Position = p.number, place
					place++
				}
				runs = append(runs, r)
				first = append(first, a[v][i])
				if b != nil {
					second = append(second, b[v][i])
				} else {
					second = append(second, -1)
				}
			}
		}
	}
	t.Runs = append(t.Runs[:from], runs...)
	for k := range t.Values {
		t.Values[k] = pooled(t.Values[k], from, first, second, average)
		if t.Share[k] != nil {
			t.Share[k] = pooled(t.Share[k], from, first, second, func(a, b float64) float64 { return min(a, b) })
		}
	}
}

// byVariant parts the rows of a span by variant, each in an order of chance; nil
// for an empty one.
func (p *pool) byVariant(s span) [][]int32 {
	if s.from == s.to {
		return nil
	}
	by := make([][]int32, len(p.t.Variants))
	for i := s.from; i < s.to; i++ {
		v := p.t.Runs[i].Variant
		by[v] = append(by[v], int32(i))
	}
	for _, rows := range by {
		p.rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
	return by
}

// pooled is a column after its rows from one on were pooled.
func pooled(x []float64, from int, first, second []int32, join func(a, b float64) float64) []float64 {
	rest := make([]float64, len(first))
	for i, a := range first {
		rest[i] = x[a]
		if b := second[i]; b >= 0 {
			rest[i] = join(x[a], x[b])
		}
	}
	return append(x[:from], rest...)
}

// average is the mean of the values that there are.
func average(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return halfSum(a, b)
}

// pooled says what the table of so many runs is, nil while rows are runs.
func (p *pool) pooled() *Pooled {
	if p.depth == 1 {
		return nil
	}
	made := 0
	for _, n := range p.runs {
		made += n
	}
	out := &Pooled{PerRow: max(1, (made+len(p.t.Runs)/2)/len(p.t.Runs)), Blocks: p.blocks, Runs: make([]int, len(p.t.Variants)), Rows: make([]int, len(p.t.Variants))}
	copy(out.Runs, p.runs)
	for _, r := range p.t.Runs {
		out.Rows[r.Variant]++
	}
	for k := range p.t.Metrics {
		of := make([]Moments, len(p.t.Variants))
		if k < len(p.single) {
			copy(of, p.single[k])
		}
		out.Single = append(out.Single, of)
	}
	return out
}
