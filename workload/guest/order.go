package guest

import (
	"math/rand/v2"
	"time"
)

// RandomBoots is the schedule of a series, by its name in a recording.
const RandomBoots = "random boots"

// A Boot is one boot of one kernel.
type Boot struct {
	Number int // from 0, in the order in which they are started
	Kernel int // index into Series.Kernels
	Round  int // from 0: each has every kernel once
	Perturbation
}

// round returns the boots of one round, in an order drawn at random: for two
// kernels a coin decides between AB and BA. It depends on seed and round alone.
func round(seed uint64, round, kernels int) []Boot {
	rng := rand.New(rand.NewPCG(seed, uint64(round)+1))
	boots := make([]Boot, kernels)
	for i, k := range rng.Perm(kernels) {
		boots[i] = Boot{
			Number: round*kernels + i, Kernel: k, Round: round,
			// 32 bits are what QEMU's -seed tells apart for certain.
			Perturbation: Perturbation{Seed: uint64(rng.Uint32()), Delay: time.Duration(rng.Int64N(int64(maxDelay)))},
		}
	}
	return boots
}
