package guest

import (
	"reflect"
	"testing"
)

func TestRounds(t *testing.T) {
	first := [2]int{}
	seeds := map[uint64]bool{}
	for i := range 1000 {
		boots := round(7, i, 2)
		if !reflect.DeepEqual(boots, round(7, i, 2)) {
			t.Fatal("the same seed and round gave other boots")
		}
		if boots[0].Kernel == boots[1].Kernel {
			t.Fatalf("round %d boots kernel %d twice", i, boots[0].Kernel)
		}
		first[boots[0].Kernel]++
		for k, b := range boots {
			if b.Number != 2*i+k || b.Round != i || b.Delay < 0 || b.Delay >= maxDelay {
				t.Fatalf("boot %d of round %d is %+v", k, i, b)
			}
			seeds[b.Seed] = true
		}
	}
	// 4.5 standard deviations of 1,000 fair coins.
	if first[0] < 430 || first[0] > 570 {
		t.Errorf("kernel 0 came first in %d of 1000 rounds", first[0])
	}
	if len(seeds) < 1998 {
		t.Errorf("%d different seeds in 2000 boots", len(seeds))
	}
	if reflect.DeepEqual(round(7, 0, 2), round(8, 0, 2)) {
		t.Error("two seeds gave the same boots")
	}
}
