package compare

import (
	"fmt"
	"math"
	"strings"
)

// An Explanation is how one delta's verdict came about, step by step.
type Explanation struct {
	Metric  Metric
	Variant int
	Delta   Delta
	Steps   []Step
}

// A Step is one line of an Explanation.
type Step struct {
	Name string // "values", "ranks", "p", ...
	Text string // a sentence with the numbers
}

// Explain gives the account of one metric, for every variant against the base.
// It is an error if the table has no such metric.
func Explain(t *Table, o Options, metric string) ([]Explanation, error) {
	s, err := newStudy(t, o)
	if err != nil {
		return nil, err
	}
	i := t.metric(metric)
	if i < 0 {
		return nil, fmt.Errorf("metric %q is not in the recording", metric)
	}
	col := s.column(i)
	var out []Explanation
	for v := 1; v < len(t.Variants); v++ {
		a := &account{column: col, e: Explanation{Metric: *col.metric, Variant: v, Delta: col.delta(v)}}
		a.tell()
		out = append(out, a.e)
	}
	return out, nil
}

// An account is an Explanation being written.
type account struct {
	*column
	e Explanation
}

func (a *account) step(name, format string, args ...any) {
	a.e.Steps = append(a.e.Steps, Step{name, fmt.Sprintf(format, args...)})
}

func (a *account) tell() {
	d := &a.e.Delta
	base, other := a.t.Variants[0], a.t.Variants[d.Variant]
	a.step("design", "%s, %s against %s", d.Design, other, base)
	if d.Verdict == NotCompared {
		a.step("verdict", "not compared: there are no values of both variants to set against each other %s", a.metric.Absent)
		return
	}
	if a.scale == LogScale {
		a.step("scale", "every value is above zero, so ratios are compared: ln x is used, and a difference of logarithms is printed as a percentage")
	} else {
		a.step("scale", "some value is zero, so there are no ratios: differences are compared, in %s", orCounts(a.metric.Unit))
	}
	if a.t.Pooled != nil {
		a.step("pooled", "%s", a.t.Pooled)
	}
	a.levels(d)
	switch d.Design {
	case DesignExact:
		a.step("values", "%v of %s and %v of %s, without noise: any difference is one", a.of(a.raw, 0)[0], base, a.of(a.raw, d.Variant)[0], other)
	case DesignBlocks:
		a.ranks(d)
	case DesignBlocksInBoot:
		a.bootDeltas(d)
	default:
		a.boots(d)
	}
	a.verdict(d)
}

func (a *account) levels(d *Delta) {
	switch {
	case d.Design == DesignExact:
	case a.metric.Name == a.o.Primary:
		a.step("level", "the metric was named as the primary one, and is judged at alpha = %.3g by itself%s", a.o.Alpha, perVariant(a.judged(a.index), d.Level))
	default:
		a.step("level", "alpha = %.3g is shared by %d comparisons: each is judged at %.3g / %d = %.4g (Bonferroni)", a.o.Alpha, a.family, a.o.Alpha, a.family, d.Level)
	}
}

func perVariant(n int, level float64) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(", shared by its %d variants: %.4g", n, level)
}

// maxShown bounds the blocks, and the values, that are written out.
const maxShown = 12

// ranks accounts for the blocked rank-sum.
func (a *account) ranks(d *Delta) {
	bs := a.layout.blocks(a.raw, d.Variant)
	for i, b := range bs {
		if i == maxShown {
			a.step("values", "... and %d blocks more", len(bs)-i)
			break
		}
		u := (&sorter{}).rank(b)
		a.step("values", "block %d: %s: %s; %s: %s; U2 = %d of %d", i, a.t.Variants[0], list(b.a), a.t.Variants[d.Variant], list(b.b), u, 2*len(b.a)*len(b.b))
	}
	f := a.nulls.rankSum(a.layout.blocks(a.y, d.Variant), a.level)
	a.step("ranks", "U2 = %d of %d over %d blocks: 2 for every pair within a block with %s above, 1 for equals; half of them, %d, would be no difference",
		f.u2, f.total, len(bs), a.t.Variants[d.Variant], f.total/2)
	side := "so small"
	if f.up {
		side = "so large"
	}
	a.step("p", "had the variants been the same, every order within a block would have been equally likely, and a U2 %s would come up in %.4g of them; both sides: p = %.4g", side, f.p/2, f.p)
	a.step("estimate", "the median of all %d differences within blocks is %s", f.pairs, a.signed(f.est))
	if math.IsInf(f.spread, 1) {
		a.step("interval", "none: at the level %.4g even the most extreme order would not count; %d runs of each variant are needed", a.level, fewest(a.level))
		return
	}
	a.step("interval", "leaving out the %d smallest and the %d largest differences gives %s to %s (%.4g %% confidence)", f.k[0], f.k[1], a.end(d.Lo, d.LoOpen), a.end(d.Hi, d.HiOpen), 100*(1-a.level))
	a.floor(d)
}

func (a *account) end(x float64, open bool) string {
	if open {
		return "0 (excluded)"
	}
	return a.signed(x)
}

