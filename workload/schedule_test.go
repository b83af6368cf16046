package workload

import (
	"slices"
	"testing"
)

func TestBlocks(t *testing.T) {
	check := func(n int, want ...int) {
		t.Helper()
		if got := Blocks(n, 1); !slices.Equal(got, want) {
			t.Errorf("Blocks(%d, 1) = %v, want %v", n, got, want)
		}
	}
	check(0)
	check(1, 1)
	check(7, 7)
	check(8, 5, 3)
	check(10, 5, 5)
	check(11, 5, 6)
	check(12, 5, 7)
	check(13, 5, 5, 3)
	check(14, 5, 5, 4)
	check(20, 5, 5, 5, 5)
	for _, c := range []struct {
		n, turns int
		want     []int
	}{
		{5, 2, []int{3, 2}}, {2, 3, []int{1, 1}}, {8, 2, []int{5, 3}}, {10, 3, []int{4, 3, 3}},
		{0, 3, nil}, {20, 3, []int{5, 5, 5, 5}}, {7, 0, []int{7}}, {7, -2, []int{7}},
	} {
		if got := Blocks(c.n, c.turns); !slices.Equal(got, c.want) {
			t.Errorf("Blocks(%d, %d) = %v, want %v", c.n, c.turns, got, c.want)
		}
	}
	for n := range 500 {
		sum := 0
		for _, size := range Blocks(n, 1) {
			if size > 7 || size < 1 {
				t.Fatalf("Blocks(%d, 1) has a block of %d", n, size)
			}
			sum += size
		}
		if sum != n {
			t.Fatalf("Blocks(%d, 1) adds up to %d", n, sum)
		}
	}
}

func TestBlockIsBalancedAndReproducible(t *testing.T) {
	s := Schedule{Seed: 7, Variants: 3}
	for block := range 50 {
		slots := s.Block(block, 5)
		if !slices.Equal(slots, s.Block(block, 5)) {
			t.Fatal("the same seed and block gave another order")
		}
		var count [3]int
		for i, slot := range slots {
			if slot.Position != i || slot.Block != block || slot.Pad != slots[0].Pad || slot.Pad < 0 || slot.Pad >= MaxPad {
				t.Fatalf("slot %d of block %d is %+v", i, block, slot)
			}
			count[slot.Variant]++
		}
		if count != [3]int{5, 5, 5} {
			t.Fatalf("block %d has %v runs of each variant", block, count)
		}
	}
}

// Every order of a block must be equally likely, or the p-values are wrong: all
// six orders of two runs of each of two variants are counted over 6,000 blocks.
func TestBlockOrdersAreEquallyLikely(t *testing.T) {
	orders := map[[4]int]int{}
	s := Schedule{Seed: 1, Variants: 2}
	const blocks = 6000
	for b := range blocks {
		var o [4]int
		for i, slot := range s.Block(b, 2) {
			o[i] = slot.Variant
		}
		orders[o]++
	}
	if len(orders) != 6 {
		t.Fatalf("%d different orders, want 6", len(orders))
	}
	chi2 := 0.0
	for _, n := range orders {
		d := float64(n) - blocks/6
		chi2 += d * d / (blocks / 6)
	}
	if chi2 > 20.5 { // 0.1 % of chi-squared with 5 degrees of freedom
		t.Errorf("the orders %v are not equally likely: chi-squared %.1f", orders, chi2)
	}
}

func TestWarmUp(t *testing.T) {
	slots := Schedule{Variants: 2}.WarmUp(2)
	var variants []int
	for i, s := range slots {
		if s.Block != -1 || s.Position != i || s.Pad != 0 {
			t.Errorf("slot %d is %+v", i, s)
		}
		variants = append(variants, s.Variant)
	}
	if !slices.Equal(variants, []int{0, 1, 0, 1}) {
		t.Errorf("warm-up order %v", variants)
	}
}

func TestLabel(t *testing.T) {
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "A26"} {
		if got := Label(i); got != want {
			t.Errorf("Label(%d) = %q, want %q", i, got, want)
		}
	}
}
