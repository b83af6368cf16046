package compare

import (
	"math"
	"testing"
)

// TestPrecise follows a session that grows to its targets.
func TestPrecise(t *testing.T) {
	tab := mixed(newRand(t, 30), 200, 2, 0)
	upTo := func(n int) *Table {
		cut := *tab
		cut.Runs = tab.Runs[:2*n]
		cut.Values = make([][]float64, len(tab.Values))
		for k := range cut.Values {
			cut.Values[k] = tab.Values[k][:2*n]
		}
		return &cut
	}
	last := math.Inf(1)
	for n := NextLook(0); n < 200; n = NextLook(n) {
		p, err := Precise(upTo(n), []Target{{Metric: "m0", Floor: 0.008}}, DefaultOptions)
		if err != nil {
			t.Fatal(err)
		}
		f := p.Floors[0]
		if want := mustCompare(upTo(n), DefaultOptions).Metrics[0].Deltas[0].Floor; f.Floor != want {
			t.Fatalf("n=%d: floor %v, the comparison says %v", n, f.Floor, want)
		}
		if p.Done != (f.Floor <= f.Target) || p.Done != (p.Worst() == nil) {
			t.Fatalf("n=%d: done %v at %v", n, p.Done, f.Floor)
		}
		if !p.Done && f.Runs <= n {
			t.Fatalf("n=%d: %d runs will do", n, f.Runs)
		}
		if p.Done {
			last = f.Floor
			break
		}
	}
	if math.IsInf(last, 1) {
		t.Error("the target was never reached")
	}
	// One count of 50 is 2 %.
	p, err := Precise(tab, []Target{{Metric: "faults", Floor: 0.001}, {Metric: "m3", Floor: 0.1}}, DefaultOptions)
	if err != nil || p.Done || !p.Floors[0].OutOfReach || !p.Floors[1].OutOfReach {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestNextLook(t *testing.T) {
	n := 0
	for _, want := range []int{10, 15, 20, 25, 30, 35, 40, 50, 60, 75, 90, 110, 135, 165} {
		if n = NextLook(n); n != want {
			t.Fatalf("looks at %d, want %d", n, want)
		}
	}
}
