package compare

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

// The calibration simulates A/A and A/B sessions with a fixed seed and holds
// the error rates and the power to the targets of docs/statistics.md. With
// -calibration.long it covers more cells and prints the tables of that
// document.
var calibrationLong = flag.Bool("calibration.long", false, "make the long calibration and print its tables as markdown")

// effort scales a number of trials to the kind of run this is.
func effort(trials int) int {
	if underRace {
		return max(100, trials/25)
	}
	return trials
}

// slack is what a measured share may exceed its limit by when it was made with
// fewer trials than the limit was set for: three standard errors of it, less
// those of the full number. Nothing in the long run.
func slack(limit float64, trials, full int) float64 {
	if trials >= full {
		return 0
	}
	v := limit * (1 - limit)
	return 3 * (math.Sqrt(v/float64(trials)) - math.Sqrt(v/float64(full)))
}

// atMost and atLeast hold a share to a limit. full is the number of trials the
// limit was set for.
func atMost(t *testing.T, what string, hits float64, trials, full int, limit float64) {
	t.Helper()
	if got := hits / float64(trials); got > limit+slack(limit, trials, full) {
		t.Errorf("%s: %.2f %% of %d, want at most %.2f %%", what, 100*got, trials, 100*limit)
	}
}

func atLeast(t *testing.T, what string, hits float64, trials, full int, limit float64) {
	t.Helper()
	if got := hits / float64(trials); got < limit-slack(limit, trials, full) {
		t.Errorf("%s: %.2f %% of %d, want at least %.2f %%", what, 100*got, trials, 100*limit)
	}
}

// shared by all simulations: working distributions out again would be most of
// their time.
var simNulls = newNulls()

// tally makes trials on all processors. Each adds to sums, of which there are
// k. Every fifty trials have a random stream of their own, named after the
// cell, so that the outcome does not depend on who runs what.
func tally(cell string, trials, k int, trial func(rng *rand.Rand, sums []float64)) []float64 {
	const size = 50
	h := fnv.New64a()
	h.Write([]byte(cell))
	parts := (trials + size - 1) / size
	all := make([][]float64, parts)
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for p := range next {
				rng := rand.New(rand.NewPCG(testSeed, h.Sum64()+uint64(p)))
				sums := make([]float64, k)
				for i := p * size; i < min(trials, (p+1)*size); i++ {
					trial(rng, sums)
				}
				all[p] = sums
			}
		})
	}
	for p := range parts {
		next <- p
	}
	close(next)
	wg.Wait()
	sums := make([]float64, k)
	for _, part := range all {
		for i, x := range part {
			sums[i] += x
		}
	}
	return sums
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// A generator makes the noise of a session: n values in run order, as
// logarithms for the continuous ones, else as counts.
type generator struct {
	name       string
	continuous bool
	sigma      float64 // of the core noise, by which effects are sized
	step       float64 // the effect in counts, for the others
	series     func(rng *rand.Rand, n int) []float64
}

func noise(rng *rand.Rand, n int, sigma float64) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = sigma * rng.NormFloat64()
	}
	return y
}

// with returns 2 % normal noise plus what add gives for each run.
func with(add func(rng *rand.Rand, i, n int) float64) func(*rand.Rand, int) []float64 {
	return func(rng *rand.Rand, n int) []float64 {
		y := noise(rng, n, 0.02)
		for i := range y {
			y[i] += add(rng, i, n)
		}
		return y
	}
}

func ar(rho float64) func(*rand.Rand, int) []float64 {
	return func(rng *rand.Rand, n int) []float64 {
		y := noise(rng, n, 0.02)
		for i := 1; i < n; i++ {
			y[i] = rho*y[i-1] + math.Sqrt(1-rho*rho)*y[i]
		}
		return y
	}
}

// states makes a two-state chain; in and out are the chances to switch.
func states(rng *rand.Rand, n int, in, out float64) []bool {
	s := make([]bool, n)
	now := rng.Float64() < in/(in+out)
	for i := range s {
		s[i] = now
		if now && rng.Float64() < out || !now && rng.Float64() < in {
			now = !now
		}
	}
	return s
}

func sticky(in, out float64, jump func(*rand.Rand) float64) func(*rand.Rand, int) []float64 {
	return func(rng *rand.Rand, n int) []float64 {
		y := noise(rng, n, 0.02)
		for i, s := range states(rng, n, in, out) {
			if s {
				y[i] += jump(rng)
			}
		}
		return y
	}
}

func poisson(rng *rand.Rand, mean float64) float64 {
	k, p := 0, rng.Float64()
	for l := math.Exp(-mean); p > l; k++ {
		p *= rng.Float64()
	}
	return float64(k)
}

var (
	modeGap  = math.Log(1.3)
	modeSd   = math.Sqrt(modeGap*modeGap/4 + 0.02*0.02)
	constant = func(*rand.Rand) float64 { return modeGap }
)

