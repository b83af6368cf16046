package perfctr

import "sort"

// onCores makes the events of a generic or cache event, whose config is the
// same on every processor. On a hybrid processor it is opened once on each core
// PMU, with the number of the PMU in the upper half of config.
func (s *System) onCores(e Event, m modifiers) []Event {
	cores := s.corePMUs()
	if len(cores) < 2 {
		e.PMU = s.core()
		return []Event{m.apply(e)}
	}
	var parts []Event
	for _, pmu := range cores {
		part := s.onPMU(pmu)
		part.Name = pmu + "/" + e.Name + "/"
		part.Attr.Config = e.Attr.Config | uint64(part.Attr.Type)<<pmuTypeShift
		part.Attr.Type = e.Attr.Type
		parts = append(parts, m.apply(part))
	}
	return sumOf(m.apply(Event{Name: e.Name}), parts)
}

// ownNumber is a generic event of one kind of core with the PMU's own type and
// the config that sysfs has under the event's name. ARM's driver takes the number
// of a PMU above the config of a generic event since Linux 6.6 only
// (PERF_PMU_CAP_EXTENDED_HW_TYPE); before, the kernel answers ENOENT.
func (s *System) ownNumber(e Event) (Event, bool) {
	typ, ok := s.pmuType(e.PMU)
	if !ok || e.Attr.Type != typeHardware || e.Attr.Config>>pmuTypeShift == 0 {
		return e, false
	}
	for _, g := range generics() {
		if g.typ != typeHardware || g.source != SourceKernel || genericConfig(g.name) != e.Attr.Config&(1<<pmuTypeShift-1) {
			continue
		}
		for _, name := range append(append([]string{g.name}, g.aliases...), armName(g.name)) {
			if name == "" || s.pmuFile(e.PMU, "events/"+name) == "" {
				continue
			}
			p := parser{sys: s, in: name}
			named, err := p.pmuEvent(e.PMU, node{name: e.PMU, slash: true, terms: []term{{name: name}}, body: name})
			if err != nil {
				return e, false
			}
			e.Attr.Type, e.Attr.Config, e.Attr.Config1, e.Attr.Config2 = typ, named.Attr.Config, named.Attr.Config1, named.Attr.Config2
			return e, true
		}
	}
	return e, false
}

// armName is what sysfs calls a generic event on ARM (armv8_pmuv3_perf_map in
// drivers/perf/arm_pmuv3.c).
func armName(generic string) string {
	return map[string]string{
		"cycles": "cpu_cycles", "instructions": "inst_retired", "cache-references": "l1d_cache", "cache-misses": "l1d_cache_refill",
		"branches": "br_retired", "branch-misses": "br_mis_pred", "bus-cycles": "bus_cycles",
		"stalled-cycles-frontend": "stall_frontend", "stalled-cycles-backend": "stall_backend",
	}[generic]
}

// sumOf puts the sum before its parts.
func sumOf(sum Event, parts []Event) []Event {
	sum.Attr = Attr{} // a sum has no counter
	sum.Unit, sum.Scale = parts[0].Unit, parts[0].Scale
	sum.Sum = len(parts)
	for i := range parts {
		parts[i].Part = true
	}
	return append([]Event{sum}, parts...)
}

// core is the name of the only core PMU; "cpu" where none is known.
func (s *System) core() string {
	if cores := s.corePMUs(); len(cores) > 0 {
		return cores[0]
	}
	return pmuCPU
}

// corePMUs lists the PMUs of the processor's own cores: "cpu", or on
// processors with several kinds of cores and on ARM those that have a file
// "cpus" (tools/perf/util/pmu.c, is_pmu_core).
func (s *System) corePMUs() []string {
	var names []string
	for _, p := range s.pmus() {
		if p == pmuCPU || s.pmuFile(p, "cpus") != "" {
			names = append(names, p)
		}
	}
	sort.Strings(names)
	return names
}

// Narrow keeps what is needed to count on some CPUs only: of an event of a
// hybrid processor the parts whose PMU has one of the CPUs. Where one part is
// left it takes the place of the sum, under the sum's name. An event that is on
// none of the CPUs stays as it is, and will read NotCounted. No CPUs means all
// of them.
func Narrow(events []Event, cpus []int) []Event {
	if len(cpus) == 0 {
		return append([]Event(nil), events...)
	}
	var out []Event
	for i := 0; i < len(events); i++ {
		e := events[i]
		if e.Sum == 0 || i+e.Sum >= len(events) {
			out = append(out, e)
			continue
		}
		var keep []Event
		for _, part := range events[i+1 : i+1+e.Sum] {
			if part.Uncore || part.anyOf(cpus) {
				keep = append(keep, part)
			}
		}
		i += e.Sum
		switch len(keep) {
		case 0:
			out = append(out, events[i-e.Sum:i+1]...)
		case 1:
			one := keep[0]
			one.Name, one.Spec, one.Part = e.Name, e.Spec, false
			out = append(out, one)
		default:
			e.Sum = len(keep)
			out = append(append(out, e), keep...)
		}
	}
	return out
}

// anyOf reports whether the event's PMU has one of the CPUs.
func (e Event) anyOf(cpus []int) bool {
	own, err := ParseCPUs(e.CPUs)
	if err != nil || len(own) == 0 {
		return true
	}
	return len(intersect(own, cpus)) > 0
}

// intersect keeps the CPUs of a that are in b, in a's order.
func intersect(a, b []int) []int {
	in := make(map[int]bool, len(b))
	for _, c := range b {
		in[c] = true
	}
	var both []int
	for _, c := range a {
		if in[c] {
			both = append(both, c)
		}
	}
	return both
}
