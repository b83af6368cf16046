package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCalibrationCarryOver is target 14: every run that follows a run of B is
// slower by c; how much of c does the delta keep?
func TestCalibrationCarryOver(t *testing.T) {
	const full, n, c = 4000, 20, 0.02
	trials := effort(full)
	sums := tally("carry-over", trials, 3, func(rng *rand.Rand, s []float64) {
		y := noise(rng, 2*n, 0.01)
		tab := simTable(rng, [][]float64{y}, 2)
		for i := 1; i < len(y); i++ {
			if tab.Runs[i-1].Variant == 1 {
				tab.Values[0][i] *= 1 + c
			}
		}
		res := mustCompare(tab, DefaultOptions)
		d := res.Metrics[0].Deltas[0]
		s[0] += d.Estimate
		s[1] += one(d.Flag)
		s[2] += one(warned(res, WarnCarryOver))
	})
	kept := math.Abs(sums[0]) / float64(trials) / c
	t.Logf("carry-over: %.1f %% of it kept, flagged %.1f %%, noted %.1f %%", 100*kept, 100*sums[1]/float64(trials), 100*sums[2]/float64(trials))
	if kept > 0.15 {
		t.Errorf("%.1f %% of the carry-over is in the delta, want at most 15 %%", 100*kept)
	}
	atLeast(t, "carry-over noted", sums[2], trials, full, 0.9)
}

// simTable makes a table of series in run order (logarithms, one for each
// metric), under a random schedule for so many variants.
func simTable(rng *rand.Rand, series [][]float64, variants int) *Table {
	t := &Table{}
	for v := range variants {
		t.Variants = append(t.Variants, string(rune('A'+v)))
	}
	order, sizes := schedule(rng, len(series[0])/variants, variants)
	for b, w := range sizes {
		for p := range w * variants {
			t.Runs = append(t.Runs, Run{Variant: int32(order[len(t.Runs)]), Block: int32(b), Position: int32(p)})
		}
	}
	for k, y := range series {
		t.Metrics = append(t.Metrics, Metric{Name: fmt.Sprintf("m%d", k)})
		t.Values = append(t.Values, expAll(y))
	}
	return t
}

func mustCompare(t *Table, o Options) *Comparison {
	c, err := Compare(t, o)
	if err != nil {
		panic(err)
	}
	return c
}

func warned(c *Comparison, k WarningKind) bool {
	is := func(w Warning) bool { return w.Kind == k }
	return slices.ContainsFunc(c.Warnings, is) ||
		slices.ContainsFunc(c.Metrics, func(m MetricResult) bool { return slices.ContainsFunc(m.Warnings, is) })
}

// TestCalibrationCarryOverElsewhere: how much of the same carry-over other
// schedules keep.
func TestCalibrationCarryOverElsewhere(t *testing.T) {
	const n, c = 20, 0.02
	trials := effort(2000)
	after := func(y []float64, isB func(i int) bool) {
		for i := len(y) - 1; i > 0; i-- {
			if isB(i - 1) {
				y[i] += math.Log1p(c)
			}
		}
	}
	sums := tally("carry-over elsewhere", trials, 2, func(rng *rand.Rand, s []float64) {
		var toss [n]bool // B first
		for i := range toss {
			toss[i] = rng.IntN(2) == 0
		}
		y := noise(rng, 2*n, .01)
		after(y, func(i int) bool { return (i%2 == 0) == toss[i/2] })
		var d []float64
		for i := range n {
			x := y[2*i+1] - y[2*i]
			if toss[i] {
				x = -x
			}
			d = append(d, x)
		}
		s[0] += medianOf(d)
		y = noise(rng, 2*n, .01)
		after(y, func(i int) bool { return i%2 == 1 })
		d = d[:0]
		for i := range n {
			d = append(d, y[2*i+1]-y[2*i])
		}
		s[1] += medianOf(d)
	})
	pairs, abab := math.Abs(sums[0])/float64(trials)/c, math.Abs(sums[1])/float64(trials)/c
	t.Logf("carry-over elsewhere: tossed pairs keep %.0f %%, alternating runs %.0f %%", 100*pairs, 100*abab)
	if pairs < .3 || abab < .8 {
		t.Errorf("tossed pairs keep %.2f, alternating runs %.2f of it", pairs, abab)
	}
}

