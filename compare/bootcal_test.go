package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// bootNoise draws a boot's luck.
func bootNoise(rng *rand.Rand, kind string, sd float64) float64 {
	switch kind {
	case "t3": // scaled to the standard deviation
		z := rng.NormFloat64()
		c := 0.0
		for range 3 {
			x := rng.NormFloat64()
			c += x * x
		}
		return sd * z / math.Sqrt(c/3) / math.Sqrt(3)
	case "bimodal":
		return sd * (2*one(rng.Float64() < 0.5) - 1)
	}
	return sd * rng.NormFloat64()
}

// simBoots makes k boots of ten runs each with 2 % noise inside.
func simBoots(rng *rand.Rand, k int, kind string, sd, effect float64) [][]float64 {
	out := make([][]float64, k)
	for i := range out {
		luck := bootNoise(rng, kind, sd) + effect
		out[i] = noise(rng, 10, 0.02)
		for j := range out[i] {
			out[i][j] += luck
		}
	}
	return out
}

// TestCalibrationBoots is target 11, its simulated part.
func TestCalibrationBoots(t *testing.T) {
	const full = 1500
	trials := effort(full)
	md := mdTable{head: []string{"boots", "s_b", "boots' luck", "true delta", "all runs, Welch", "all runs, Mann-Whitney", "**microcost**"}}
	for _, c := range []struct {
		ka, kb int
		kind   string
		sd     float64
		effect float64
		most   float64
		least  float64
	}{
		{3, 3, "normal", 0, 0, .067, 0}, {3, 3, "normal", .005, 0, .067, 0}, {3, 3, "normal", .02, 0, .067, 0}, {3, 3, "t3", .02, 0, .067, 0},
		{4, 4, "normal", 0, 0, .067, 0}, {4, 4, "normal", .005, 0, .067, 0}, {4, 4, "normal", .02, 0, .067, 0}, {4, 4, "t3", .02, 0, .067, 0},
		{5, 5, "normal", 0, 0, .067, 0}, {5, 5, "normal", .005, 0, .067, 0}, {5, 5, "normal", .02, 0, .067, 0}, {5, 5, "t3", .02, 0, .067, 0},
		{3, 3, "bimodal", .02, 0, .09, 0}, {4, 4, "bimodal", .02, 0, .09, 0}, {5, 5, "bimodal", .02, 0, .09, 0},
		{5, 1, "normal", .02, 0, .067, 0}, {8, 3, "normal", .02, 0, .067, 0}, {1, 1, "normal", .02, 0, 0, 0},
		{3, 3, "normal", .02, .05, 1, .54}, {5, 5, "normal", .02, .05, 1, .86}, {1, 1, "normal", .02, .5, 0, 0},
	} {
		cell := fmt.Sprintf("%d+%d boots, %s %v, %v", c.ka, c.kb, c.kind, c.sd, c.effect)
		sums := tally(cell, trials, 3, func(rng *rand.Rand, s []float64) {
			a, b := simBoots(rng, c.ka, c.kind, c.sd, 0), simBoots(rng, c.kb, c.kind, c.sd, math.Log1p(c.effect))
			s[0] += one(bootT(a, b, 0.05).flag)
			var fa, fb []float64
			for _, x := range a {
				fa = append(fa, x...)
			}
			for _, x := range b {
				fb = append(fb, x...)
			}
			s[1] += one(welchT(fa, fb) < 0.05)
			s[2] += one(mannWhitney(fa, fb) < 0.05)
		})
		atMost(t, cell, sums[0], trials, full, c.most)
		atLeast(t, cell, sums[0], trials, full, c.least)
		p := func(i int) float64 { return 100 * sums[i] / float64(trials) }
		md.row(fmt.Sprintf("%d + %d", c.ka, c.kb), fmt.Sprintf("%.1f %%", 100*c.sd), c.kind, fmt.Sprintf("%.0f %%", 100*c.effect), p(1), p(2), p(0))
	}
	md.print(t, fmt.Sprintf("Boots of ten runs, 2 %% noise inside; flagged, %% of %d:", trials))
}

