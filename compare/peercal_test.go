package compare

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestCalibrationPeers prints false positives and power of the other tools'
// rules on the same series, and holds the reading that every test of one
// variant after the other fails under drift.
func TestCalibrationPeers(t *testing.T) {
	const full = 10000
	trials := effort(full)
	if !*calibrationLong {
		trials = min(trials, 600)
	}
	for _, n := range []int{10, 20} {
		if n == 10 && !*calibrationLong {
			continue
		}
		for _, kind := range []string{"false positives, A/A", "power at the 80 % effect"} {
			md := mdTable{head: []string{"rule"}}
			rows := make([][]any, len(peers)+2)
			for i, p := range peers {
				rows[i] = []any{p.name + ", AAAA BBBB"}
			}
			rows[len(peers)] = []any{"signed-rank, ABAB"}
			rows[len(peers)+1] = []any{"**microcost**"}
			worst := make([]float64, len(rows))
			for gi := range generators {
				g := &generators[gi]
				md.head = append(md.head, g.name)
				effect := 0.0
				if kind[0] == 'p' {
					effect = g.effect(n)
				}
				sums := tally(fmt.Sprintf("peers %s %s %d", kind, g.name, n), trials, len(rows), func(rng *rand.Rand, s []float64) {
					y := g.series(rng, 2*n)
					a, b := seq(y, effect)
					if g.continuous {
						a, b = expAll(a), expAll(b)
					}
					for i, p := range peers {
						s[i] += one(p.flag(a, b))
					}
					d := make([]float64, n)
					for i := range d {
						d[i] = y[2*i+1] + effect - y[2*i]
					}
					s[len(peers)] += one(signedRank(d) <= 0.05)
					s[len(peers)+1] += one(simNulls.rankSum(interleave(rng, y, effect), 0.05).flag)
				})
				for i := range rows {
					rows[i] = append(rows[i], 100*sums[i]/float64(trials))
					worst[i] = max(worst[i], 100*sums[i]/float64(trials))
				}
			}
			for i := range rows {
				if kind[0] == 'f' {
					rows[i] = append(rows[i], worst[i])
				}
				md.row(rows[i]...)
			}
			if kind[0] == 'f' {
				md.head = append(md.head, "worst")
				if w := worst[2]; w < 25 {
					t.Errorf("poop's rule is wrong in %.0f %% at worst; the drift should fool it more", w)
				}
			}
			md.print(t, fmt.Sprintf("%s, n=%d, %% of %d:", kind, n, trials))
		}
	}
}

// TestCalibrationPeriods is target 6: interference in every second or fourth
// run, which is fatal to fixed orders.
func TestCalibrationPeriods(t *testing.T) {
	const full = 10000
	trials := effort(full)
	for _, name := range []string{"period 2", "period 4"} {
		g := generatorNamed(name)
		for _, n := range []int{10, 20} {
			cell := fmt.Sprintf("%s, n=%d", name, n)
			sums := tally("period "+cell, trials, 2, func(rng *rand.Rand, s []float64) {
				y := g.series(rng, 2*n)
				s[0] += one(simNulls.rankSum(interleave(rng, y, 0), 0.05).flag)
				d := make([]float64, n)
				for i := range d {
					d[i] = y[2*i+1] - y[2*i]
				}
				s[1] += one(signedRank(d) <= 0.05)
			})
			t.Logf("%s: %.2f %% (ABAB and signed-rank: %.0f %%)", cell, 100*sums[0]/float64(trials), 100*sums[1]/float64(trials))
			atMost(t, cell, sums[0], trials, full, 0.057)
		}
	}
}
