package compare

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A sweep's points are judged alone: each equals the comparison of a table that
// has only its own runs, at its share of alpha.
func TestSweepIsItsPointsAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	table := &Table{
		Variants: []string{"A x=1", "B x=1", "A x=2", "B x=2"},
		Metrics:  []Metric{{Name: "elapsed", Unit: Nanoseconds, Better: LowerBetter}},
		Values:   make([][]float64, 1),
	}
	alone := [2]*Table{}
	for i := range alone {
		alone[i] = &Table{Variants: table.Variants[2*i : 2*i+2], Metrics: table.Metrics, Values: make([][]float64, 1)}
	}
	for block := range 4 {
		for position, v := range rng.Perm(20) {
			v %= 4
			x := math.Exp(0.01*rng.NormFloat64()) * float64(1000*(1+v/2))
			if v == 3 {
				x *= 1.2
			}
			run := Run{Variant: int32(v), Block: int32(block), Position: int32(position)}
			table.Runs = append(table.Runs, run)
			table.Values[0] = append(table.Values[0], x)
			run.Variant %= 2
			alone[v/2].Runs = append(alone[v/2].Runs, run)
			alone[v/2].Values[0] = append(alone[v/2].Values[0], x)
		}
	}
	got, err := Sweep(table, []Point{{"x=1", 0, 1}, {"x=2", 2, 3}}, DefaultOptions)
	if err != nil {
		t.Fatal(err)
	}
	if got.Family != 2 || got.Alpha != 0.05 || len(got.Points) != 2 {
		t.Errorf("family %d, alpha %v, %d points", got.Family, got.Alpha, len(got.Points))
	}
	for i, p := range got.Points {
		want, err := Compare(alone[i], Options{Alpha: 0.025})
		if err != nil {
			t.Fatal(err)
		}
		d, w := p.Comparison.Metrics[0].Deltas[0], want.Metrics[0].Deltas[0]
		if d.Estimate != w.Estimate || d.Lo != w.Lo || d.Hi != w.Hi || d.Verdict != w.Verdict || p.Comparison.Level != 0.025 {
			t.Errorf("%s: %+v\nalone: %+v", p.Name, d, w)
		}
		if want := []Verdict{NotDifferent, More}[i]; d.Verdict != want {
			t.Errorf("%s: verdict %q, want %q", p.Name, d.Verdict, want)
		}
	}
}

func TestSweepRefusesWhatIsNoPair(t *testing.T) {
	table := &Table{Variants: []string{"A", "B"}, Metrics: []Metric{{Name: "x"}}, Values: [][]float64{{1, 2}}, Runs: []Run{{}, {Variant: 1}}}
	for _, points := range [][]Point{nil, {{"x", 0, 0}}, {{"x", 0, 2}}, {{"x", -1, 1}}} {
		if _, err := Sweep(table, points, DefaultOptions); err == nil {
			t.Errorf("Sweep accepted %v", points)
		}
	}
}