// TestCalibrationRealBoots is the family-wise part of target 11: real sessions
// as boots, ten counters, twenty runs of each.
func TestCalibrationRealBoots(t *testing.T) {
	data := loadReal(t)
	const full = 600
	trials := effort(full)
	md := mdTable{head: []string{"workload", "3 + 3 sessions", "5 + 5", "1 + 1: Welch, any", "1 + 1: microcost"}}
	for _, w := range []string{"find", "gzip", "hack", "pipe", "true"} {
		ss := data[w]
		row := []any{w}
		for _, c := range []struct {
			k    int
			most float64
		}{{3, .09}, {5, .08}} {
			sums := tally(fmt.Sprintf("real boots %s %d", w, c.k), trials, 1, func(rng *rand.Rand, s []float64) {
				s[0] += one(anyFlag(rng, ss, c.k))
			})
			atMost(t, fmt.Sprintf("real %s, %d+%d", w, c.k, c.k), sums[0], trials, full, c.most)
			row = append(row, 100*sums[0]/float64(trials))
		}
		sums := tally("real 1+1 "+w, trials, 2, func(rng *rand.Rand, s []float64) {
			pick := rng.Perm(len(ss))
			welch := false
			for k := range realCounters {
				welch = welch || welchT(ss[pick[0]][k][:20], ss[pick[1]][k][:20]) < 0.05
			}
			s[0] += one(welch)
			s[1] += one(anyFlag(rng, ss, 1))
		})
		if sums[1] != 0 {
			t.Errorf("%s: one session each was decided", w)
		}
		md.row(append(row, 100*sums[0]/float64(trials), 100*sums[1]/float64(trials))...)
	}
	t.Log(md.rows)
	md.print(t, fmt.Sprintf("Anything flagged among ten counters, real sessions for boots, %% of %d:", trials))
}

// anyFlag compares k random sessions with k others, ten counters.
func anyFlag(rng *rand.Rand, ss []realSession, k int) bool {
	pick := rng.Perm(len(ss))
	flagged := false
	for c := range realCounters {
		var all []float64
		for _, i := range pick[:2*k] {
			all = append(all, ss[i][c][:20]...)
		}
		y, _ := onLog(all)
		var a, b [][]float64
		for i := range k {
			a, b = append(a, y[20*i:20*i+20]), append(b, y[20*(k+i):20*(k+i)+20])
		}
		flagged = flagged || bootT(a, b, 0.05/float64(len(realCounters))).flag
	}
	return flagged
}

// TestCalibrationEachBoot: random blocks in each of J boots, with and without a
// part of the delta that changes from boot to boot.
func TestCalibrationEachBoot(t *testing.T) {
	const full = 1500
	trials := effort(full)
	md := mdTable{head: []string{"boots", "delta's own scatter between boots", "A/A", "+3 %"}}
	for _, j := range []int{3, 5, 8} {
		for _, sd := range []float64{0, .01} {
			cell := fmt.Sprintf("%d boots, %v", j, sd)
			sums := tally("each boot "+cell, trials, 2, func(rng *rand.Rand, s []float64) {
				for i, effect := range []float64{0, math.Log(1.03)} {
					var boots [][]block
					for range j {
						boots = append(boots, interleave(rng, noise(rng, 20, .02), effect+sd*rng.NormFloat64()))
					}
					s[i] += one(simNulls.deltaT(boots, 0.05).flag)
				}
			})
			atMost(t, cell, sums[0], trials, full, 0.067)
			md.row(j, fmt.Sprintf("%.0f %%", 100*sd), 100*sums[0]/float64(trials), 100*sums[1]/float64(trials))
		}
	}
	md.print(t, fmt.Sprintf("Ten runs of each in random blocks in each of J boots; flagged, %% of %d:", trials))
}

