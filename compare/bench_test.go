package compare

import (
	"math"
	"math/rand/v2"
	"testing"
)

// BenchmarkCompare judges two variants of 100,000 samples each, 12 metrics: ten
// continuous ones, a count with many ties and a nearly constant one.
func BenchmarkCompare(b *testing.B) {
	t := longTable(100_000, 12)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compare(t, DefaultOptions); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCompareBoots is the same with the variants in sessions of their own.
func BenchmarkCompareBoots(b *testing.B) {
	t := longTable(100_000, 12)
	for i := range t.Runs {
		t.Runs[i].Session, t.Runs[i].Boot = t.Runs[i].Variant, t.Runs[i].Variant
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compare(t, DefaultOptions); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPrecise looks at 5,000 runs of each variant with 12 targets.
func BenchmarkPrecise(b *testing.B) {
	t := longTable(5000, 12)
	var targets []Target
	for _, m := range t.Metrics {
		targets = append(targets, Target{Metric: m.Name, Floor: 0.001})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Precise(t, targets, DefaultOptions); err != nil {
			b.Fatal(err)
		}
	}
}

// longTable is a session of n runs of each of two variants in blocks of five.
func longTable(n, metrics int) *Table {
	rng := rand.New(rand.NewPCG(1, 2))
	t := &Table{Variants: []string{"A", "B"}}
	for i := range n / 5 {
		order := []int32{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for p, v := range order {
			t.Runs = append(t.Runs, Run{Variant: v, Block: int32(i), Position: int32(p)})
		}
	}
	for k := range metrics {
		x := make([]float64, len(t.Runs))
		for i := range x {
			switch k {
			case 1:
				x[i] = 50 + float64(rng.IntN(6)+rng.IntN(6))
			case 2:
				x[i] = 1069 + float64(rng.IntN(10)/9)
			default:
				x[i] = 1e9 * math.Exp(0.02*rng.NormFloat64())
			}
		}
		t.Metrics = append(t.Metrics, Metric{Name: string(rune('a' + k)), Resolution: 1})
		t.Values = append(t.Values, x)
	}
	return t
}
