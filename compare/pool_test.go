package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"microcost/workload/recording"
)

// pooledTable is what a pool of so many rows makes of runs and one metric.
func pooledTable(rows, variants int, runs []Run, values []float64, rng *rand.Rand) *Table {
	t := &Table{Metrics: []Metric{{Name: "x", Resolution: 1}}, Values: make([][]float64, 1), Share: make([][]float64, 1)}
	for v := range variants {
		t.Variants = append(t.Variants, string(rune('A'+v)))
	}
	p := newPool(t)
	p.rows = rows
	if rng != nil {
		p.rng = rng
	}
	for i, r := range runs {
		p.add(r)
		t.Values[0] = append(t.Values[0], values[i])
		p.describe(0, r.Variant, values[i])
	}
	t.Pooled = p.pooled()
	return t
}

// inBlocks is a session of n runs of each variant in random blocks.
func inBlocks(rng *rand.Rand, n, variants int) []Run {
	var runs []Run
	order, sizes := schedule(rng, n, variants)
	for b, w := range sizes {
		for i := range w * variants {
			runs = append(runs, Run{Variant: int32(order[i]), Block: int32(b), Position: int32(i)})
		}
		order = order[w*variants:]
	}
	return runs
}

// TestCalibrationPooled is target 1 for means of four runs: whatever the noise,
// and also when all of it is the position in the block, which is what runs
// averaged in the order in which they were made would get wrong.
func TestCalibrationPooled(t *testing.T) {
	const full, n = 10000, 80
	trials := effort(full)
	position := generator{name: "position in the block", continuous: true, series: func(rng *rand.Rand, n int) []float64 {
		y := noise(rng, n, .001)
		for i := range y {
			y[i] += .02 * float64(i%10)
		}
		return y
	}}
	for _, g := range append(slices.Clone(generators), position) {
		hits := tally("pooled "+g.name, trials, 1, func(rng *rand.Rand, s []float64) {
			tab := pooledTable(maxRows, 2, inBlocks(rng, n, 2), g.series(rng, 2*n), nil)
			p := pool{t: tab, rng: rng}
			p.halve(0)
			p.halve(0)
			s[0] += one(simNulls.rankSum(newLayout(tab.Runs, 2).blocks(tab.Values[0], 1), 0.05).flag)
		})[0]
		t.Logf("pooled, %s: %.1f %%", g.name, 100*hits/float64(trials))
		atMost(t, "pooled, "+g.name, hits, trials, full, 0.057)
		if g.continuous {
			atLeast(t, "pooled, "+g.name, hits, trials, full, 0.033)
		}
	}
}

// A pool within its bounds leaves a table alone, and one beyond them has rows of
// whole blocks, of as many runs each, that average what was put in.
func TestPoolKeepsWithinItsRows(t *testing.T) {
	rng := newRand(t, 70)
	for _, c := range []struct{ n, variants, rows int }{
		{500, 2, 1000}, {500, 2, 1001}, {505, 2, 1000}, {5001, 2, 2500}, {9000, 3, 9000}, {60_000, 2, 6000},
	} {
		runs := inBlocks(rng, c.n, c.variants)
		values := make([]float64, len(runs))
		sum := 0.0
		for i := range values {
			values[i] = float64(rng.IntN(1000))
			sum += values[i]
		}
		tab := pooledTable(c.rows, c.variants, runs, values, nil)
		name := fmt.Sprintf("%d runs of %d variants in %d rows", c.n, c.variants, c.rows)
		if len(runs) <= c.rows {
			if tab.Pooled != nil || !slices.Equal(tab.Runs, runs) || !slices.Equal(tab.Values[0], values) {
				t.Errorf("%s: the table was changed", name)
			}
			continue
		}
		if got := len(tab.Runs); got > c.rows+15 || got < c.rows/2 || len(tab.Values[0]) != got {
			t.Errorf("%s: the table has %d rows and %d values", name, got, len(tab.Values[0]))
		}
		if tab.Pooled == nil {
			t.Fatalf("%s: not pooled", name)
		}
		made := 0
		for v, n := range tab.RunsMade() {
			made += n
			if m := tab.single(0, v); m.N != c.n || n != c.n {
				t.Errorf("%s: %d runs of variant %d, described are %d", name, n, v, m.N)
			}
		}
		if want := len(blockSizes(c.n)); tab.BlocksMade() != want {
			t.Errorf("%s: made in %d blocks, want %d", name, tab.BlocksMade(), want)
		}
		if want := float64(made) / float64(len(tab.Runs)); math.Abs(float64(tab.Pooled.PerRow)-want) > .5 {
			t.Errorf("%s: a row is said to be %d runs and is %.2f", name, tab.Pooled.PerRow, want)
		}
		l := newLayout(tab.Runs, c.variants)
		fives := 0
		for b := range l.boot {
			all := true
			for v := range c.variants {
				all = all && len(l.cell(b, v)) == 5
			}
			fives += int(one(all))
		}
		if fives < len(l.boot)-2 {
			t.Errorf("%s: %d of %d blocks are of 5 runs of each variant", name, fives, len(l.boot))
		}
		if got, want := mean(tab.Values[0]), sum/float64(len(runs)); math.Abs(got/want-1) > .02 {
			t.Errorf("%s: the mean of the rows is %v, of the runs %v", name, got, want)
		}
	}
}