// TestCalibrationBootForecast: undecided comparisons of boots, repeated with
// the number of boots that was forecast.
func TestCalibrationBootForecast(t *testing.T) {
	trials := 150
	if underRace {
		trials = 30
	}
	md := mdTable{head: []string{"boots", "true delta / threshold", "median K_lo", "decided at K_lo", "median K_hi", "decided at K_hi"}}
	const sd, threshold = .02, .03
	delta := math.Log1p(threshold)
	for _, k := range []int{3, 5, 8} {
		for _, truth := range []float64{0, .5, 1, 2} {
			rng := rand.New(rand.NewPCG(testSeed, uint64(100*k)+uint64(10*truth)))
			judge := func(k int) Delta {
				d := Delta{Design: DesignBoots, Scale: LogScale, Level: 0.05, Threshold: delta}
				d.judge(bootT(simBoots(rng, k, "normal", sd, 0), simBoots(rng, k, "normal", sd, truth*delta), 0.05))
				d.forecast()
				return d
			}
			var los, his []float64
			lo, hi := 0, 0
			for done, tries := 0, 0; done < trials && tries < 100*trials; tries++ {
				d := judge(k)
				if d.Verdict != Undecided {
					continue
				}
				done++
				los, his = append(los, float64(d.MoreLo)), append(his, float64(d.MoreHi))
				lo += int(one(judge(d.MoreLo).Verdict != Undecided))
				hi += int(one(judge(d.MoreHi).Verdict != Undecided))
			}
			n := len(los)
			md.row(fmt.Sprintf("%d + %d", k, k), truth, medianOf(los), 100*float64(lo)/float64(n), medianOf(his), 100*float64(hi)/float64(n))
			t.Logf("%d+%d boots, truth %v: decided %d of %d at K_lo (median %.0f), %d at K_hi (median %.0f)", k, k, truth, lo, n, medianOf(los), hi, medianOf(his))
			if k >= 5 && !underRace && float64(hi) < 0.75*float64(n) {
				t.Errorf("%d+%d boots, truth %v: only %d of %d decided at the forecast", k, k, truth, hi, n)
			}
		}
	}
	md.print(t, "Boots undecided about a threshold of 3 % (s_b = 2 %), repeated with the forecast number of boots:")
}

// TestCalibrationSplit: the split into what differs between boots and what the
// noise inside adds comes out right on average.
func TestCalibrationSplit(t *testing.T) {
	trials := max(500, effort(1500))
	md := mdTable{head: []string{"boots", "s_b", "its estimate", "a boot's own error", "its estimate", "advice: more boots"}}
	for _, sd := range []float64{0, .005, .02} {
		sums := tally(fmt.Sprintf("split %v", sd), trials, 3, func(rng *rand.Rand, s []float64) {
			f := bootT(simBoots(rng, 5, "normal", sd, 0), simBoots(rng, 5, "normal", sd, 0), 0.05)
			s[0] += f.between * f.between
			s[1] += f.within * f.within
			s[2] += one(f.between > f.within)
		})
		between, within := math.Sqrt(sums[0]/float64(trials)), math.Sqrt(sums[1]/float64(trials))
		inside := .02 / math.Sqrt(10*0.955)
		if within < inside*0.95 || within > inside*1.25 || sd == .02 && math.Abs(between/sd-1) > 0.15 {
			t.Errorf("s_b = %v: estimated %.4f between and %.4f within, want %.4f within", sd, between, within, inside)
		}
		md.row("5 + 5", fmt.Sprintf("%.2f %%", 100*sd), fmt.Sprintf("%.2f %%", 100*between), fmt.Sprintf("%.2f %%", 100*inside), fmt.Sprintf("%.2f %%", 100*within), 100*sums[2]/float64(trials))
	}
	md.print(t, "What differs between boots, and what the noise inside them adds (root mean squares):")
}
