package report

import (
	"math"
	"strconv"
	"strings"

	"microcost/compare"
)

// A scale turns values in a base unit into what people read. One scale serves
// a whole row, so that its numbers can be compared by eye.
type scale struct {
	div    float64
	suffix string // with its leading space, if any
	places int    // decimals at most
}

var (
	timeScales  = []scale{{1e9, " s", 4}, {1e6, " ms", 4}, {1e3, " µs", 4}, {1, " ns", 1}}
	byteScales  = []scale{{1 << 30, " GiB", 4}, {1 << 20, " MiB", 4}, {1 << 10, " KiB", 4}, {1, " B", 1}}
	countScales = []scale{{1e12, " T", 4}, {1e9, " G", 4}, {1e6, " M", 4}, {1e3, " K", 4}, {1, "", 1}}
	rateScales  = []scale{{1e9, " G/s", 4}, {1e6, " M/s", 4}, {1e3, " K/s", 4}, {1, " /s", 2}}
)

// scaleFor picks the row's scale by the largest of its values.
func scaleFor(m compare.Metric, wide bool, values ...float64) scale {
	top := 0.0
	for _, v := range values {
		if a := math.Abs(v); a > top && !math.IsInf(a, 0) {
			top = a
		}
	}
	switch m.Unit {
	case compare.Nanoseconds:
		return pick(timeScales, top)
	case compare.Bytes:
		return pick(byteScales, top)
	case compare.Joules:
		return scale{1, " J", 4}
	case compare.Percent:
		return scale{0.01, " %", 4}
	case compare.Ratio:
		return scale{1, "", 3}
	}
	if m.Derived && top < 1e6 {
		return scale{1, "", 4} // per operation: 2.0003 switches are not 2.0
	}
	if wide || top < 1e6 {
		return scale{1, "", 1} // all digits: deltas of 0.01 % are read off them
	}
	return pick(countScales, top)
}

func pick(list []scale, top float64) scale {
	for _, s := range list {
		if top >= s.div {
			return s
		}
	}
	return list[len(list)-1]
}

// value writes v on scale s with about five digits, whole counts with all of
// theirs and thousands separated.
func (s scale) value(v float64) string {
	switch {
	case math.IsNaN(v):
		return "?"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	x := v / s.div
	if x == 0 {
		return "0" + s.suffix
	}
	if s.div == 1 && x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return group(strconv.FormatFloat(x, 'f', 0, 64)) + s.suffix
	}
	decimals := 4
	for a := math.Abs(x); a >= 10 && decimals > 0; a /= 10 {
		decimals--
	}
	if s.places == 1 && math.Abs(x) < 1e6 {
		decimals = 1 // the median of whole numbers may lie between two of them
	}
	decimals = min(decimals, s.places)
	return group(strconv.FormatFloat(x, 'f', decimals, 64)) + s.suffix
}

// group separates thousands of the whole part by commas, as perf stat does.
func group(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, frac, found := strings.Cut(s, ".")
	if found {
		frac = "." + frac
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return sign + whole + frac
}

// percentDecimals is how many decimals a percentage needs so that its
// uncertainty shows two digits.
func percentDecimals(uncertainty float64) int {
	if !(uncertainty > 0) || math.IsInf(uncertainty, 0) {
		return 2
	}
	return min(6, max(0, 1-int(math.Floor(math.Log10(uncertainty)))))
}

// signed writes a number with its sign; a rounded zero has none.
func signed(x float64, decimals int) string {
	switch {
	case math.IsNaN(x):
		return "?"
	case math.IsInf(x, 1):
		return "+inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	if x > 0 {
		s = "+" + s
	}
	return group1000(s)
}

// group1000 separates thousands behind a sign.
func group1000(s string) string {
	if strings.HasPrefix(s, "+") {
		return "+" + group(s[1:])
	}
	return group(s)
}