// generators are the sixteen kinds of noise of docs/statistics.md.
var generators = []generator{
	{"normal 2 %", true, .02, 0, func(r *rand.Rand, n int) []float64 { return noise(r, n, .02) }},
	{"lognormal 30 %", true, .3, 0, func(r *rand.Rand, n int) []float64 { return noise(r, n, .3) }},
	{"bimodal", true, modeSd, 0, sticky(.5, .5, constant)},
	{"bimodal sticky", true, modeSd, 0, sticky(.05, .05, constant)},
	{"AR .5", true, .02, 0, ar(.5)},
	{"AR .9", true, .02, 0, ar(.9)},
	{"drift 5 %", true, .02, 0, with(func(_ *rand.Rand, i, n int) float64 { return math.Log1p(.05 * float64(i) / float64(n)) })},
	{"step 3 %", true, .02, 0, func(r *rand.Rand, n int) []float64 {
		y, at := noise(r, n, .02), r.IntN(n)
		for i := at; i < n; i++ {
			y[i] += math.Log(1.03)
		}
		return y
	}},
	{"outliers 5 %", true, .02, 0, with(func(r *rand.Rand, _, _ int) float64 {
		if r.Float64() < .05 {
			return math.Log(1.2 + r.ExpFloat64())
		}
		return 0
	})},
	{"bursts", true, .02, 0, sticky(.1/9, .1, func(r *rand.Rand) float64 { return math.Log(1.1 + .3*r.ExpFloat64()) })},
	{"period 2", true, .02, 0, with(func(_ *rand.Rand, i, _ int) float64 { return math.Log(1.03) * float64(i%2) })},
	{"period 4", true, .02, 0, with(func(_ *rand.Rand, i, _ int) float64 { return math.Log(1.03) * one(i%4 == 3) })},
	{"instructions", true, 2e-6, 0, func(r *rand.Rand, n int) []float64 {
		y := noise(r, n, 2e-6)
		for i := range y {
			if r.Float64() < .1 {
				y[i] += 1e-4 * r.ExpFloat64()
			}
		}
		return y
	}},
	{"1069 + Bernoulli", false, 0, 1, func(r *rand.Rand, n int) []float64 {
		y := make([]float64, n)
		for i := range y {
			y[i] = 1069 + one(r.Float64() < .1)
		}
		return y
	}},
	{"Poisson(2)", false, 0, 2, func(r *rand.Rand, n int) []float64 {
		y := make([]float64, n)
		for i := range y {
			y[i] = poisson(r, 2)
		}
		return y
	}},
	{"constant", false, 0, 1, func(_ *rand.Rand, n int) []float64 { return repeat(1069, n) }},
}

func generatorNamed(name string) *generator {
	for i := range generators {
		if generators[i].name == name {
			return &generators[i]
		}
	}
	panic(fmt.Sprintf("there is no generator %q", name))
}

// effect is what an ideal z-test on the core noise would find 80 % of the
// time with n runs of each.
func (g *generator) effect(n int) float64 {
	if !g.continuous {
		return g.step
	}
	return 2.8 * math.Sqrt2 * g.sigma / math.Sqrt(float64(n))
}

// schedule returns the variants of n runs of each in random blocks, in run
// order, and the blocks' sizes.
func schedule(rng *rand.Rand, n, variants int) (order []int, sizes []int) {
	sizes = blockSizes(n)
	for _, w := range sizes {
		from := len(order)
		for v := range variants {
			for range w {
				order = append(order, v)
			}
		}
		part := order[from:]
		rng.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
	}
	return order, sizes
}

// interleave lays a random schedule over 2n values in run order, and adds the
// effect to those that fall to B.
func interleave(rng *rand.Rand, y []float64, effect float64) []block {
	order, sizes := schedule(rng, len(y)/2, 2)
	flat := make([]float64, 0, len(y))
	var bs []block
	for _, w := range sizes {
		var ab [2][]float64
		for v := range ab {
			from := len(flat)
			for i, o := range order[:2*w] {
				if o == v {
					flat = append(flat, y[i]+float64(v)*effect)
				}
			}
			ab[v] = flat[from:len(flat):len(flat)]
		}
		bs = append(bs, block{a: ab[0], b: ab[1]})
		order, y = order[2*w:], y[2*w:]
	}
	return bs
}

// judgeSim judges a simulated session at a level, with floor, threshold and
// verdict as in a report.
func judgeSim(bs []block, level, threshold, leastFloor float64) Delta {
	d := Delta{Design: DesignBlocks, Scale: LogScale, Level: level, Threshold: threshold, LeastFloor: leastFloor}
	d.judge(simNulls.rankSum(bs, level))
	d.forecast()
	return d
}

// seq cuts 2n values into the first half for A and the second for B, the order
// in which the other tools run.
func seq(y []float64, effect float64) (a, b []float64) {
	n := len(y) / 2
	a = append(a, y[:n]...)
	for _, x := range y[n : 2*n] {
		b = append(b, x+effect)
	}
	return a, b
}
