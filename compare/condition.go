package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Condition is what --fail-on asks: that a metric's delta lies beyond a
// bound, in one direction.
type Condition struct {
	Text   string // as written
	Metric string
	Above  bool    // ">": the delta is above the bound; else "<", below it
	Bound  float64 // signed; relative to the base (0.001 is 0.1 %) unless Absolute
	// Absolute: Bound is in the metric's base unit.
	Absolute bool
}

// unitsOf are the units in which an amount of a metric may be given; "" is a
// bare number.
func unitsOf(u Unit) []string {
	switch u {
	case Nanoseconds:
		return []string{"ns", "us", "µs", "ms", "s"}
	case Bytes:
		return []string{"B", "KB", "MB", "GB", "KiB", "MiB", "GiB", ""}
	}
	return []string{"", "K", "M", "G"}
}

// CheckUnit says whether an absolute amount, as it was written, has a unit of
// the metric's kind. A time needs one: nobody means 1 ns by "elapsed>1".
func CheckUnit(m Metric, text string) error {
	text = strings.TrimSpace(text)
	unit := strings.TrimSpace(text[strings.LastIndexAny(text, "0123456789.")+1:])
	if unit == "%" || slices.Contains(unitsOf(m.Unit), unit) {
		return nil
	}
	kinds := strings.Join(slices.DeleteFunc(unitsOf(m.Unit), func(s string) bool { return s == "" }), ", ")
	return fmt.Errorf("an amount of %s is given in %% or in %s, not as %q", m.Name, kinds, text)
}

// amountUnits are the suffixes of an absolute amount, in base units.
var amountUnits = map[string]float64{
	"": 1, "ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9,
	"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
	"K": 1e3, "M": 1e6, "G": 1e9,
}

// ParseAmount reads "0.1%", "+5", "2ms", "4KiB". A percentage is returned as a
// ratio; anything else is absolute, in base units.
func ParseAmount(s string) (amount float64, absolute bool, err error) {
	s = strings.TrimSpace(s)
	end := strings.LastIndexAny(s, "0123456789.") + 1
	num, unit := s[:end], strings.TrimSpace(s[end:])
	amount, err = strconv.ParseFloat(num, 64)
	if err != nil || math.IsNaN(amount) || math.IsInf(amount, 0) || strings.ContainsAny(num, "xXpP_") {
		return 0, false, fmt.Errorf("%q is not an amount", s)
	}
	if unit == "%" {
		return amount / 100, false, nil
	}
	f, ok := amountUnits[unit]
	if !ok {
		return 0, false, fmt.Errorf("unknown unit %q in %q", unit, s)
	}
	return amount * f, true, nil
}

// ParseCondition reads METRIC>AMOUNT or METRIC<AMOUNT; AMOUNT is signed, with
// "%" for relative to the base, or with a unit for absolute.
func ParseCondition(s string) (Condition, error) {
	i := strings.LastIndexAny(s, "<>")
	if i <= 0 {
		return Condition{}, fmt.Errorf("%q has no metric followed by > or <", s)
	}
	c := Condition{Text: s, Metric: strings.TrimSpace(s[:i]), Above: s[i] == '>'}
	var err error
	if c.Bound, c.Absolute, err = ParseAmount(s[i+1:]); err != nil {
		return Condition{}, err
	}
	if c.Metric == "" {
		return Condition{}, fmt.Errorf("%q names no metric", s)
	}
	if !c.Absolute && c.Bound <= -1 {
		return Condition{}, fmt.Errorf("%q: nothing can fall by 100 %% or more", s)
	}
	return c, nil
}

// Holds says whether the whole interval of the delta lies beyond the bound. It
// is false where the interval is unbounded or missing: only what was shown
// counts.
func (c Condition) Holds(m MetricResult, d Delta) bool {
	bound, ok := c.onScale(m, d)
	if !ok || math.IsNaN(d.Lo) || math.IsNaN(d.Hi) {
		return false
	}
	if c.Above {
		return d.Lo > bound || (d.Lo == bound && d.LoOpen)
	}
	return d.Hi < bound || (d.Hi == bound && d.HiOpen)
}

// onScale is the bound on the delta's own scale, by way of the base's median.
func (c Condition) onScale(m MetricResult, d Delta) (float64, bool) {
	base := m.Summaries[0].Median
	switch {
	case c.Absolute && d.Scale == RawScale:
		return c.Bound, true
	case c.Absolute:
		ratio := c.Bound / base
		if !(ratio > -1) { // also NaN
			return 0, false
		}
		return math.Log1p(ratio), true
	case d.Scale == LogScale:
		return math.Log1p(c.Bound), true
	}
	if math.IsNaN(base) {
		return 0, false
	}
	return c.Bound * base, true
}
