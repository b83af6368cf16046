package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/montanaflynn/stats"
)

// mixed is a table with a time, a tied count, a count with zeros, an absent
// metric and one with values missing here and there.
func mixed(rng *rand.Rand, n, variants int, effect float64) *Table {
	y := noise(rng, n*variants, 0.02)
	t := simTable(rng, [][]float64{y, y, y, y, y}, variants)
	for i, r := range t.Runs {
		t.Values[0][i] *= 1e6 * (1 + effect*float64(r.Variant))
		t.Values[1][i] = float64(50 + rng.IntN(4) + int(r.Variant)%2)
		t.Values[2][i] = float64(rng.IntN(3))
		t.Values[3][i] = math.NaN()
		t.Values[4][i] *= 1e9
		if rng.IntN(6) == 0 {
			t.Values[4][i] = math.NaN()
		}
	}
	t.Metrics[1] = Metric{Name: "faults", Resolution: 1, Integer: true}
	t.Metrics[2] = Metric{Name: "migrations", Resolution: 1, Integer: true}
	t.Metrics[3].Absent = "<not supported>"
	return t
}

// nearly lets sums that were added in another order differ.
var nearly = cmp.Options{cmpopts.EquateApprox(1e-9, 1e-12), cmpopts.EquateNaNs()}

// TestSwap: B against A is the mirror image of A against B.
func TestSwap(t *testing.T) {
	rng := newRand(t, 20)
	mirror := map[Verdict]Verdict{More: Less, Less: More, MoreThan: LessThan, LessThan: MoreThan}
	for trial := range 60 {
		tab := mixed(rng, 5+rng.IntN(16), 2, 0.03*float64(trial%3-1))
		if trial%2 == 1 {
			separate(tab, 3)
		}
		o := DefaultOptions
		o.Thresholds = map[string]Threshold{"m0": {Amount: 0.02}, "migrations": {Amount: 1, Absolute: true}}
		back := *tab
		back.Runs = slices.Clone(tab.Runs)
		for i := range back.Runs {
			back.Runs[i].Variant = 1 - back.Runs[i].Variant
		}
		x, y := mustCompare(tab, o), mustCompare(&back, o)
		for k := range x.Metrics {
			d, e := x.Metrics[k].Deltas[0], y.Metrics[k].Deltas[0]
			e.Estimate, e.Lo, e.Hi, e.LoOpen, e.HiOpen = -e.Estimate, -e.Hi, -e.Lo, e.HiOpen, e.LoOpen
			e.MeanDiff, e.N, e.NBase = -e.MeanDiff, e.NBase, e.N
			if v, ok := mirror[e.Verdict]; ok {
				e.Verdict = v
			}
			// The resolution is set against the base's median, which is now the
			// other's.
			opts := cmp.Options{nearly, cmpopts.IgnoreFields(Delta{}, "LeastFloor", "Floor", "MoreLo", "MoreHi")}
			if diff := cmp.Diff(d, e, opts); diff != "" {
				t.Fatalf("trial %d, metric %d: %s", trial, k, diff)
			}
		}
	}
}

// separate turns a table in blocks into sessions of one variant each, so many
// boots of each.
func separate(t *Table, boots int32) {
	seen := make([]int32, len(t.Variants))
	for i := range t.Runs {
		r := &t.Runs[i]
		s := r.Variant*boots + seen[r.Variant]%boots
		seen[r.Variant]++
		*r = Run{Variant: r.Variant, Session: s, Boot: s, Block: -1}
	}
}

