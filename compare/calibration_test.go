package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestCalibrationFalsePositives is target 1: A/A over sixteen kinds of noise
// and four numbers of runs.
func TestCalibrationFalsePositives(t *testing.T) {
	t.Logf("seed %d", testSeed)
	const full = 10000
	trials := effort(full)
	sizes := []int{5, 10, 20, 50}
	md := mdTable{head: []string{"noise", "n=5", "n=10", "n=20", "n=50"}}
	for _, g := range generators {
		row := []any{g.name}
		for _, n := range sizes {
			cell := fmt.Sprintf("%s, n=%d", g.name, n)
			hits := tally("fpr "+cell, trials, 1, func(rng *rand.Rand, s []float64) {
				s[0] += one(simNulls.rankSum(interleave(rng, g.series(rng, 2*n), 0), 0.05).flag)
			})[0]
			atMost(t, cell, hits, trials, full, 0.057)
			if g.continuous && n >= 10 {
				atLeast(t, cell, hits, trials, full, 0.033)
			}
			row = append(row, 100*hits/float64(trials))
		}
		md.row(row...)
	}
	md.print(t, fmt.Sprintf("False positives, A/A, %% of %d:", trials))
}

// TestCalibrationPower is target 4, and the table beside the peers.
func TestCalibrationPower(t *testing.T) {
	const full, n = 4000, 20
	trials := effort(full)
	want := map[string]float64{
		"normal 2 %": .68, "lognormal 30 %": .60, "bimodal sticky": .99, "AR .9": .99, "drift 5 %": .67,
		"outliers 5 %": .58, "bursts": .55, "instructions": .50,
	}
	for i := range generators {
		g := &generators[i]
		least, ok := want[g.name]
		if !ok {
			continue
		}
		hits := tally("power "+g.name, trials, 1, func(rng *rand.Rand, s []float64) {
			s[0] += one(simNulls.rankSum(interleave(rng, g.series(rng, 2*n), g.effect(n)), 0.05).flag)
		})[0]
		t.Logf("power, %s: %.1f %%", g.name, 100*hits/float64(trials))
		atLeast(t, "power, "+g.name, hits, trials, full, least-0.03)
	}
}

// TestCalibrationConstant is target 12.
func TestCalibrationConstant(t *testing.T) {
	for _, n := range []int{5, 10, 20} {
		rng := rand.New(rand.NewPCG(testSeed, 12))
		for range 50 {
			y := logs(repeat(1069, 2*n)...)
			if f := simNulls.rankSum(interleave(rng, y, 0), 0.05); f.flag {
				t.Fatalf("n=%d: a constant is flagged", n)
			}
			if f := simNulls.rankSum(interleave(rng, y, math.Log(1070.0/1069)), 0.05); !f.flag || !f.up {
				t.Fatalf("n=%d: a constant one higher is not flagged", n)
			}
		}
	}
}
