package compare

import (
	"flag"
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
		return max(50, trials/100)
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