// TestCalibrationNotes is target 13: how often the notes speak on noise that
// has nothing to tell, and what they find.
func TestCalibrationNotes(t *testing.T) {
	const full = 2000
	trials := effort(full)
	kinds := []WarningKind{WarnDrift, WarnAutocorrelation, WarnTwoModes, WarnTail, WarnSpread, WarnOrder, WarnCarryOver, WarnOutliers}
	md := mdTable{head: []string{"noise", "n"}}
	for _, k := range kinds {
		md.head = append(md.head, string(k))
	}
	cell := func(name string, n int, series func(rng *rand.Rand, n int) []float64) []float64 {
		sums := tally(fmt.Sprintf("notes %s %d", name, n), trials, len(kinds), func(rng *rand.Rand, s []float64) {
			c := mustCompare(simTable(rng, [][]float64{series(rng, 2*n)}, 2), DefaultOptions)
			for i, k := range kinds {
				s[i] += one(warned(c, k))
			}
		})
		row := []any{name, n}
		for _, s := range sums {
			row = append(row, 100*s/float64(trials))
		}
		md.row(row...)
		return sums
	}
	for _, name := range []string{"normal 2 %", "lognormal 30 %"} {
		g := generatorNamed(name)
		for _, n := range []int{10, 20, 50, 100} {
			for i, hits := range cell(name, n, g.series) {
				if kinds[i] == WarnTwoModes && name != "normal 2 %" {
					continue
				}
				atMost(t, fmt.Sprintf("%s note on %s, n=%d", kinds[i], name, n), hits, trials, full, 0.01)
			}
		}
	}
	for _, n := range []int{20, 50} {
		s := cell("outliers 5 %", n, generatorNamed("outliers 5 %").series)
		atMost(t, fmt.Sprintf("tail note on outliers, n=%d", n), s[3], trials, full, 0.01)
		atMost(t, fmt.Sprintf("drift note on outliers, n=%d", n), s[0], trials, full, 0.01)
		cell("drift 5 %", n, generatorNamed("drift 5 %").series)
		cell("bimodal", n, generatorNamed("bimodal").series)
		cell("AR .9", n, generatorNamed("AR .9").series)
	}
	// What B does to its runs, and the notes that should find it.
	for _, c := range []struct {
		name string
		edit func(rng *rand.Rand) float64
	}{
		{"normal 2 %; a tenth of B's runs +50 %", func(rng *rand.Rand) float64 { return 1 + .5*one(rng.Float64() < .1) }},
		{"normal 2 %; B scatters twice as far", func(rng *rand.Rand) float64 { return math.Exp(.02 * math.Sqrt(3) * rng.NormFloat64()) }},
	} {
		for _, n := range []int{20, 50, 100} {
			sums := tally(fmt.Sprintf("notes %s %d", c.name, n), trials, len(kinds)+1, func(rng *rand.Rand, s []float64) {
				tab := simTable(rng, [][]float64{noise(rng, 2*n, .02)}, 2)
				for i, r := range tab.Runs {
					if r.Variant == 1 {
						tab.Values[0][i] *= c.edit(rng)
					}
				}
				res := mustCompare(tab, DefaultOptions)
				for i, k := range kinds {
					s[i] += one(warned(res, k))
				}
				s[len(kinds)] += one(res.Metrics[0].Deltas[0].Flag)
			})
			row := []any{c.name, n}
			for _, s := range sums[:len(kinds)] {
				row = append(row, 100*s/float64(trials))
			}
			md.row(row...)
			t.Logf("%s, n=%d: the delta is flagged in %.1f %%", c.name, n, 100*sums[len(kinds)]/float64(trials))
		}
	}
	md.print(t, fmt.Sprintf("Notes, %% of %d comparisons:", trials))
}