// TestScaling: a metric in other units gives the same relative delta and
// verdict.
func TestScaling(t *testing.T) {
	rng := newRand(t, 21)
	for range 40 {
		tab := mixed(rng, 20, 2, 0.01)
		big := *tab
		big.Metrics = slices.Clone(tab.Metrics)
		big.Values = slices.Clone(tab.Values)
		const factor = 1 << 20 // a power of two: no value is rounded
		for k := range big.Values {
			big.Values[k] = slices.Clone(tab.Values[k])
			for i := range big.Values[k] {
				big.Values[k][i] *= factor
			}
			big.Metrics[k].Resolution *= factor
		}
		x, y := mustCompare(tab, DefaultOptions), mustCompare(&big, DefaultOptions)
		for k := range x.Metrics {
			d, e := x.Metrics[k].Deltas[0], y.Metrics[k].Deltas[0]
			e.MeanDiff /= factor
			if e.Scale == RawScale {
				for _, p := range []*float64{&e.Estimate, &e.Lo, &e.Hi, &e.Floor, &e.LeastFloor} {
					*p /= factor
				}
			}
			if diff := cmp.Diff(d, e, nearly); diff != "" {
				t.Fatalf("metric %d: %s", k, diff)
			}
		}
	}
}

// TestOrderOfSessions: recordings may be given in any order.
func TestOrderOfSessions(t *testing.T) {
	rng := newRand(t, 22)
	for trial := range 40 {
		tab := mixed(rng, 20, 3, 0.01)
		// Four sessions, of one boot, of two, or of four.
		per := len(tab.Runs) / 4
		for i := range tab.Runs {
			r := &tab.Runs[i]
			r.Session = int32(min(3, i/per))
			r.Boot = r.Session / int32(1<<(trial%3)) * int32(trial%2)
			r.Block %= 3
		}
		other := *tab
		var order []int
		for _, s := range rng.Perm(4) {
			for i, r := range tab.Runs {
				if int(r.Session) == s {
					order = append(order, i)
				}
			}
		}
		other.Runs, other.Values = nil, make([][]float64, len(tab.Values))
		for _, i := range order {
			other.Runs = append(other.Runs, tab.Runs[i])
			for k := range tab.Values {
				other.Values[k] = append(other.Values[k], tab.Values[k][i])
			}
		}
		x, y := mustCompare(tab, DefaultOptions), mustCompare(&other, DefaultOptions)
		// Notes go by run order and may change with it.
		ignore := cmpopts.IgnoreFields(MetricResult{}, "Warnings")
		if diff := cmp.Diff(x, y, nearly, ignore); diff != "" {
			t.Fatalf("trial %d: %s", trial, diff)
		}
	}
}

