package perfctr

import (
	"strconv"
	"strings"
)

// resolve turns a node into events: one, or several for a glob and for an event
// that more than one PMU counts.
func (p *parser) resolve(n node) ([]Event, error) {
	if n.slash {
		return p.resolveTerms(n)
	}
	if strings.HasPrefix(n.name, breakpointPrefix) {
		return p.breakpoint(n)
	}
	if events, ok := p.sys.plain(n.name, n.mods); ok {
		if events[0].Source == SourceRun && n.mods != (modifiers{}) {
			return nil, p.errorf(n.offset+len(n.name), nil, "%s is measured around the run and has no modifiers", n.name)
		}
		return events, nil
	}
	if strings.IndexByte(n.name, ':') >= 0 {
		return p.tracepoints(n)
	}
	if strings.HasSuffix(n.name, ".o") || strings.HasSuffix(n.name, ".c") {
		return nil, p.errorf(n.offset, nil, "%q looks like a BPF program, which is not supported as an event", n.name)
	}
	return nil, p.errorf(n.offset, nearest(n.name, p.sys.names()), "unknown event %q", n.name)
}

// known reports whether a name without slashes and colons is an event.
func (s *System) known(name string) bool {
	_, ok := s.plain(name, modifiers{})
	return ok
}

// plain finds an event that is named by one word: generic, cache, raw, type and
// config, or one that some PMU lists in sysfs.
func (s *System) plain(name string, m modifiers) ([]Event, bool) {
	if g, ok := findGeneric(name); ok {
		return s.generic(g, m), true
	}
	if c, ok := findCache(name); ok {
		return s.onCores(cacheEvent(c), m), true
	}
	if config, ok := rawConfig(name); ok {
		return s.raw(config, m), true
	}
	if events, ok := s.numbered(name, m); ok {
		return events, true
	}
	return s.aliased(name, m)
}

// generic makes the events of one generic name.
func (s *System) generic(g generic, m modifiers) []Event {
	e := Event{Name: g.name, Source: g.source, Unit: g.unit}
	if g.source == SourceRun {
		e.Spec = e.Name
		return []Event{e}
	}
	e.Attr = Attr{Type: g.typ, Config: genericConfig(g.name)}
	if g.typ == typeSoftware {
		e.PMU = pmuSoftware
		return []Event{m.apply(e)}
	}
	return s.onCores(e, m)
}

// rawConfig reads r1a8.
func rawConfig(name string) (uint64, bool) {
	if len(name) < 2 || name[0] != 'r' {
		return 0, false
	}
	config, err := strconv.ParseUint(name[1:], 16, 64)
	return config, err == nil && !strings.ContainsAny(name, "+-_")
}

// raw makes the events of a raw config. A config of that kind means something
// to one PMU only, so on a hybrid processor it goes to each by its own number:
// PERF_TYPE_RAW cannot say which PMU it is for.
func (s *System) raw(config uint64, m modifiers) []Event {
	name := "r" + strconv.FormatUint(config, 16)
	cores := s.corePMUs()
	if len(cores) < 2 {
		e := Event{Name: name, PMU: s.core(), Attr: Attr{Type: typeRaw, Config: config}}
		return []Event{m.apply(e)}
	}
	var parts []Event
	for _, pmu := range cores {
		e := s.onPMU(pmu)
		e.Name = pmu + "/" + name + "/"
		e.Attr.Config = config
		parts = append(parts, m.apply(e))
	}
	return sumOf(m.apply(Event{Name: name}), parts)
}

// number reads a number as perf writes it: decimal, also with zeros before it, or
// hexadecimal behind 0x.
func number(text string, bits int) (uint64, error) {
	if digits, hex := strings.CutPrefix(strings.ToLower(text), "0x"); hex {
		return strconv.ParseUint(digits, 16, bits)
	}
	return strconv.ParseUint(text, 10, bits)
}

// numbered reads type:config, both numbers; perf's oldest spelling. Types that
// have names are given them.
func (s *System) numbered(name string, m modifiers) ([]Event, bool) {
	typ, config, ok := strings.Cut(name, ":")
	if !ok {
		return nil, false
	}
	t, err := number(typ, 32)
	if err != nil {
		return nil, false
	}
	c, err := number(config, 64)
	if err != nil {
		return nil, false
	}
	for _, g := range generics() {
		if g.source == SourceKernel && uint64(g.typ) == t && genericConfig(g.name) == c {
			return s.generic(g, m), true
		}
	}
	switch t {
	case typeHWCache:
		for _, id := range cacheIDs() {
			if cacheConfig(id) == c {
				return s.onCores(cacheEvent(id), m), true
			}
		}
	case typeRaw:
		return s.raw(c, m), true
	}
	e := Event{Name: strconv.FormatUint(t, 10) + ":" + strconv.FormatUint(c, 10), PMU: s.pmuOfType(uint32(t)),
		Attr: Attr{Type: uint32(t), Config: c}}
	return []Event{m.apply(e)}, true
}

// names are the names that a mistaken one may have meant.
func (s *System) names() []string {
	var names []string
	for _, g := range generics() {
		names = append(append(names, g.name), g.aliases...)
	}
	names = append(names, cacheNames()...)
	for _, pmu := range s.pmus() {
		for _, e := range s.pmuEvents(pmu) {
			names = append(names, pmu+"/"+e+"/")
		}
	}
	return names
}
