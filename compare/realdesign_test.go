package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// pairs lays a schedule of tossed pairs over 2n values, and returns B - A of
// each with the effect added.
func pairs(rng *rand.Rand, y []float64, effect float64) []float64 {
	d := make([]float64, len(y)/2)
	for i := range d {
		d[i] = y[2*i+1] - y[2*i] + effect
		if rng.IntN(2) == 0 {
			d[i] = y[2*i] - y[2*i+1] + effect
		}
	}
	return d
}

// blocksOf is interleave with blocks of w runs of each.
func blocksOf(rng *rand.Rand, y []float64, w int, effect float64) []block {
	var bs []block
	for len(y) >= 2*w {
		var ab [2][]float64
		for i, p := range rng.Perm(2 * w) {
			v := p % 2
			ab[v] = append(ab[v], y[i]+float64(v)*effect)
		}
		bs = append(bs, block{a: ab[0], b: ab[1]})
		y = y[2*w:]
	}
	return bs
}

// TestCalibrationBlockSize: what the size of the blocks does on real series;
// the reason for fives.
func TestCalibrationBlockSize(t *testing.T) {
	data := loadReal(t)
	const full = 3000
	trials := effort(full)
	if !*calibrationLong {
		trials = min(trials, 500)
	}
	names := []string{"tossed pairs, signed-rank", "blocks of 2 + 2", "3 + 3", "**5 + 5**", "10 + 10"}
	widths := []int{0, 2, 3, 5, 10}
	md := mdTable{head: []string{"schedule"}}
	rows := make([][]any, len(names))
	for i := range rows {
		rows[i] = []any{names[i]}
	}
	mean := make(map[string]float64)
	for _, effect := range []float64{0, math.Log(1.03)} {
		for _, n := range []int{10, 20, 40} {
			md.head = append(md.head, fmt.Sprintf("%+.0f %%, n=%d", 100*math.Expm1(effect), n))
			sums, cells := make([]float64, 2*len(names)), 0.0
			for _, w := range realWorkloads {
				if !usable(data[w], n) {
					continue
				}
				cells++
				part := tally(fmt.Sprintf("block size %s %d %v", w, n, effect), trials, len(sums), func(rng *rand.Rand, s []float64) {
					win := window(rng, data[w], n)
					for k := range 2 {
						y, _ := onLog(win[k])
						s[k] += one(signedRank(pairs(rng, y, effect)) <= 0.05)
						for i, w := range widths[1:] {
							s[2*(i+1)+k] += one(simNulls.rankSum(blocksOf(rng, y, w, effect), 0.05).flag)
						}
					}
				})
				for i := range sums {
					sums[i] += part[i] / float64(trials)
				}
			}
			for i := range rows {
				rows[i] = append(rows[i], fmt.Sprintf("%.1f / %.1f", 100*sums[2*i]/cells, 100*sums[2*i+1]/cells))
				if effect > 0 && n == 40 {
					mean[names[i]] = sums[2*i] / cells
				}
			}
		}
	}
	for _, r := range rows {
		md.row(r...)
	}
	if mean["**5 + 5**"] < mean["tossed pairs, signed-rank"] {
		t.Errorf("pairs have more power: %v", mean)
	}
	md.print(t, fmt.Sprintf("Size of the blocks, real series, elapsed / task-clock, mean over the programs, flagged, %% of %d each:", trials))
}

// TestCalibrationEstimators: how far the estimate strays from zero when A is
// compared with itself, for the median of ratios within blocks and others.
func TestCalibrationEstimators(t *testing.T) {
	data := loadReal(t)
	trials := 1500
	if underRace {
		trials = 100
	}
	const n = 30
	md := mdTable{head: []string{"program, counter", "ratio of means, A before B", "ratio of means, in blocks", "ratio of medians, in blocks", "ratio of minima, in blocks", "**median of ratios within blocks**"}}
	worst := 0.0
	for _, w := range realWorkloads {
		if !usable(data[w], n) {
			continue
		}
		for k, name := range []string{"elapsed", "task-clock"} {
			rng := rand.New(rand.NewPCG(testSeed, uint64(len(w)*10+k)))
			var est [5][]float64
			for range trials {
				y, _ := onLog(window(rng, data[w], n)[k])
				x := expAll(y)
				bs := interleave(rng, y, 0)
				var a, b []float64
				for _, bl := range bs {
					a, b = append(a, expAll(bl.a)...), append(b, expAll(bl.b)...)
				}
				for i, r := range []float64{
					mean(x[n:]) / mean(x[:n]), mean(b) / mean(a), medianOf(slices.Clone(b)) / medianOf(slices.Clone(a)), slices.Min(b) / slices.Min(a),
				} {
					est[i] = append(est[i], math.Abs(math.Log(r)))
				}
				est[4] = append(est[4], math.Abs(newRatios(bs).median()))
			}
			row := []any{w + ", " + name}
			var q [5]float64
			for i := range est {
				slices.Sort(est[i])
				q[i] = quantile(est[i], 0.95)
				row = append(row, 100*q[i])
			}
			worst = max(worst, q[1]/q[4])
			md.row(row...)
		}
	}
	t.Logf("the ratio of means scatters up to %.1f times as much", worst)
	if worst < 2 {
		t.Errorf("the ratio of means scatters only %.1f times as much", worst)
	}
	md.print(t, fmt.Sprintf("How far from zero an estimate is when A is compared with itself, real series, n=%d: the 95th percentile of |ln ratio|, %% (%d windows):", n, trials))
}

// TestCalibrationFirstRun: the first run of a session is not like the others;
// the reason for the warm-up.
func TestCalibrationFirstRun(t *testing.T) {
	loadReal(t)
	high := make(map[string]float64)
	sum, n := 0.0, 0.0
	for w, ss := range realFirst {
		for i, first := range ss {
			r := first / medianOf(slices.Clone(loadReal(t)[w][i][0]))
			high[w] = max(high[w], r)
			sum += one(r > 1)
			n++
		}
	}
	t.Logf("first run against the median of the rest, elapsed, at most: %v; above it in %.0f %% of %.0f sessions", high, 100*sum/n, n)
	if sum/n < 0.5 {
		t.Errorf("the first run is slower in %.0f %% of the sessions only", 100*sum/n)
	}
}