// TestSame: the same table gives the same comparison, to the last bit, however
// many processors took part.
func TestSame(t *testing.T) {
	tab := mixed(newRand(t, 23), 50, 3, 0.01)
	x := mustCompare(tab, DefaultOptions)
	for range 5 {
		if diff := cmp.Diff(x, mustCompare(tab, DefaultOptions), cmpopts.EquateNaNs()); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestUntouched: Compare, Precise and Explain leave the table as it was.
func TestUntouched(t *testing.T) {
	tab := mixed(newRand(t, 24), 20, 2, 0.01)
	was := *tab
	was.Values = slices.Clone(tab.Values)
	for k := range was.Values {
		was.Values[k] = slices.Clone(tab.Values[k])
	}
	mustCompare(tab, DefaultOptions)
	if _, err := Precise(tab, []Target{{Metric: "m0", Floor: .01}}, DefaultOptions); err != nil {
		t.Fatal(err)
	}
	if _, err := Explain(tab, DefaultOptions, "m4"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&was, tab, cmpopts.EquateNaNs()); diff != "" {
		t.Fatal(diff)
	}
}

// TestIntervalAndFlag: a flagged interval does not hold zero inside, and one
// that is not flagged holds it. Counts with ties, unequal blocks.
func TestIntervalAndFlag(t *testing.T) {
	rng := newRand(t, 25)
	flags := 0
	for range 4000 {
		bs := randomBlocks(rng, 1+rng.IntN(6), 6, 1+rng.IntN(6))
		for i := range bs {
			for j := range bs[i].b {
				bs[i].b[j] += float64(rng.IntN(2))
			}
		}
		f := simNulls.rankSum(bs, 0.05)
		flags += int(one(f.flag))
		if f.flag && f.lo < 0 && f.hi > 0 {
			t.Fatalf("flagged, but %v..%v: %v", f.lo, f.hi, bs)
		}
		if !f.flag && (f.lo > 0 || f.hi < 0) {
			t.Fatalf("not flagged, but %v..%v: %v", f.lo, f.hi, bs)
		}
		if f.flag && (f.up && f.lo < 0 || !f.up && f.hi > 0) {
			t.Fatalf("flagged upwards %v, but %v..%v", f.up, f.lo, f.hi)
		}
	}
	t.Logf("%d flags", flags)
}

// TestVerdicts at the boundaries, one step of float64 to either side.
func TestVerdicts(t *testing.T) {
	const th = 0.01
	below, above := math.Nextafter(th, 0), math.Nextafter(th, 1)
	for _, c := range []struct {
		lo, hi float64
		flag   bool
		th     float64
		want   Verdict
	}{
		{th, 2, true, th, MoreThan},
		{below, 2, true, th, MaybeUnder},
		{above, 2, true, th, MoreThan},
		{-2, -th, true, th, LessThan},
		{-2, -below, true, th, MaybeUnder},
		{-below, below, false, th, SameWithin},
		{-th, below, false, th, Undecided},
		{-below, th, false, th, Undecided},
		{0.001, below, true, th, SameWithin},
		{0.001, th, true, th, MaybeUnder},
		{-2, 2, false, th, Undecided},
		{-2, 2, false, math.NaN(), NotDifferent},
		{0.1, 2, true, math.NaN(), More},
		{-2, -0.1, true, math.NaN(), Less},
		{math.Inf(-1), math.Inf(1), false, math.NaN(), Undecided},
		{math.Inf(-1), math.Inf(1), false, th, Undecided},
	} {
		d := Delta{Threshold: c.th, Design: DesignBlocks, Level: 0.05}
		d.judge(finding{est: c.lo/2 + c.hi/2, lo: c.lo, hi: c.hi, flag: c.flag, up: c.lo >= 0, spread: (c.hi - c.lo) / 2, na: 20, nb: 20})
		if d.Verdict != c.want {
			t.Errorf("%v..%v about %v is %q, want %q", c.lo, c.hi, c.th, d.Verdict, c.want)
		}
	}
}

// TestForecastFormulas of docs/statistics.md.
func TestForecastFormulas(t *testing.T) {
	d := Delta{Threshold: 0.01, Floor: 0.02, Estimate: 0.004, Lo: -.016, Hi: .024, N: 20, NBase: 20, Design: DesignBlocks, Verdict: Undecided, Level: 0.05}
	d.forecast()
	// 20 (0.02/0.005)^2 = 320; 20 (0.02/0.006)^2 = 222.2
	if d.MoreLo != 225 || d.MoreHi != 320 {
		t.Errorf("forecast %d to %d, want 225 to 320", d.MoreLo, d.MoreHi)
	}
	d = Delta{Threshold: math.NaN(), Floor: 0.02, Estimate: 0.01, Lo: -.01, Hi: .03, N: 20, NBase: 20, Design: DesignBlocks, Verdict: NotDifferent, Level: 0.05}
	d.forecast()
	// 20 (1.4 0.02/0.01)^2 = 156.8
	if d.MoreLo != 160 || d.MoreHi != 160 {
		t.Errorf("forecast %d to %d, want 160", d.MoreLo, d.MoreHi)
	}
	for _, c := range []struct {
		runs int
		want float64
	}{{3, math.Inf(1)}, {5, .04}, {20, .02}, {80, .01}} {
		if got := DetectableWith(d, c.runs)[0]; math.Abs(got.Half-c.want) > 1e-12 && got.Half != c.want {
			t.Errorf("with %d runs the floor is %v, want %v", c.runs, got.Half, c.want)
		}
	}
	d.LeastFloor = 0.015
	if got := DetectableWith(d, 80)[0].Half; got != 0.015 {
		t.Errorf("the floor falls below the resolution: %v", got)
	}
}

// TestPooledT by hand: three boots of 1, 2, 3 and three of 4, 5, 6 (one run
// each): D = 3, s = 1, t = 3/sqrt(2/3) = 3.674 with 4 degrees of freedom.
func TestPooledT(t *testing.T) {
	runs := func(x ...float64) (out [][]float64) {
		for _, v := range x {
			out = append(out, []float64{v})
		}
		return out
	}
	f := bootT(runs(1, 2, 3), runs(4, 5, 6), 0.05)
	half := 2.7764451052 * math.Sqrt(2.0/3) // t(4, 0.975), from tables
	if math.Abs(f.est-3) > 1e-12 || math.Abs(f.p-0.0213116) > 1e-6 || math.Abs(f.hi-3-half) > 1e-8 || !f.flag {
		t.Errorf("%+v, want p 0.0213116 and 3 +- %v", f, half)
	}
	for _, k := range [][2]int{{1, 1}, {2, 2}, {2, 3}, {1, 4}} {
		f := bootT(runs(1, 1.1, 1.2, 1.3)[:k[0]], runs(9, 9.1, 9.2, 9.3)[:k[1]], 0.05)
		if f.flag || !math.IsInf(f.spread, 1) {
			t.Errorf("%d and %d boots are judged", k[0], k[1])
		}
	}
	for _, k := range [][2]int{{3, 3}, {1, 5}, {5, 1}, {2, 5}} {
		f := bootT(runs(1, 1.1, 1.2, 1.3, 1.1)[:k[0]], runs(9, 9.1, 9.2, 9.3, 9.1)[:k[1]], 0.05)
		if !f.flag {
			t.Errorf("%d and %d boots are not judged: %+v", k[0], k[1], f)
		}
	}
}

func TestDesigns(t *testing.T) {
	rng := newRand(t, 26)
	base := func() *Table { return mixed(rng, 20, 2, 0.2) }
	boots := func(k int32) *Table {
		tab := base()
		separate(tab, k)
		return tab
	}
	interleaved := func(j int) *Table {
		tab := base()
		for i := range tab.Runs {
			tab.Runs[i].Session = int32(i * j / len(tab.Runs))
			tab.Runs[i].Boot = tab.Runs[i].Session
		}
		return tab
	}
	oneBoot := boots(3)
	for i := range oneBoot.Runs {
		oneBoot.Runs[i].Boot = 0
	}
	for _, c := range []struct {
		name    string
		tab     *Table
		design  Design
		verdict Verdict
	}{
		{"blocks", base(), DesignBlocks, More},
		{"one boot each", boots(1), DesignBoots, Undecided},
		{"three boots each", boots(3), DesignBoots, More},
		{"three sessions each of one boot", oneBoot, DesignSessions, More},
		{"blocks in two boots", interleaved(2), DesignBlocksInBoot, Undecided},
		{"blocks in four boots", interleaved(4), DesignBlocksInBoot, More},
	} {
		got := mustCompare(c.tab, DefaultOptions)
		d := got.Metrics[0].Deltas[0]
		if got.Design != c.design || d.Design != c.design || d.Verdict != c.verdict {
			t.Errorf("%s: %q, %q (%+v), want %q, %q", c.name, got.Design, d.Verdict, d, c.design, c.verdict)
		}
		if d.Verdict == Undecided && (d.MoreLo < 2 || !warned(got, WarnFewRuns)) {
			t.Errorf("%s: undecided without saying what is missing: %+v", c.name, d)
		}
		if one := c.design == DesignBlocks || c.design == DesignSessions; warned(got, WarnOneBoot) != one {
			t.Errorf("%s: says one boot: %v", c.name, !one)
		}
		for _, m := range []string{"m0", "faults", "migrations", "m3", "m4"} {
			es, err := Explain(c.tab, DefaultOptions, m)
			if err != nil || len(es) != 1 || len(es[0].Steps) < 2 || !strings.Contains(es[0].Steps[len(es[0].Steps)-1].Text+es[0].Steps[len(es[0].Steps)-2].Text, string(es[0].Delta.Verdict)) {
				t.Errorf("%s: the account of %s: %v %v", c.name, m, es, err)
			}
		}
		if got.Metrics[3].Deltas[0].Verdict != NotCompared {
			t.Errorf("%s: an absent metric is %q", c.name, got.Metrics[3].Deltas[0].Verdict)
		}
	}
}

func TestExactMetrics(t *testing.T) {
	rng := newRand(t, 27)
	tab := mixed(rng, 5, 2, 0)
	tab.Metrics, tab.Values = tab.Metrics[:3], tab.Values[:3]
	for k := range tab.Metrics {
		tab.Metrics[k].Exact = true
		for i := range tab.Values[k] {
			tab.Values[k][i] = 1000 + float64(k)*float64(tab.Runs[i].Variant)
		}
	}
	got := mustCompare(tab, DefaultOptions)
	if got.Design != DesignExact || got.Family != 0 {
		t.Errorf("design %q, family %d", got.Design, got.Family)
	}
	for k, want := range []Verdict{Identical, More, More} {
		d := got.Metrics[k].Deltas[0]
		if d.Verdict != want || d.Flag != (k > 0) || d.Floor != 0 || math.Abs(d.Estimate-math.Log1p(float64(k)/1000)) > 1e-12 {
			t.Errorf("metric %d: %+v", k, d)
		}
	}
	// One that varies is no longer exact, and is counted in the family.
	tab.Values[2][3]++
	got = mustCompare(tab, DefaultOptions)
	if got.Family != 1 || !warned(got, WarnNotExact) || got.Metrics[2].Deltas[0].Design != DesignBlocks {
		t.Errorf("family %d, %+v", got.Family, got.Metrics[2])
	}
}

func TestLevels(t *testing.T) {
	tab := mixed(newRand(t, 28), 20, 3, 0)
	c := mustCompare(tab, DefaultOptions)
	if c.Family != 8 || c.Level != 0.05/8 || c.Metrics[0].Deltas[1].Level != 0.05/8 {
		t.Errorf("family %d at %v", c.Family, c.Level)
	}
	c = mustCompare(tab, Options{Alpha: 0.05, Primary: "m0"})
	if c.Family != 6 || c.Metrics[0].Deltas[0].Level != 0.025 || c.Metrics[1].Deltas[0].Level != 0.05/6 {
		t.Errorf("family %d, primary at %v, others at %v", c.Family, c.Metrics[0].Deltas[0].Level, c.Metrics[1].Deltas[0].Level)
	}
	c = mustCompare(tab, Options{Alpha: 0.05, Metrics: []string{"m4", "m0"}})
	if c.Family != 4 || len(c.Metrics) != 2 || c.Metrics[0].Metric.Name != "m4" {
		t.Errorf("family %d", c.Family)
	}
}

func TestErrors(t *testing.T) {
	rng := newRand(t, 29)
	good := func() *Table { return mixed(rng, 5, 2, 0) }
	for _, c := range []struct {
		name string
		edit func(*Table, *Options)
		want string
	}{
		{"alpha", func(_ *Table, o *Options) { o.Alpha = 1 }, "alpha is 1"},
		{"alpha NaN", func(_ *Table, o *Options) { o.Alpha = math.NaN() }, "alpha is NaN"},
		{"metric", func(_ *Table, o *Options) { o.Metrics = []string{"x"} }, `metric "x" is not in the recording`},
		{"twice", func(_ *Table, o *Options) { o.Metrics = []string{"m0", "m0"} }, "asked for twice"},
		{"primary", func(_ *Table, o *Options) { o.Primary = "x" }, `primary metric "x"`},
		{"primary left out", func(_ *Table, o *Options) { o.Primary, o.Metrics = "m0", []string{"m4"} }, `primary metric "m0"`},
		{"threshold", func(_ *Table, o *Options) { o.Thresholds = map[string]Threshold{"m0": {}} }, "must be above 0"},
		{"threshold for", func(_ *Table, o *Options) { o.Thresholds = map[string]Threshold{"x": {Amount: 1}} }, `threshold for "x"`},
		{"one variant", func(t *Table, _ *Options) { t.Variants = t.Variants[:1] }, "two variants"},
		{"columns", func(t *Table, _ *Options) { t.Values = t.Values[:2] }, "5 metrics but 2 columns"},
		{"rows", func(t *Table, _ *Options) { t.Values[1] = t.Values[1][:2] }, `"faults" has 2 values for 10 runs`},
		{"variant", func(t *Table, _ *Options) { t.Runs[3].Variant = 2 }, "run 3 is of variant 2"},
		{"infinite", func(t *Table, _ *Options) { t.Values[0][4] = math.Inf(1) }, `"m0" is infinite in run 4`},
		{"same name", func(t *Table, _ *Options) { t.Metrics[1].Name = "m0" }, `two metrics "m0"`},
	} {
		tab, o := good(), DefaultOptions
		c.edit(tab, &o)
		if _, err := Compare(tab, o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := Precise(good(), []Target{{Metric: "m0"}}, DefaultOptions); err == nil {
		t.Error("a floor of zero is accepted")
	}
	if _, err := Compare(nil, DefaultOptions); err == nil {
		t.Error("no table is accepted")
	}
}

// TestPrecise follows a session that grows to its targets.
func TestPrecise(t *testing.T) {
	tab := mixed(newRand(t, 30), 200, 2, 0)
	upTo := func(n int) *Table {
		cut := *tab
		cut.Runs = tab.Runs[:2*n]
		cut.Values = make([][]float64, len(tab.Values))
		for k := range cut.Values {
			cut.Values[k] = tab.Values[k][:2*n]
		}
		return &cut
	}
	last := math.Inf(1)
	for n := NextLook(0); n < 200; n = NextLook(n) {
		p, err := Precise(upTo(n), []Target{{Metric: "m0", Floor: 0.008}}, DefaultOptions)
		if err != nil {
			t.Fatal(err)
		}
		f := p.Floors[0]
		if want := mustCompare(upTo(n), DefaultOptions).Metrics[0].Deltas[0].Floor; f.Floor != want {
			t.Fatalf("n=%d: floor %v, the comparison says %v", n, f.Floor, want)
		}
		if p.Done != (f.Floor <= f.Target) || p.Done != (p.Worst() == nil) {
			t.Fatalf("n=%d: done %v at %v", n, p.Done, f.Floor)
		}
		if !p.Done && f.Runs <= n {
			t.Fatalf("n=%d: %d runs will do", n, f.Runs)
		}
		if p.Done {
			last = f.Floor
			break
		}
	}
	if math.IsInf(last, 1) {
		t.Error("the target was never reached")
	}
	// One count of 50 is 2 %.
	p, err := Precise(tab, []Target{{Metric: "faults", Floor: 0.001}, {Metric: "m3", Floor: 0.1}}, DefaultOptions)
	if err != nil || p.Done || !p.Floors[0].OutOfReach || !p.Floors[1].OutOfReach {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestSummary against the descriptive statistics of a library, and by hand.
func TestSummary(t *testing.T) {
	rng := newRand(t, 31)
	x := make([]float64, 101)
	for i := range x {
		x[i] = rng.ExpFloat64()
	}
	slices.Sort(x)
	s := summarize(x)
	med, _ := stats.Median(x)
	avg, _ := stats.Mean(x)
	sd, _ := stats.StandardDeviationSample(x)
	mad, _ := stats.MedianAbsoluteDeviation(x)
	for _, c := range [][2]float64{{s.Median, med}, {s.Mean, avg}, {s.StdDev, sd}, {s.MAD, mad}, {s.Min, x[0]}, {s.Max, x[100]}} {
		if math.Abs(c[0]-c[1]) > 1e-12 {
			t.Errorf("%v, want %v: %+v", c[0], c[1], s)
		}
	}
	if s := summarize([]float64{1, 2, 3, 4, 100}); s.Outliers != 1 {
		t.Errorf("%+v", s)
	}
	if s := summarize(nil); s.N != 0 || !math.IsNaN(s.Median) {
		t.Errorf("%+v", s)
	}
	if s := summarize([]float64{7}); s.N != 1 || s.Median != 7 || !math.IsNaN(s.StdDev) {
		t.Errorf("%+v", s)
	}
}

// TestLeftOut: values that are absent leave their block unequal, and a block
// without any of one side is dropped.
func TestLeftOut(t *testing.T) {
	rng := newRand(t, 32)
	tab := mixed(rng, 10, 2, 0.5)
	for i, r := range tab.Runs {
		if r.Block == 1 && r.Variant == 0 {
			tab.Values[0][i] = math.NaN()
		}
	}
	d := mustCompare(tab, Options{Alpha: 0.05, Metrics: []string{"m0"}}).Metrics[0].Deltas[0]
	if d.Blocks != 1 || d.N != 5 || d.NBase != 5 || d.Verdict != More {
		t.Errorf("%+v", d)
	}
}

// TestNoneImprobable: all counts zero but one. No order of the labels is
// improbable, but the difference is known to be small all the same.
func TestNoneImprobable(t *testing.T) {
	tab := mixed(newRand(t, 33), 20, 2, 0)
	for i := range tab.Runs {
		tab.Values[2][i] = one(i == 7)
	}
	d := mustCompare(tab, DefaultOptions).Metrics[2].Deltas[0]
	if d.Verdict != NotDifferent || d.Floor != 1 || d.Lo != 0 || d.Hi != 0 || d.P != 1 {
		t.Errorf("%+v", d)
	}
}

// TestThreeVariants: with three and four variants in blocks of five each, the
// family-wise rate over all against the base holds, with runs failing too.
func TestCalibrationVariants(t *testing.T) {
	const full = 4000
	trials := effort(full)
	md := mdTable{head: []string{"variants", "noise", "runs that fail (base, others)", "anything flagged, A/A", "last at the 80 % effect"}}
	for _, variants := range []int{2, 3, 4} {
		for _, name := range []string{"normal 2 %", "AR .9", "drift 5 %", "bursts"} {
			for _, fail := range [][2]float64{{0, 0}, {.1, .1}, {.02, .3}} {
				g := generatorNamed(name)
				const n = 20
				cell := fmt.Sprintf("%d variants, %s, failing %v", variants, name, fail)
				sums := tally(cell, trials, 2, func(rng *rand.Rand, s []float64) {
					tab := simTable(rng, [][]float64{g.series(rng, n*variants)}, variants)
					for i, r := range tab.Runs {
						if rng.Float64() < fail[min(1, r.Variant)] {
							tab.Values[0][i] = math.NaN()
						}
					}
					flagged := false
					for _, d := range mustCompare(tab, DefaultOptions).Metrics[0].Deltas {
						flagged = flagged || d.Flag
					}
					s[0] += one(flagged)
					for i, r := range tab.Runs {
						if int(r.Variant) == variants-1 {
							tab.Values[0][i] *= math.Exp(g.effect(n))
						}
					}
					ds := mustCompare(tab, DefaultOptions).Metrics[0].Deltas
					s[1] += one(ds[len(ds)-1].Flag)
				})
				atMost(t, cell, sums[0], trials, full, 0.057)
				md.row(variants, name, fmt.Sprintf("%.0f %%, %.0f %%", 100*fail[0], 100*fail[1]), 100*sums[0]/float64(trials), 100*sums[1]/float64(trials))
			}
		}
	}
	md.print(t, fmt.Sprintf("Several variants and failing runs, n=20, family-wise, %% of %d:", trials))
}
