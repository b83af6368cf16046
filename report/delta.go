package report

import (
	"math"
	"strconv"
	"strings"

	"microcost/compare"
)

// deltaText is one delta in words and numbers.
type deltaText struct {
	estimate string // "+1.24 %", or "~" where no difference was seen
	interval string // "[+1.22, +1.26] %"
	bare     string // "[1.22, 1.26]": the sign and the unit stand before it
	floor    string // "0.02 %"
	size     string // the estimate, also where no difference was seen
}

// percent turns a delta on the log scale into per cent.
func percent(x float64) float64 { return 100 * math.Expm1(x) }

// nearest0 is the bound of the interval that is nearer to zero, 0 when the
// interval holds it.
func nearest0(d compare.Delta) float64 {
	switch {
	case d.Lo > 0:
		return d.Lo
	case d.Hi < 0:
		return d.Hi
	}
	return 0
}

// textOf writes a delta. Percentages where the delta is relative, the metric's
// unit where it is not.
func textOf(m compare.Metric, d compare.Delta) deltaText {
	if d.Verdict == compare.NotCompared || math.IsNaN(d.Estimate) {
		return deltaText{estimate: "?", interval: "?", bare: "?", floor: "?", size: "?"}
	}
	unit := " %"
	conv := percent
	decimals := percentDecimals(percent(d.Floor))
	if d.Scale == compare.RawScale {
		s := scaleFor(m, true, d.Estimate, d.Floor)
		unit = s.suffix
		conv = func(x float64) float64 { return x / s.div }
		decimals = percentDecimals(d.Floor / s.div)
	}
	if (d.Floor == 0 || math.IsInf(d.Floor, 1)) && d.Scale == compare.LogScale {
		decimals = percentDecimals(math.Abs(percent(d.Estimate)) / 10)
	}
	// A whole number of things has no decimals unless the estimate does.
	if d.Scale == compare.RawScale && m.Integer && d.Estimate == math.Trunc(d.Estimate) {
		decimals = min(decimals, 1)
		if d.Floor >= 1 && d.Lo == math.Trunc(d.Lo) && d.Hi == math.Trunc(d.Hi) {
			decimals = 0
		}
	}
	// A bound that excludes zero must not be rounded to it.
	for near := nearest0(d); d.Flag && near != 0 && decimals < 6 && strings.Trim(signed(conv(near), decimals), "+-0.") == ""; {
		decimals++
	}
	t := deltaText{}
	num := func(x float64) string {
		if math.IsInf(x, 0) {
			return signed(x, 0)
		}
		return signed(conv(x), decimals)
	}
	t.size = num(d.Estimate) + unit
	t.estimate = t.size
	if !d.Flag {
		t.estimate = "~"
	}
	lo, hi := num(d.Lo), num(d.Hi)
	open, shut := "[", "]"
	if d.LoOpen {
		open = "("
	}
	if d.HiOpen {
		shut = ")"
	}
	t.bare = open + lo + ", " + hi + shut
	t.interval = t.bare + unit
	if d.Lo > 0 && !math.IsInf(d.Hi, 1) {
		t.bare = open + strings.TrimPrefix(lo, "+") + ", " + strings.TrimPrefix(hi, "+") + shut
	}
	if math.IsInf(d.Lo, -1) && math.IsInf(d.Hi, 1) {
		// Nothing can be said of it but its size.
		t.estimate, t.interval = t.size+" ?", "unbounded"
	}
	if d.Verdict == compare.Identical {
		t.estimate, t.size = "identical", "identical"
	}
	switch {
	case math.IsInf(d.Floor, 1):
		t.floor = "inf"
	case d.Scale == compare.LogScale:
		f := percent(d.Floor)
		t.floor = strconv.FormatFloat(f, 'f', percentDecimals(f), 64) + unit
	default:
		f := conv(d.Floor)
		places := percentDecimals(f)
		if f == math.Trunc(f) {
			places = 0
		}
		t.floor = group(strconv.FormatFloat(f, 'f', places, 64)) + unit
	}
	return t
}
