package importer

import (
	"fmt"
	"math"
	"strings"

	"microcost/workload/recording"
)

// A column is an event with what its numbers have in common.
type column struct {
	name, reason string
	unit         unit
	places       int
	outside      bool
	supported    bool
	share        float64
	rows         int
}

// measure looks at every number of the column, which is the one of that index.
func (c *column) measure(s *series, at int) error {
	first := true
	c.share = 1
	note := func(v value) error {
		if v.state != notSupported {
			c.supported = true
		}
		if v.state != counted {
			return nil
		}
		if !first && c.unit != v.unit {
			return &ParseError{Msg: fmt.Sprintf("%s is in %q and in %q", c.name, c.unit.base, v.unit.base)}
		}
		first = false
		c.unit, c.outside = v.unit, v.outside
		c.places = max(c.places, v.number.places)
		c.rows = max(c.rows, v.rows)
		if v.share > 0 {
			c.share = min(c.share, v.share)
		}
		return nil
	}
	for _, variant := range s.variants {
		for _, r := range variant.runs {
			if v, ok := r.values.near(at, c.name); ok {
				if err := note(v); err != nil {
					return err
				}
			}
		}
		for _, m := range variant.means {
			if m.event == c.name {
				if err := note(m.value); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (c *column) event() recording.Event {
	e := recording.Event{Name: c.name, Source: "kernel", Unit: c.unit.base, Support: recording.Supported, Domain: domainOf(c.name)}
	if c.outside {
		e.Source = "run"
	}
	if exp := c.unit.exp - c.places; exp != 0 {
		e.Scale = math.Pow10(exp)
	}
	var reasons []string
	if !c.supported {
		e.Support = recording.NotSupported
		reasons = append(reasons, "the file says <not supported>")
	}
	if c.share < 1 {
		reasons = append(reasons, fmt.Sprintf("counted %.2f %% of the time at least, and extrapolated", 100*c.share))
	}
	if c.rows > 1 {
		reasons = append(reasons, fmt.Sprintf("sum of %d lines", c.rows))
	}
	if c.reason != "" {
		reasons = append(reasons, c.reason)
	}
	e.Reason = strings.Join(reasons, "; ")
	return e
}

// domainOf returns the modes that the modifiers of an event name, such as u
// and k in "cycles:u" and "cpu_core/cycles/k".
func domainOf(name string) string {
	i := strings.LastIndexAny(name, ":/")
	if i < 0 {
		return ""
	}
	mods := name[i+1:]
	if mods == "" || strings.Trim(mods, "ukhGHpPSDIWeb") != "" {
		return ""
	}
	u, k := strings.Contains(mods, "u"), strings.Contains(mods, "k")
	switch {
	case u && !k:
		return "u"
	case k && !u:
		return "k"
	}
	return ""
}
