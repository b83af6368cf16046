package compare

import (
	"math"
	"testing"
)

// TestRepeatsPerBoot against a search: with a budget, the variance of the mean
// is (s_b^2 + s_w^2/n) / K and the cost K (boot + n run), so that their product
// does not depend on K.
func TestRepeatsPerBoot(t *testing.T) {
	for _, c := range []struct{ between, run, boot, cost float64 }{
		{.02, .02, 60, 1}, {.005, .05, 30, .1}, {.05, .01, 10, 5}, {.01, .03, 120, 2},
	} {
		best, least := 0, math.Inf(1)
		for n := 1; n < 5000; n++ {
			v := (c.between*c.between + c.run*c.run/float64(n)) * (c.boot + float64(n)*c.cost)
			if v < least {
				best, least = n, v
			}
		}
		d := Delta{Between: c.between, Within: c.run / math.Sqrt(10)}
		got := RepeatsPerBoot(d, 10, c.boot, c.cost)
		if math.Abs(float64(got-best)) > 1 {
			t.Errorf("%+v: %d runs, want %d", c, got, best)
		}
	}
	if RepeatsPerBoot(Delta{Between: math.NaN()}, 10, 1, 1) != 0 || RepeatsPerBoot(Delta{Within: 1}, 10, 1, 1) != 0 {
		t.Error("a number without variances")
	}
}
