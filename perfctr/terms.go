package perfctr

import (
	"strconv"
	"strings"
)

// resolveTerms makes the events of pmu/terms/: on the PMUs that the name stands
// for, or of a generic event that is given a name (cycles/name=x/).
func (p *parser) resolveTerms(n node) ([]Event, error) {
	pmus := p.sys.matching(n.name)
	if len(pmus) == 0 {
		if events, ok := p.sys.plain(n.name, n.mods); ok {
			return p.named(n, events)
		}
		return nil, p.errorf(n.offset, nearest(n.name, p.sys.pmus()), "no PMU %q on this machine", n.name)
	}
	var parts []Event
	var first error
	for _, pmu := range pmus {
		e, err := p.pmuEvent(pmu, n)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		parts = append(parts, e)
	}
	switch {
	case len(parts) == 0:
		return nil, first
	case len(parts) == 1:
		parts[0].Spec = spec(n.name, n)
		if termNamed("name", n.terms) == nil {
			parts[0].Name = parts[0].Spec
		}
		return parts, nil
	}
	sum := Event{Name: n.name + "/" + n.body + "/"}
	sum = n.mods.apply(sum)
	if t := termNamed("name", n.terms); t != nil {
		sum.Name = t.value
	}
	for i := range parts {
		parts[i].Name = spec(parts[i].PMU, n)
	}
	return sumOf(sum, parts), nil
}

// spec is what was written, for one PMU.
func spec(pmu string, n node) string {
	return join(pmu+"/"+n.body+"/", n.mods.String())
}

func termNamed(name string, terms []term) *term {
	for i := range terms {
		if terms[i].name == name && terms[i].hasValue {
			return &terms[i]
		}
	}
	return nil
}

// named gives the user's name to events that have one already.
func (p *parser) named(n node, events []Event) ([]Event, error) {
	for _, t := range n.terms {
		if uncounted(t.name) {
			continue
		}
		if t.name != "name" || !t.hasValue {
			return nil, p.errorf(t.offset, nil, "%s takes no term but name=", n.name)
		}
		if events[0].Source == SourceRun {
			return nil, p.errorf(t.offset, nil, "%s is measured around the run and keeps its name", n.name)
		}
		events[0].Name = t.value
	}
	events[0].Spec = spec(n.name, n)
	return events, nil
}

// pmuEvent makes the event of one PMU.
func (p *parser) pmuEvent(pmu string, n node) (Event, error) {
	e := p.sys.onPMU(pmu)
	if _, ok := p.sys.pmuType(pmu); !ok {
		return e, p.errorf(n.offset, nil, "the PMU %s has no number in sysfs", pmu)
	}
	for i := range n.terms {
		if err := p.term(&e, n, i); err != nil {
			return e, err
		}
	}
	e.Name = pmu + "/" + n.body + "/"
	e = n.mods.apply(e)
	if t := termNamed("name", n.terms); t != nil {
		// The name is the user's, letters and all, as in perf.
		e.Name = t.value
	}
	return e, nil
}

// uncounted are terms that perf stat takes and that change no count: how often
// to sample, whether the rows of a core are printed as one, and what metrics
// call the event.
func uncounted(name string) bool {
	switch name {
	case "period", "percore", "metric-id":
		return true
	}
	return false
}

// sampling are terms that perf takes for perf record only.
func sampling(name string) bool {
	switch name {
	case "freq", "branch_type", "time", "call-graph", "stack-size", "max-stack", "nr", "aux-output",
		"aux-sample-size", "aux-action", "overwrite", "no-overwrite":
		return true
	}
	return false
}

// term applies the i-th term to the event.
func (p *parser) term(e *Event, n node, i int) error {
	t := n.terms[i]
	if word, ok := map[string]*uint64{"config": &e.Attr.Config, "config1": &e.Attr.Config1,
		"config2": &e.Attr.Config2, "config3": &e.Attr.Config3}[t.name]; ok {
		value, err := p.value(t)
		if err == nil {
			*word = value
		}
		return err
	}
	if t.name == "name" && t.hasValue || uncounted(t.name) && p.sys.pmuFile(e.PMU, "format/"+t.name) == "" {
		return nil
	}
	if !t.hasValue {
		if alias := p.sys.pmuFile(e.PMU, "events/"+t.name); alias != "" && !strings.Contains(t.name, "/") {
			return p.alias(e, n, t, alias)
		}
		// Here perf takes 0x before the digits too, which a raw event alone has not.
		if config, ok := rawConfig(strings.Replace(t.name, "r0x", "r", 1)); ok && p.sys.pmuFile(e.PMU, "format/"+t.name) == "" {
			e.Attr.Config = config
			return nil
		}
		if p.legacy(e, t.name) {
			return nil
		}
	}
	return p.formatTerm(e, n, t)
}

