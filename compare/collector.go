package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"microcost/workload/recording"
)

// A Collector makes a Table of sessions and samples as they are read, so that a
// long recording need not be held in memory: the table keeps a number for each
// run and event, and of more than 262,144 runs (fewer when there are more than 16
// events) means of several.
//
// Variants are the same when their labels are; the base is the first variant
// of the first session. Sessions are of one boot when they name the same boot;
// a session that names none is taken for a boot of its own. Only the blocks of
// a session in random blocks count as blocks.
type Collector struct {
	t        *Table // of what was counted alone; a share column is nil while all are 1
	pool     *pool
	sessions []collected
	index    map[int]int // id of a session to its index
	boots    map[string]int32
	lastBoot int32
	samples  int
	turns    []turn // by metric
}

// A turn says of a metric what its values do not: whether its counter was ever
// open.
type turn struct {
	ours bool   // counted by this program, which gives counters turns
	open bool   // in some run
	form string // of another tool's file; empty: not of one
}

// A collected session is what its samples need of it.
type collected struct {
	events  []recording.Event
	variant []int32 // the session's variant to the table's
	column  []int   // the session's event to the table's metric
	boot    int32
	blocks  bool // scheduled in random blocks
}

// NewCollector returns an empty one.
func NewCollector() *Collector {
	t := new(Table)
	return &Collector{t: t, pool: newPool(t), index: map[int]int{}, boots: map[string]int32{}}
}

// Session takes a session; it comes before its samples.
func (c *Collector) Session(s *recording.Session) {
	c.index[s.ID] = len(c.sessions)
	d := collected{events: s.Events, blocks: s.Plan.Schedule == recording.RandomBlocks}
	d.variant = c.variants(s)
	for _, e := range s.Events {
		k := c.metric(e)
		d.column = append(d.column, k)
		switch t := &c.turns[k]; {
		case s.Imported != "":
			t.form = s.Imported
		case e.Source == "kernel" && strings.HasPrefix(s.Tool, "microcost "):
			t.ours = true
		}
	}
	c.t.BootUnknown = c.t.BootUnknown || s.Env.BootID == ""
	b, ok := c.boots[s.Env.BootID]
	if !ok || s.Env.BootID == "" {
		b = c.lastBoot
		c.boots[s.Env.BootID] = b
		c.lastBoot++
	}
	d.boot = b
	c.sessions = append(c.sessions, d)
}

// Variants is how many there are so far.
func (c *Collector) Variants() int { return len(c.t.Variants) }

// Rename gives every variant another label; no two may become the same.
func (c *Collector) Rename(final map[string]string) {
	for i, label := range c.t.Variants {
		c.t.Variants[i] = final[label]
	}
}

// variants finds or adds those of a session.
func (c *Collector) variants(s *recording.Session) []int32 {
	var to []int32
	for _, v := range s.Variants {
		// Two variants of one session are two, whatever they are called.
		label := v.Label
		k := slices.Index(c.t.Variants, label)
		for n := 2; k >= 0 && slices.Contains(to, int32(k)); n++ {
			label = fmt.Sprintf("%s (%d)", v.Label, n)
			k = slices.Index(c.t.Variants, label)
		}
		if k < 0 {
			k = len(c.t.Variants)
			c.t.Variants = append(c.t.Variants, label)
		}
		to = append(to, int32(k))
	}
	return to
}

// metric finds or adds the column of an event. Runs that were collected before
// have no value in a new one.
func (c *Collector) metric(e recording.Event) int {
	if k := c.t.metric(e.Name); k >= 0 {
		if m := &c.t.Metrics[k]; m.Reason == "" {
			m.Reason = e.Reason
		}
		return k
	}
	c.t.Metrics = append(c.t.Metrics, metricOf(e))
	c.t.Values = append(c.t.Values, slices.Repeat([]float64{math.NaN()}, len(c.t.Runs)))
	c.t.Share = append(c.t.Share, nil)
	c.turns = append(c.turns, turn{})
	return len(c.t.Metrics) - 1
}

// Sample takes a sample; warm-ups and failed runs are left out. A sample that
// refers to a session, variant or event that is not there is an error.
func (c *Collector) Sample(s *recording.Sample) error {
	i := c.samples
	c.samples++
	if s.WarmUp || s.Failed {
		return nil
	}
	at, ok := c.index[s.Session]
	if !ok {
		return fmt.Errorf("sample %d is of session %d, which the recording does not have", i, s.Session)
	}
	d := &c.sessions[at]
	if s.Variant < 0 || s.Variant >= len(d.variant) {
		return fmt.Errorf("sample %d is of variant %d, session %d has %d", i, s.Variant, s.Session, len(d.variant))
	}
	if len(s.Counts) > len(d.column) {
		return fmt.Errorf("sample %d has %d counts, session %d has %d events", i, len(s.Counts), s.Session, len(d.column))
	}
	run := Run{
		Variant: d.variant[s.Variant], Session: int32(at), Boot: d.boot,
		Block: int32(s.Block), Position: int32(s.Position),
	}
	if !d.blocks {
		run.Block, run.Position = -1, 0 // not by chance, so no block
	}
	row := c.pool.add(run)
	for k := range c.t.Values {
		c.t.Values[k] = append(c.t.Values[k], math.NaN())
		if c.t.Share[k] != nil {
			c.t.Share[k] = append(c.t.Share[k], 1)
		}
	}
	for j, n := range s.Counts {
		if n == nil {
			continue
		}
		k := d.column[j]
		c.turns[k].open = true
		x, share := value(&d.events[j], n)
		c.t.Values[k][row] = x
		c.pool.describe(k, run.Variant, x)
		if share < 1 {
			if c.t.Share[k] == nil {
				c.t.Share[k] = slices.Repeat([]float64{1}, len(c.t.Runs))
			}
			c.t.Share[k][row] = share
		}
	}
	return nil
}

// Table is the table of what was collected so far; more may follow, and the table
// is not to be used any more then. Without any run to compare it is an error.
func (c *Collector) Table() (*Table, error) {
	if len(c.t.Runs) == 0 {
		return nil, fmt.Errorf("the recording has no run to compare")
	}
	// Columns are added and left out below, and none is written to.
	t := &Table{
		Variants: c.t.Variants, Runs: c.t.Runs, Metrics: slices.Clone(c.t.Metrics), Values: slices.Clone(c.t.Values),
		Share: slices.Clone(c.t.Share), BootUnknown: c.t.BootUnknown, Pooled: c.pool.pooled(),
	}
	absent(t, c.turns)
	dropFloored(t)
	disturbance(t)
	t.RunCost = runCost(t)
	derive(t)
	derivePerOperation(t)
	derivePerWakeup(t)
	shares(t)
	return t, nil
}
