package compare

import (
	"fmt"
	"math"
	"slices"
)

// A study is one table with what was asked of it: everything that is decided
// before any metric's values are looked at.
type study struct {
	t       *Table
	o       Options
	layout  *layout
	designs []Design // by variant; the base's is empty
	columns []int    // indexes into t.Metrics, in the order of the report
	family  int
	counts  []int // rows by variant
	nulls   *nulls
}

// newStudy checks table and options against each other.
func newStudy(t *Table, o Options) (*study, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	s := &study{t: t, o: o, nulls: newNulls()}
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return nil, fmt.Errorf("alpha is %v, must lie between 0 and 1", o.Alpha)
	}
	if o.Metrics == nil {
		for i := range t.Metrics {
			s.columns = append(s.columns, i)
		}
	}
	for _, name := range o.Metrics {
		i := t.metric(name)
		if i < 0 {
			return nil, fmt.Errorf("metric %q is not in the recording", name)
		}
		if slices.Contains(s.columns, i) {
			return nil, fmt.Errorf("metric %q is asked for twice", name)
		}
		s.columns = append(s.columns, i)
	}
	if o.Primary != "" {
		if i := t.metric(o.Primary); i < 0 || !slices.Contains(s.columns, i) {
			return nil, fmt.Errorf("primary metric %q is not among those compared", o.Primary)
		}
	}
	for name, th := range o.Thresholds {
		if i := t.metric(name); i < 0 || !slices.Contains(s.columns, i) {
			return nil, fmt.Errorf("threshold for %q, which is not among the metrics compared", name)
		}
		if !(th.Amount > 0) || math.IsInf(th.Amount, 0) {
			return nil, fmt.Errorf("threshold for %q is %v, must be above 0", name, th.Amount)
		}
	}
	s.counts = make([]int, len(t.Variants))
	for _, r := range t.Runs {
		s.counts[r.Variant]++
	}
	s.layout = newLayout(t.Runs, len(t.Variants))
	s.designs = s.layout.designs(t)
	for _, i := range s.columns {
		if t.Metrics[i].Name == o.Primary {
			continue
		}
		s.family += s.judged(i)
	}
	return s, nil
}

// judged counts the variants for which a column is tested: both sides have
// values, and they are not exact.
func (s *study) judged(column int) int {
	if s.t.Metrics[column].Exact && s.t.repeats(column) {
		return 0
	}
	has := s.t.present(column)
	n := 0
	for v := 1; v < len(has); v++ {
		if has[0] && has[v] {
			n++
		}
	}
	return n
}

// level is the level at which a column's deltas are judged (Bonferroni).
func (s *study) level(column int) float64 {
	if name := s.t.Metrics[column].Name; name == s.o.Primary && name != "" {
		return s.o.Alpha / float64(max(1, s.judged(column)))
	}
	return s.o.Alpha / float64(max(1, s.family))
}

// designs chooses the case for each variant against the base.
func (l *layout) designs(t *Table) []Design {
	d := make([]Design, len(t.Variants))
	for v := 1; v < len(d); v++ {
		switch boots := l.paired(v); {
		case len(boots) == 1:
			d[v] = DesignBlocks
		case len(boots) > 1:
			d[v] = DesignBlocksInBoot
		case t.BootUnknown || t.oneBoot(v):
			d[v] = DesignSessions
		default:
			d[v] = DesignBoots
		}
	}
	return d
}

// oneBoot tells whether all runs of the base and of variant v are of one boot.
func (t *Table) oneBoot(v int) bool {
	boot, seen := int32(0), false
	for _, r := range t.Runs {
		if r.Variant != 0 && int(r.Variant) != v {
			continue
		}
		if seen && r.Boot != boot {
			return false
		}
		boot, seen = r.Boot, true
	}
	return true
}

// metric returns the index of the metric with the name, or -1.
func (t *Table) metric(name string) int {
	return slices.IndexFunc(t.Metrics, func(m Metric) bool { return m.Name == name })
}

// present tells by variant whether a column has any value.
func (t *Table) present(column int) []bool {
	has := make([]bool, len(t.Variants))
	missing := len(has)
	for i, x := range t.Values[column] {
		if v := t.Runs[i].Variant; x == x && !has[v] {
			has[v] = true
			if missing--; missing == 0 {
				break
			}
		}
	}
	return has
}

// repeats tells whether all values of each variant are the same number.
func (t *Table) repeats(column int) bool {
	if t.Pooled != nil && t.Pooled.Single[column] != nil {
		return !slices.ContainsFunc(t.Pooled.Single[column], func(m Moments) bool { return m.Min != m.Max })
	}
	first := make([]float64, len(t.Variants))
	for i := range first {
		first[i] = math.NaN()
	}
	for i, x := range t.Values[column] {
		v := t.Runs[i].Variant
		if x != x {
			continue
		}
		if first[v] != first[v] {
			first[v] = x
		} else if first[v] != x {
			return false
		}
	}
	return true
}

// check tells what is wrong with a table, if anything.
func (t *Table) check() error {
	if t == nil {
		return fmt.Errorf("no table to compare")
	}
	if len(t.Variants) < 2 {
		return fmt.Errorf("comparing needs two variants, the table has %d", len(t.Variants))
	}
	if len(t.Values) != len(t.Metrics) {
		return fmt.Errorf("the table has %d metrics but %d columns", len(t.Metrics), len(t.Values))
	}
	if t.Share != nil && len(t.Share) != len(t.Metrics) {
		return fmt.Errorf("the table has %d metrics but %d columns of shares", len(t.Metrics), len(t.Share))
	}
	if t.Pooled != nil && len(t.Pooled.Single) != len(t.Metrics) {
		return fmt.Errorf("the table has %d metrics but describes the single runs of %d", len(t.Metrics), len(t.Pooled.Single))
	}
	if t.Disturbed != nil && len(t.Disturbed) != len(t.Runs) {
		return fmt.Errorf("the table has %d runs but %d disturbances", len(t.Runs), len(t.Disturbed))
	}
	for i, r := range t.Runs {
		if r.Variant < 0 || int(r.Variant) >= len(t.Variants) {
			return fmt.Errorf("run %d is of variant %d, the table has %d", i, r.Variant, len(t.Variants))
		}
	}
	names := make(map[string]bool, len(t.Metrics))
	for i, m := range t.Metrics {
		if names[m.Name] {
			return fmt.Errorf("the table has two metrics %q", m.Name)
		}
		names[m.Name] = true
		if len(t.Values[i]) != len(t.Runs) {
			return fmt.Errorf("metric %q has %d values for %d runs", m.Name, len(t.Values[i]), len(t.Runs))
		}
		if t.Share != nil && t.Share[i] != nil && len(t.Share[i]) != len(t.Runs) {
			return fmt.Errorf("metric %q has %d shares for %d runs", m.Name, len(t.Share[i]), len(t.Runs))
		}
		if m.Resolution < 0 || math.IsNaN(m.Resolution) || math.IsInf(m.Resolution, 0) {
			return fmt.Errorf("metric %q has a resolution of %v", m.Name, m.Resolution)
		}
		for j, x := range t.Values[i] {
			if math.IsInf(x, 0) {
				return fmt.Errorf("metric %q is infinite in run %d", m.Name, j)
			}
		}
	}
	return nil
}