// What a comparison of means says agrees with that of the single runs.
func TestPooledComparison(t *testing.T) {
	for i, g := range []string{"normal 2 %", "bimodal sticky", "AR .9", "bursts"} {
		for _, effect := range []float64{0, .004} {
			rng := newRand(t, uint64(71+i))
			const n = 20_000
			runs, y := inBlocks(rng, n, 2), generatorNamed(g).series(rng, 2*n)
			for i := range y {
				y[i] = 1e6 * math.Exp(y[i]+effect*float64(runs[i].Variant))
			}
			direct := pooledTable(maxRows, 2, runs, y, nil)
			pooled := pooledTable(n, 2, runs, y, nil)
			a, b := compared(t, direct).Metrics[0], compared(t, pooled).Metrics[0]
			da, db := a.Deltas[0], b.Deltas[0]
			name := fmt.Sprintf("%s, %.1f %%", g, 100*effect)
			// Where nothing differs each is flagged once in twenty times.
			if effect > 0 && (da.Verdict != More || db.Verdict != More) || math.Abs(da.Estimate-db.Estimate) > max(da.Floor, db.Floor) {
				t.Errorf("%s: %s %.5f +- %.5f of single runs, %s %.5f +- %.5f of means", name, da.Verdict, da.Estimate, da.Floor, db.Verdict, db.Estimate, db.Floor)
			}
			if r := db.Floor / da.Floor; r < .5 || r > 1.7 {
				t.Errorf("%s: the floor is %.2f times that of single runs", name, r)
			}
			if da.N != db.N || da.NBase != db.NBase || math.Abs(da.MeanDiff-db.MeanDiff) > 1e-9*1e6 {
				t.Errorf("%s: %d and %d runs, mean difference %v; want %d, %d, %v", name, db.N, db.NBase, db.MeanDiff, da.N, da.NBase, da.MeanDiff)
			}
			for v := range a.Summaries {
				s, w := b.Summaries[v], a.Summaries[v]
				if s.N != w.N || s.Min != w.Min || s.Max != w.Max || math.Abs(s.Mean/w.Mean-1) > 1e-12 || math.Abs(s.StdDev/w.StdDev-1) > 1e-9 {
					t.Errorf("%s: described as %+v, want %+v", name, s, w)
				}
			}
			c := compared(t, pooled)
			if !slices.ContainsFunc(c.Warnings, func(w Warning) bool { return w.Kind == WarnPooled }) {
				t.Errorf("%s: nothing is said of the means", name)
			}
		}
	}
}