// boots accounts for one value per boot.
func (a *account) boots(d *Delta) {
	what := "boot"
	if d.Design == DesignSessions {
		what = "session"
	}
	for _, v := range []int{0, d.Variant} {
		y, w := bootValues(a.units(v, d.Variant))
		for i := range y {
			if i == maxShown {
				a.step("values", "... and %d %ss more", len(y)-i, what)
				break
			}
			x := y[i]
			if a.scale == LogScale {
				x = math.Exp(x)
			}
			a.step("values", "%s, %s %d: the median of the pairwise averages of its runs is %.6g, give or take %s", a.t.Variants[v], what, i, x, a.amount(1.96*math.Sqrt(w[i])))
		}
	}
	a.step("estimate", "the means over %ss differ by %s", what, a.signed(d.Estimate))
	a.student(d, d.N+d.NBase-2, what)
}

// bootDeltas accounts for one delta per boot.
func (a *account) bootDeltas(d *Delta) {
	for i, bs := range byBoot(a.layout.blocks(a.y, d.Variant)) {
		if i == maxShown {
			a.step("values", "... and %d boots more", d.N-i)
			break
		}
		f := a.nulls.rankSum(bs, a.level)
		a.step("values", "boot %d: %s from %d blocks", i, a.signed(f.est), f.units)
	}
	a.step("estimate", "the mean of the deltas of %d boots is %s", d.N, a.signed(d.Estimate))
	a.student(d, d.N-1, "boot")
}

func (a *account) student(d *Delta, df int, what string) {
	if math.IsInf(d.Floor, 1) {
		a.step("interval", "none: %d and %d %ss are too few to know how much %ss differ", d.NBase, d.N, what, what)
		return
	}
	a.step("spread", "from %s to %s the values differ by %s (standard deviation, without the noise inside them), and the noise inside explains %s", what, what, a.amount(d.Between), a.amount(d.Within))
	a.step("p", "Student's t with %d degrees of freedom: p = %.4g", df, d.P)
	a.step("interval", "the estimate +- t(%d, 1 - %.4g/2) = %.4g standard errors: %s to %s", df, a.level, studentQuantile(df, a.level), a.signed(d.Lo), a.signed(d.Hi))
	a.floor(d)
}

func (a *account) floor(d *Delta) {
	if half := (d.Hi - d.Lo) / 2; half < d.LeastFloor {
		a.step("floor", "half the width of the interval, %s, is below one step of the metric: the floor is that step, %s", a.amount(half), a.amount(d.Floor))
		return
	}
	a.step("floor", "half the width of the interval: %s; a real delta of that size would be flagged half the time, one of %s four times in five", a.amount(d.Floor), a.amount(1.4*d.Floor))
}

func (a *account) verdict(d *Delta) {
	if !math.IsNaN(d.Threshold) {
		a.step("threshold", "the smallest delta that matters is %s", a.amount(d.Threshold))
	}
	a.step("verdict", "%s%s", d.Verdict, a.because(d))
	unit := "runs"
	if d.Design == DesignBoots || d.Design == DesignBlocksInBoot {
		unit = "boots"
	} else if d.Design == DesignSessions {
		unit = "sessions"
	}
	switch {
	case d.MoreHi == 0:
	case math.IsInf(d.Floor, 1):
		a.step("forecast", "%d %s of each variant are the fewest that allow a verdict", d.MoreLo, unit)
	case d.Verdict == NotDifferent:
		a.step("forecast", "a delta of the size seen would be told from zero with about %d %s of each variant in all: n (1.4 floor / delta)^2", d.MoreLo, unit)
	default:
		a.step("forecast", "about %d to %d %s of each variant in all would settle it: the floor falls with the root of their number, and at half the threshold there is always a verdict", d.MoreLo, d.MoreHi, unit)
	}
}

// because gives the rule that led to the verdict.
func (a *account) because(d *Delta) string {
	switch d.Verdict {
	case Identical:
		return ": every value of both variants is the same number"
	case More, Less:
		if d.Design == DesignExact {
			return ""
		}
		return fmt.Sprintf(": p = %.4g is at most %.4g", d.P, d.Level)
	case NotDifferent:
		if d.Design == DesignExact {
			return ""
		}
		return fmt.Sprintf(": p = %.4g is above %.4g; deltas above %s would probably have been seen", d.P, d.Level, a.amount(d.Floor))
	case MoreThan, LessThan:
		return ": the whole interval lies beyond the threshold"
	case SameWithin:
		return ": the whole interval lies within the threshold on both sides"
	case MaybeUnder:
		return ": zero is excluded, but the interval reaches to both sides of the threshold"
	}
	if math.IsInf(d.Floor, 1) {
		return ": there is no interval"
	}
	return ": the interval holds both zero and the threshold"
}

// list writes values, the first few of many.
func list(x []float64) string {
	var b strings.Builder
	for i, v := range x {
		if i == maxShown {
			fmt.Fprintf(&b, " ... (%d)", len(x))
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%.10g", v)
	}
	return b.String()
}

func orCounts(u Unit) string {
	if name := unitName(u); name != "" {
		return name
	}
	return "the metric's unit"
}
