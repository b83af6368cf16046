package compare

import (
	"math"
	"slices"
)

// A derivation is a metric that is the quotient of two others of the same run.
type derivation struct {
	name  string
	above string // the numerator; the metric follows it
	below string
	unit  Unit
	to    Better
}

// derivations are what perf stat prints beside its counters.
var derivations = [...]derivation{
	{"CPUs utilized", "task-clock", "elapsed", Ratio, NeitherWay},
	{"IPC", "instructions", "cycles", Ratio, HigherBetter},
	{"branch-miss rate", "branch-misses", "branches", Percent, LowerBetter},
	{"cache-miss rate", "cache-misses", "cache-references", Percent, LowerBetter},
}

// derive adds the derived metrics to a table, each after its numerator.
//
// The quotient is taken run by run and compared like any other value. The
// quotient of two means would be another number, and would lose the pairing
// that removes the noise which both counters share.
func derive(t *Table) {
	for i := 0; i < len(t.Metrics); i++ {
		name, modifier := splitModifier(t.Metrics[i].Name)
		for _, d := range derivations {
			if name != d.above || t.Metrics[i].Derived {
				continue
			}
			// elapsed has no modes; other denominators are of the same.
			below := d.below
			if modifier != "" && below != "elapsed" {
				below += ":" + modifier
			}
			j := t.metric(below)
			if j < 0 || t.Metrics[i].Domain != t.Metrics[j].Domain && below != "elapsed" {
				continue
			}
			values, some := quotients(t.Values[i], t.Values[j])
			if !some {
				continue
			}
			m := Metric{Name: d.name, Unit: d.unit, Better: d.to, Domain: t.Metrics[i].Domain, Derived: true}
			if modifier != "" {
				m.Name += ":" + modifier
			}
			t.insert(i+1, m, values, t.leastShare(i, j))
		}
	}
}

// quotients divides run by run; no value where one is absent or the divisor 0.
func quotients(a, b []float64) (q []float64, some bool) {
	q = make([]float64, len(a))
	for i := range a {
		q[i] = a[i] / b[i]
		if b[i] == 0 || math.IsInf(q[i], 0) {
			q[i] = math.NaN()
		}
		some = some || q[i] == q[i]
	}
	return q, some
}

// insert adds a column that is derived from others.
func (t *Table) insert(at int, m Metric, values, share []float64) {
	t.Metrics = slices.Insert(t.Metrics, at, m)
	t.Values = slices.Insert(t.Values, at, values)
	if t.Share != nil {
		t.Share = slices.Insert(t.Share, at, share)
	}
	if t.Pooled != nil {
		t.Pooled.Single = slices.Insert(t.Pooled.Single, at, nil)
	}
}

// share is a column's; nil when it was counted the whole time.
func (t *Table) share(i int) []float64 {
	if t.Share == nil {
		return nil
	}
	return t.Share[i]
}

// leastShare is the smaller of two columns' shares, run by run; nil when both
// were counted the whole time.
func (t *Table) leastShare(i, j int) []float64 {
	a, b := t.share(i), t.share(j)
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	out := slices.Clone(a)
	for r := range out {
		out[r] = min(out[r], b[r])
	}
	return out
}
