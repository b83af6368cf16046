package cli

import (
	"time"

	ucli "github.com/urfave/cli/v2"

	"microcost/compare"
)

// A stopRule says how many runs are made. It never looks at a verdict: that
// would make the error rate a lie (docs/statistics.md).
type stopRule struct {
	runs    int                // of each, fixed; 0: not
	maxTime time.Duration      // budget
	until   map[string]float64 // metric: floor as a ratio
	// quick is the default: at least 10 runs, until the floors are low or about
	// 10 seconds have passed.
	quick bool
	// eachTurn makes more than runs where the counters take more turns than that.
	eachTurn bool
}

// adaptive says whether the floors decide when to stop.
func (r stopRule) adaptive() bool { return r.quick || r.until != nil }

// The default rule: for a verdict in the terminal while one waits.
const (
	quickTime  = 10 * time.Second
	quickFloor = 0.01 // 1 %
	firstLook  = 10   // runs of each before the floors are looked at
	// untilTime ends --until when the floor asked for is out of reach.
	untilTime = 10 * time.Minute
)

func readStop(c *ucli.Context) (stopRule, error) {
	var r stopRule
	if c.IsSet("runs") {
		if r.runs = c.Int("runs"); r.runs < 1 || r.runs > maxRuns {
			return r, usagef("--runs 20 makes 20 runs of each", "--runs %d is not a number of runs", r.runs)
		}
	}
	if c.IsSet("max-time") {
		var err error
		if r.maxTime, err = parseDuration(c.String("max-time")); err != nil || r.maxTime <= 0 {
			return r, usagef("--max-time 30s", "--max-time %s is not a length of time", c.String("max-time"))
		}
	}
	if list := c.StringSlice("until"); len(list) > 0 {
		if r.runs > 0 {
			return r, usagef("--runs fixes the number of runs, --until lets the noise decide: give one of them", "--runs and --until contradict each other")
		}
		var err error
		if r.until, err = readUntil(list, "instructions"); err != nil {
			return r, err
		}
		if r.maxTime == 0 {
			r.maxTime = untilTime
		}
	}
	if r.runs == 0 && r.maxTime == 0 {
		r.quick, r.maxTime = true, quickTime
	}
	return r, nil
}

// readUntil reads METRIC=FLOOR pairs; example is the metric that the hint names.
func readUntil(list []string, example string) (map[string]float64, error) {
	until := map[string]float64{}
	for _, text := range list {
		name, value, err := pair(text)
		var floor float64
		var absolute bool
		if err == nil {
			floor, absolute, err = compare.ParseAmount(value)
		}
		if err != nil || absolute || floor <= 0 {
			return nil, usagef("--until "+example+"=0.01%", "--until %s is not of the form METRIC=FLOOR%%", text)
		}
		until[name] = floor
	}
	return until, nil
}