func compared(t *testing.T, tab *Table) *Comparison {
	t.Helper()
	c, err := Compare(tab, DefaultOptions)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Runs that alternate between two numbers have equal means, and are not equal; a
// zero among them keeps the metric on its own scale.
func TestPooledValuesKeepTheirNature(t *testing.T) {
	rng := newRand(t, 75)
	runs := inBlocks(rng, 2000, 2)
	value := func(f func(i int) float64) MetricResult {
		x := make([]float64, len(runs))
		for i := range x {
			x[i] = f(i)
		}
		return compared(t, pooledTable(1000, 2, runs, x, nil)).Metrics[0]
	}
	if d := value(func(int) float64 { return 7 }).Deltas[0]; d.Verdict != Identical {
		t.Errorf("all of one value: %s", d.Verdict)
	}
	// In half of the blocks all are 1, in the others 3: means are all 2 at times.
	if d := value(func(i int) float64 { return 1 + 2*float64(runs[i].Block%2) }).Deltas[0]; d.Identical {
		t.Errorf("1 and 3 in turn are called identical")
	}
	if d := value(func(i int) float64 { return float64(i % 2) }).Deltas[0]; d.Scale != RawScale {
		t.Errorf("runs with zeros are on the %s scale", d.Scale)
	}
}

// Whatever the sessions are like, no run gets lost but for what failed runs
// leave without a partner.
func TestPoolOfOddSessions(t *testing.T) {
	rng := newRand(t, 76)
	odd := map[string]func(i int) Run{
		"one variant": func(i int) Run { return Run{Block: -1} },
		"in turn":     func(i int) Run { return Run{Variant: int32(i % 2), Block: -1} },
		"sessions": func(i int) Run {
			return Run{Variant: int32(i / 3000 % 2), Session: int32(i / 3000), Boot: int32(i / 3000), Block: -1}
		},
		"mixed sessions": func(i int) Run {
			return Run{Variant: int32(i % 2), Session: int32(i % 2), Boot: int32(i % 2), Block: -1}
		},
		"lone blocks":     func(i int) Run { return Run{Variant: int32(i / 5 % 2), Block: int32(i / 5)} },
		"many variants":   func(i int) Run { return Run{Variant: int32(i % 40), Block: int32(i / 40)} },
		"a block each":    func(i int) Run { return Run{Variant: int32(i % 2), Session: int32(i / 10), Block: 0} },
		"returning block": func(i int) Run { return Run{Variant: int32(rng.IntN(2)), Block: int32(i / 10 % 7)} },
	}
	for name, f := range odd {
		const n = 30_000
		runs, values := make([]Run, n), make([]float64, n)
		variants := 0
		for i := range runs {
			runs[i], values[i] = f(i), rng.Float64()
			variants = max(variants, int(runs[i].Variant)+1)
		}
		tab := pooledTable(2000, variants, runs, values, nil)
		sum := 0
		for _, k := range tab.RunsMade() {
			sum += k
		}
		if sum != n {
			t.Errorf("%s: %d runs of %d", name, sum, n)
		}
		if name != "a block each" && len(tab.Runs) > 2400 {
			t.Errorf("%s: %d rows", name, len(tab.Runs))
		}
		if got := mean(tab.Values[0]); math.Abs(got-.5) > .02 {
			t.Errorf("%s: the mean of the rows is %v", name, got)
		}
		last := map[int32]int32{}
		for _, r := range tab.Runs {
			if r.Session < last[0] && name == "sessions" {
				t.Fatalf("%s: rows are out of order", name)
			}
			last[0] = r.Session
		}
		if variants > 1 {
			compared(t, tab)
		}
	}
}

// A collector that had to pool says so in everything that is asked of its table,
// and counting goes on after it was asked.
func TestCollectorPools(t *testing.T) {
	rng := newRand(t, 77)
	c := NewCollector()
	c.pool.rows = 2000
	s := session(0, "x",
		recording.Event{Name: "elapsed", Source: "run", Unit: "ns", Support: recording.Supported},
		recording.Event{Name: "task-clock", Source: "kernel", Unit: "ns", Support: recording.Supported},
		recording.Event{Name: "steal", Source: "run", Unit: "ns", Support: recording.Supported},
		recording.Event{Name: "max-rss", Source: "run", Unit: "bytes", Support: recording.Supported},
	)
	c.Session(&s)
	runs := inBlocks(rng, 6000, 2)
	for i, r := range runs {
		x := uint64(1e6 * math.Exp(.02*rng.NormFloat64()+.01*float64(r.Variant)))
		count := &recording.Count{Raw: x / 2, Enabled: 10, Running: 10}
		if i == 7777 {
			count = &recording.Count{Raw: x / 4, Enabled: 10, Running: 5}
		}
		rss := &recording.Count{Raw: 4096}
		if i == 4321 {
			rss = nil
		}
		smp := recording.Sample{Variant: int(r.Variant), Block: int(r.Block), Position: int(r.Position),
			Counts: []*recording.Count{{Raw: x + uint64(rng.IntN(9999))}, count, {Raw: x / 50}, rss}}
		if err := c.Sample(&smp); err != nil {
			t.Fatal(err)
		}
		if i%3000 == 0 {
			if _, err := c.Table(); err != nil {
				t.Fatal(err)
			}
		}
	}
	tab, err := c.Table()
	if err != nil {
		t.Fatal(err)
	}
	res := compared(t, tab)
	names := map[string]MetricResult{}
	for _, m := range res.Metrics {
		names[m.Metric.Name] = m
	}
	for _, name := range []string{"elapsed", "task-clock", "CPUs utilized"} {
		m, ok := names[name]
		if !ok || m.Summaries[0].N != 6000 || m.Metric.Absent != "" {
			t.Errorf("%s: %+v", name, m)
			continue
		}
		if want := name != "CPUs utilized"; m.Deltas[0].Flag != want {
			t.Errorf("%s: %+v", name, m.Deltas[0])
		}
	}
	if s := min(names["task-clock"].Summaries[0].Share, names["task-clock"].Summaries[1].Share); s != .5 {
		t.Errorf("the share of the run that was counted half the time is %v", s)
	}
	if names["max-rss"].Metric.Absent == "" {
		t.Errorf("max-rss is compared, though a run has none")
	}
	found := false
	for _, w := range res.Warnings {
		found = found || w.Kind == WarnDisturbed
	}
	if !found {
		t.Errorf("nothing is said of the time that was stolen: %v", res.Warnings)
	}
	if _, err := Explain(tab, DefaultOptions, "elapsed"); err != nil {
		t.Error(err)
	}
	if d := Describe(tab); len(d) != len(tab.Metrics) {
		t.Error("not all is described")
	}
	if _, err := tab.pair(Point{"p", 0, 1}); err != nil {
		t.Error(err)
	}
}
