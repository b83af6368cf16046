package compare

import (
	"math"
	"testing"
)

// FuzzCompare makes tables of bytes: whatever the schedule and the values, a
// comparison keeps its promises.
func FuzzCompare(f *testing.F) {
	f.Add([]byte{2, 0, 0, 1, 1, 1, 0, 0, 1, 2, 2, 0, 0, 1, 3}, uint8(0))
	f.Add([]byte{3, 1, 1, 255, 9, 2, 0, 254, 7, 0, 3, 3, 0, 1, 3, 4, 4, 4, 4, 4, 4, 4, 4}, uint8(7))
	rng := newRand(f, 40)
	for range 60 {
		b := make([]byte, 1+rng.IntN(200))
		for i := range b {
			b[i] = byte(rng.IntN(1 << (1 + rng.IntN(8))))
		}
		f.Add(b, uint8(rng.IntN(256)))
	}
	f.Fuzz(func(t *testing.T, b []byte, kind uint8) {
		if len(b) < 5 {
			return
		}
		tab := &Table{Metrics: []Metric{{Name: "x", Resolution: float64(kind % 2)}, {Name: "y", Exact: kind&2 > 0}}, Values: make([][]float64, 2)}
		for v := range 2 + int(b[0]%3) {
			tab.Variants = append(tab.Variants, string(rune('A'+v)))
		}
		for b = b[1:]; len(b) >= 4; b = b[4:] {
			tab.Runs = append(tab.Runs, Run{
				Variant: int32(int(b[0]) % len(tab.Variants)), Boot: int32(b[1] & 3), Session: int32(b[1] & 15), Block: int32(b[2]&7) - 1, Position: int32(b[2] >> 3),
			})
			for k := range tab.Values {
				tab.Values[k] = append(tab.Values[k], odd(b[3], k))
			}
		}
		o := Options{Alpha: 0.05, Thresholds: map[string]Threshold{"x": {Amount: 0.01 + float64(kind)/64, Absolute: kind&4 > 0}}}
		if kind&8 > 0 {
			o.Primary = "y"
		}
		c, err := Compare(tab, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range c.Metrics {
			for _, d := range m.Deltas {
				sound(t, d)
				DetectableWith(d, 1, 10, 100)
			}
		}
		if _, err := Precise(tab, []Target{{Metric: "x", Floor: 0.01}}, o); err != nil {
			t.Fatal(err)
		}
		if _, err := Explain(tab, o, "x"); err != nil {
			t.Fatal(err)
		}
		Rates(tab)
	})
}

// odd makes values that are hard on a statistic.
func odd(b byte, k int) float64 {
	switch {
	case b == 255:
		return math.NaN()
	case b == 254:
		return 1e300
	case b == 253:
		return -3
	case b == 252:
		return math.SmallestNonzeroFloat64
	case b >= 128:
		return 1000 // many ties
	}
	return float64(int(b) * (k + 1))
}

// sound holds what is true of every delta.
func sound(t *testing.T, d Delta) {
	t.Helper()
	fail := func(what string) { t.Errorf("%s: %+v", what, d) }
	if d.Verdict == NotCompared {
		if !math.IsNaN(d.Estimate) || d.Flag {
			fail("not compared, but has an estimate")
		}
		return
	}
	if d.Verdict == "" || math.IsNaN(d.Estimate) || math.IsNaN(d.Floor) || d.Floor < 0 {
		fail("has no verdict, estimate or floor")
	}
	if d.Lo > d.Estimate+1e-12*math.Abs(d.Estimate) || d.Hi < d.Estimate-1e-12*math.Abs(d.Estimate) {
		fail("the estimate is outside of the interval")
	}
	if d.Flag && (d.Lo < 0 && d.Hi > 0) || !d.Flag && (d.Lo > 0 || d.Hi < 0) {
		fail("flag and interval disagree")
	}
	if d.P < 0 || d.P > 1 || d.Flag && d.P > d.Level {
		fail("p is off")
	}
	if d.MoreLo > d.MoreHi || d.MoreLo < 0 {
		fail("the forecast is off")
	}
	if d.Floor == math.Inf(1) && d.Verdict != Undecided && d.Verdict != Identical {
		fail("a verdict without a floor")
	}
	if d.Verdict == Undecided && d.MoreHi == 0 && d.Floor != math.Inf(1) && d.Threshold/2 >= d.LeastFloor {
		fail("undecided without a forecast")
	}
}
