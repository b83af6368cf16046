package compare

import "math"

// RepeatsPerBoot is the number of runs in each boot that gives the lowest floor
// for the time spent: the root of (cost of a boot / cost of a run) times
// (variance of a run inside a boot / variance between boots) (Kalibera & Jones
// 2013). d is a delta from boots of the given number of runs each; both costs
// are in the same unit. At least 1; 0 when d does not tell the variances, and
// when boots do not differ, so that one boot with many runs would be best.
func RepeatsPerBoot(d Delta, runs int, bootCost, runCost float64) int {
	// Within is the error of one boot's value, from so many runs.
	run := d.Within * d.Within * float64(runs)
	boot := d.Between * d.Between
	if !(run >= 0) || !(boot > 0) || !(runCost > 0) || !(bootCost >= 0) {
		return 0
	}
	return int(max(1, math.Min(mostRuns, math.Round(math.Sqrt(bootCost/runCost*run/boot)))))
}
