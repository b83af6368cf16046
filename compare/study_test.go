package compare

import (
	"math"
	"strings"
	"testing"
)

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
	unknown := boots(3)
	unknown.BootUnknown = true
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
		{"three sessions each of boots unknown", unknown, DesignSessions, More},
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
