package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
