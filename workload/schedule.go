package workload

import "math/rand/v2"

// BlockSize is the number of runs of each variant in a full block. Five was
// chosen by simulation: small enough to follow drift, large enough for a test
// to have power within few blocks (docs/statistics.md).
const BlockSize = 5

// MaxPad is the largest number of bytes by which a block's environment is
// padded: one page, so that every alignment of the stack is met.
const MaxPad = 4096

// A Schedule decides the order of the runs. It is pure: block i depends only
// on the seed, i and its size.
type Schedule struct {
	Seed     uint64
	Variants int
}

// A Slot is one run's place.
type Slot struct {
	Variant  int
	Block    int // from 0; -1 for a warm-up
	Position int // within the block, from 0
	Pad      int // bytes to add to the environment, the same in the whole block
}

// Block returns the slots of the given block with size runs of each variant,
// in an order drawn uniformly from all orders. Only the full shuffle makes the
// test exact: every order must have been equally likely.
func (s Schedule) Block(block, size int) []Slot {
	rng := rand.New(rand.NewPCG(s.Seed, uint64(block)+1))
	slots := make([]Slot, 0, size*s.Variants)
	pad := rng.IntN(MaxPad)
	for v := range s.Variants {
		for range size {
			slots = append(slots, Slot{Variant: v, Block: block, Pad: pad})
		}
	}
	rng.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
	for i := range slots {
		slots[i].Position = i
	}
	return slots
}

// WarmUp returns the slots of n warm-up rounds: every variant once in each, in
// the order in which they were given.
func (s Schedule) WarmUp(n int) []Slot {
	var slots []Slot
	for range n {
		for v := range s.Variants {
			slots = append(slots, Slot{Variant: v, Block: -1, Position: len(slots)})
		}
	}
	return slots
}

// Blocks splits n runs of each variant into block sizes: fives, with a
// remainder of three or four as a block of its own and one of one or two added
// to the last block; seven or fewer stay together. Where that makes fewer blocks
// than there are turns of the counters, the runs are spread over as many blocks as
// there are turns: a turn without a block would leave its events without a value.
func Blocks(n, turns int) []int {
	sizes := blocks(n)
	if len(sizes) < min(n, turns) {
		sizes = make([]int, min(n, turns))
		for i := range n {
			sizes[i%len(sizes)]++
		}
	}
	return sizes
}

func blocks(n int) []int {
	if n <= 0 {
		return nil
	}
	if n <= 7 {
		return []int{n}
	}
	var sizes []int
	for range n / BlockSize {
		sizes = append(sizes, BlockSize)
	}
	switch rest := n % BlockSize; {
	case rest >= 3:
		sizes = append(sizes, rest)
	case rest > 0:
		sizes[len(sizes)-1] += rest
	}
	return sizes
}
