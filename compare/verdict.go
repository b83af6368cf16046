package compare

import "math"

// judge turns a finding into the words: floor, threshold, verdict and forecast
// (docs/statistics.md, "Verdict").
func (d *Delta) judge(f finding) {
	d.Estimate, d.Lo, d.Hi = f.est, f.lo, f.hi
	d.P, d.Flag = f.p, f.flag
	d.N, d.NBase, d.Blocks = f.nb, f.na, f.units
	d.Between, d.Within = f.between, f.within
	d.LoOpen = f.flag && f.lo == 0 && f.up
	d.HiOpen = f.flag && f.hi == 0 && !f.up
	d.Floor = max(f.spread, d.LeastFloor)
	d.Verdict = d.verdict(f.up)
}

func (d *Delta) verdict(up bool) Verdict {
	t := d.Threshold
	switch {
	case d.Identical:
		return Identical
	case math.IsInf(d.Floor, 1):
		return Undecided
	case math.IsNaN(t) && d.Flag && up:
		return More
	case math.IsNaN(t) && d.Flag:
		return Less
	case math.IsNaN(t):
		return NotDifferent
	case d.Lo >= t:
		return MoreThan
	case d.Hi <= -t:
		return LessThan
	case -t < d.Lo && d.Hi < t:
		return SameWithin
	case d.Flag:
		return MaybeUnder
	}
	return Undecided
}

// forecast sets MoreLo and MoreHi: the floor shrinks with the root of the
// number of runs, so that n(F/target)^2 runs bring it to a target. Half the
// threshold always settles; the larger of the delta and its distance from the
// threshold settles about half the time. Without a threshold, it is the number
// at which a difference of the size that was seen would be told from zero 4
// times in 5.
func (d *Delta) forecast() {
	d.MoreLo, d.MoreHi = 0, 0
	boots := d.Design == DesignBoots || d.Design == DesignSessions || d.Design == DesignBlocksInBoot
	abs := math.Abs(d.Estimate)
	if math.IsInf(d.Floor, 1) {
		if d.Verdict == Undecided {
			n := d.fewest(boots)
			d.MoreLo, d.MoreHi = n, n
		}
		return
	}
	need := d.runsFor
	if boots {
		need = d.bootsFor
	}
	switch {
	case d.Verdict == Undecided:
		d.MoreHi = need(d.Threshold / 2)
		d.MoreLo = min(d.MoreHi, need(max(abs, d.Threshold-abs)))
	case d.Verdict == NotDifferent && abs > 0:
		n := need(abs / 1.4)
		d.MoreLo, d.MoreHi = n, n
	}
}

// fewest is the number of runs or boots at which there can be a verdict at all.
func (d *Delta) fewest(boots bool) int {
	if !boots {
		if n := fewest(d.Level); n > d.n() {
			return n
		}
		return d.n() + 5
	}
	return max(3, min(d.N, d.NBase)+1)
}

// n is the number of runs of each variant: their harmonic mean, by which the
// floor goes when the numbers differ.
func (d *Delta) n() int {
	if d.N == 0 || d.NBase == 0 {
		return 0
	}
	return int(math.Round(2 / (1/float64(d.N) + 1/float64(d.NBase))))
}

// mostRuns bounds forecasts: beyond, the number is as good as never.
const mostRuns = 1_000_000_000

// runsFor is the number of runs of each variant at which the floor should be
// at the target: a multiple of 5, at least 5 more than there are; 0 if never.
func (d *Delta) runsFor(target float64) int {
	if target < d.LeastFloor || !(target > 0) {
		return 0
	}
	n := float64(d.n())
	want := n * (d.Floor / target) * (d.Floor / target)
	if want > mostRuns {
		return mostRuns
	}
	want = max(want, n+5)
	return int(math.Ceil(want/5)) * 5
}

// bootsFor is runsFor for boots: the t quantile falls with their number too,
// so that the floor is stepped through.
func (d *Delta) bootsFor(target float64) int {
	if target < d.LeastFloor || !(target > 0) {
		return 0
	}
	k := max(3, min(d.N, d.NBase)+1)
	for ; k < 100; k++ { // beyond, the quantile moves no more
		if d.bootFloor(k) <= target {
			return k
		}
	}
	r := d.bootFloor(k) / target
	return int(min(mostRuns, math.Ceil(float64(k)*max(1, r*r))))
}

// bootFloor is the floor to be expected with k boots of each variant (k boots
// with both, in a design of blocks), from the spread between those there were.
func (d *Delta) bootFloor(k int) float64 {
	df, scale := d.N+d.NBase-2, 1/float64(d.N)+1/float64(d.NBase)
	dfK, scaleK := 2*k-2, 2/float64(k)
	if d.Design == DesignBlocksInBoot {
		df, scale = d.N-1, 1/float64(d.N)
		dfK, scaleK = k-1, 1/float64(k)
	}
	spread := (d.Hi - d.Lo) / 2
	s := spread / (studentQuantile(df, d.Level) * math.Sqrt(scale))
	return studentQuantile(dfK, d.Level) * s * math.Sqrt(scaleK)
}
