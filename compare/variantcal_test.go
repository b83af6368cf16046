package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestCalibrationVariants: with three and four variants in blocks of five each, the
// family-wise rate over all against the base holds, with runs failing too.
func TestCalibrationVariants(t *testing.T) {
	const full = 4000
	trials := effort(full)
	if !*calibrationLong {
		trials = min(trials, 1000)
	}
	md := mdTable{head: []string{"variants", "noise", "runs that fail (base, others)", "anything flagged, A/A", "last at the 80 % effect"}}
	for _, variants := range []int{2, 3, 4} {
		for _, name := range []string{"normal 2 %", "AR .9", "drift 5 %", "bursts"} {
			for _, fail := range [][2]float64{{0, 0}, {.1, .1}, {.02, .3}} {
				g := generatorNamed(name)
				const n = 20
				cell := fmt.Sprintf("%d variants, %s, failing %v", variants, name, fail)
				sums := tally(cell, trials, 2, func(rng *rand.Rand, s []float64) {
					tab := simTable(rng, [][]float64{g.series(rng, n*variants)}, variants)
					for i, r := range tab.Runs {
						if rng.Float64() < fail[min(1, r.Variant)] {
							tab.Values[0][i] = math.NaN()
						}
					}
					flagged := false
					for _, d := range mustCompare(tab, DefaultOptions).Metrics[0].Deltas {
						flagged = flagged || d.Flag
					}
					s[0] += one(flagged)
					for i, r := range tab.Runs {
						if int(r.Variant) == variants-1 {
							tab.Values[0][i] *= math.Exp(g.effect(n))
						}
					}
					ds := mustCompare(tab, DefaultOptions).Metrics[0].Deltas
					s[1] += one(ds[len(ds)-1].Flag)
				})
				atMost(t, cell, sums[0], trials, full, 0.057)
				md.row(variants, name, fmt.Sprintf("%.0f %%, %.0f %%", 100*fail[0], 100*fail[1]), 100*sums[0]/float64(trials), 100*sums[1]/float64(trials))
			}
		}
	}
	md.print(t, fmt.Sprintf("Several variants and failing runs, n=20, family-wise, %% of %d:", trials))
}
