package compare

import (
	"fmt"
	"math"
)

// amount words an amount of delta without sign.
func (c *column) amount(x float64) string {
	if c.scale == LogScale {
		return fmt.Sprintf("%.3g %%", 100*math.Expm1(math.Abs(x)))
	}
	return fmt.Sprintf("%.4g %s", math.Abs(x), unitName(c.metric.Unit))
}

// signed words a delta.
func (c *column) signed(x float64) string {
	if c.scale == LogScale {
		return fmt.Sprintf("%+.3g %%", 100*math.Expm1(x))
	}
	return fmt.Sprintf("%+.4g %s", x, unitName(c.metric.Unit))
}

// share words a share of a whole.
func share(x float64) string { return fmt.Sprintf("%.3g %%", 100*x) }

func unitName(u Unit) string {
	switch u {
	case Count:
		return "counts"
	case Ratio:
		return ""
	case Percent:
		return "(share)"
	}
	return string(u)
}
