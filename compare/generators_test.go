package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
)

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