// formatTerm puts the value of a term where the PMU's format says.
func (p *parser) formatTerm(e *Event, n node, t term) error {
	text := ""
	if !strings.Contains(t.name, "/") {
		text = p.sys.pmuFile(e.PMU, "format/"+t.name)
	}
	if text == "" {
		if p.wanted(e.PMU, n, t.name) {
			return nil // the value of a "?" in a named event: see alias
		}
		switch {
		case sampling(t.name):
			return p.errorf(t.offset, nil, "the term %s is about sampling; only counts are supported", t.name)
		}
		known := append(p.sys.dir(pmuDir+"/"+e.PMU+"/format"), p.sys.pmuEvents(e.PMU)...)
		return p.errorf(t.offset, nearest(t.name, known), "the PMU %s has no event or term %q", e.PMU, t.name)
	}
	f, err := parseField(text)
	if err != nil {
		return p.errorf(t.offset, nil, "the term %s of the PMU %s: %v", t.name, e.PMU, err)
	}
	value := uint64(1)
	if t.hasValue {
		if value, err = p.value(t); err != nil {
			return err
		}
	}
	if value > f.largest() {
		return p.errorf(t.valueAt, nil, "%s=%s is too large: the largest is %#x", t.name, t.value, f.largest())
	}
	f.put(&e.Attr, value)
	return nil
}

func (p *parser) value(t term) (uint64, error) {
	v, err := number(t.value, 64)
	if err != nil {
		return 0, p.errorf(t.valueAt, nil, "%s=%s: not a number of 64 bits", t.name, t.value)
	}
	return v, nil
}

// alias applies the terms of an event that sysfs names, its unit and scale. A
// value of "?" stands for one that the user has to give.
func (p *parser) alias(e *Event, n node, t term, alias string) error {
	for _, part := range strings.Split(alias, ",") {
		name, value, hasValue := strings.Cut(strings.TrimSpace(part), "=")
		if value == "?" {
			given := termNamed(name, n.terms)
			if given == nil {
				return p.errorf(t.offset, nil, "the event %s needs %s=VALUE beside it", t.name, name)
			}
			value = given.value
		}
		inner := term{offset: t.offset, name: name, value: value, hasValue: hasValue, valueAt: t.offset}
		if err := p.term(e, node{offset: n.offset, terms: []term{inner}}, 0); err != nil {
			return err
		}
	}
	scale := 1.0
	if text := p.sys.pmuFile(e.PMU, "events/"+t.name+".scale"); text != "" {
		s, err := strconv.ParseFloat(text, 64)
		if err != nil || s <= 0 {
			return p.errorf(t.offset, nil, "the event %s of the PMU %s has a scale that is not a number: %q", t.name, e.PMU, text)
		}
		scale = s
	}
	e.Unit, e.Scale = baseUnit(p.sys.pmuFile(e.PMU, "events/"+t.name+".unit"), scale)
	return nil
}

// baseUnit turns the unit and scale of sysfs into a base unit.
func baseUnit(unit string, scale float64) (Unit, float64) {
	u := Unit(unit)
	switch unit {
	case "MiB":
		u, scale = UnitBytes, scale*(1<<20)
	case "KiB":
		u, scale = UnitBytes, scale*(1<<10)
	case "Bytes":
		u = UnitBytes
	case "ms":
		u, scale = UnitNanoseconds, scale*1e6
	}
	if scale == 1 {
		scale = 0 // the zero Scale is 1
	}
	return u, scale
}

// wanted reports whether a term is the value of a "?" of one of the named
// events beside it.
func (p *parser) wanted(pmu string, n node, name string) bool {
	for _, t := range n.terms {
		if t.hasValue || strings.Contains(t.name, "/") {
			continue
		}
		for _, part := range strings.Split(p.sys.pmuFile(pmu, "events/"+t.name), ",") {
			if strings.TrimSpace(part) == name+"=?" {
				return true
			}
		}
	}
	return false
}

// legacy applies a generic or cache event that stands as a term of a core PMU:
// cpu_core/cycles/. It keeps the generic type, with the PMU's number above.
func (p *parser) legacy(e *Event, name string) bool {
	cores := p.sys.corePMUs()
	core := false
	for _, c := range cores {
		core = core || c == e.PMU
	}
	if !core {
		return false
	}
	var a Attr
	if g, ok := findGeneric(name); ok && g.source == SourceKernel && g.typ == typeHardware {
		a = Attr{Type: typeHardware, Config: genericConfig(g.name)}
	} else if c, ok := findCache(name); ok {
		a = Attr{Type: typeHWCache, Config: cacheConfig(c)}
	} else {
		return false
	}
	if len(cores) > 1 {
		a.Config |= uint64(e.Attr.Type) << pmuTypeShift
	}
	e.Attr.Type, e.Attr.Config = a.Type, e.Attr.Config|a.Config
	return true
}
