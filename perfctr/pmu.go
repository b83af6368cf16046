package perfctr

import (
	"io/fs"
	"path"
	"sort"
	"strconv"
	"strings"
)

// pmuDir is where sysfs lists the PMUs, each with its number (type), the
// fields of its config words (format), its named events (events) and the CPUs
// that it serves. perf-utils' AvailablePMUs reads the numbers of the machine
// that runs; it is not used because it cannot read a fixture and gives up at
// the first PMU that it does not understand.
const pmuDir = "bus/event_source/devices"

// pmus lists the names of all PMUs, sorted; none where sysfs has none.
func (s *System) pmus() []string { return s.dir(pmuDir) }

// dir lists a directory of sysfs, sorted.
func (s *System) dir(name string) []string {
	if s.Sys == nil {
		return nil
	}
	entries, err := fs.ReadDir(s.Sys, name)
	if err != nil {
		return nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// pmuFile reads one file of a PMU; empty where there is none.
func (s *System) pmuFile(pmu, name string) string {
	if s.Sys == nil || !fs.ValidPath(pmu) {
		return ""
	}
	b, err := fs.ReadFile(s.Sys, pmuDir+"/"+pmu+"/"+name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// pmuEvents lists the events that a PMU names. The files with a dot carry the
// unit and the scale of the event before the dot.
func (s *System) pmuEvents(pmu string) []string {
	var names []string
	for _, n := range s.dir(pmuDir + "/" + pmu + "/events") {
		if !strings.Contains(n, ".") || s.pmuFile(pmu, "events/"+n[:strings.LastIndexByte(n, '.')]) == "" {
			names = append(names, n)
		}
	}
	return names
}

// pmuType is the number of a PMU.
func (s *System) pmuType(pmu string) (uint32, bool) {
	n, err := strconv.ParseUint(s.pmuFile(pmu, "type"), 10, 32)
	return uint32(n), err == nil
}

// pmuOfType is the name that goes with a number; empty when there is none.
func (s *System) pmuOfType(typ uint32) string {
	for _, pmu := range s.pmus() {
		if n, ok := s.pmuType(pmu); ok && n == typ {
			return pmu
		}
	}
	return ""
}

// onPMU begins an event of a PMU: its number, and the CPUs on which it counts.
// A core PMU of a hybrid processor has a file "cpus"; a PMU that is read on one
// CPU for a whole package has a file "cpumask".
func (s *System) onPMU(pmu string) Event {
	e := Event{PMU: pmu}
	e.Attr.Type, _ = s.pmuType(pmu)
	if pmu == pmuCPU {
		return e
	}
	if cpus := s.pmuFile(pmu, "cpus"); cpus != "" {
		if len(s.corePMUs()) > 1 {
			e.CPUs = cpus
		}
		return e
	}
	if mask := s.pmuFile(pmu, "cpumask"); mask != "" {
		e.CPUs, e.Uncore = mask, true
	}
	return e
}

// matching lists the PMUs that a name in an event list stands for: the PMU of
// that name; or all whose name is that and a number (uncore_imc stands for
// uncore_imc_0 and uncore_imc_1), with or without "uncore_" before it; or those
// that a pattern matches. "cpu" also stands for all core PMUs of a hybrid
// processor.
func (s *System) matching(name string) []string {
	var found []string
	for _, pmu := range s.pmus() {
		if pmu == name {
			return []string{pmu}
		}
		if numbered(pmu, name) || numbered(strings.TrimPrefix(pmu, "uncore_"), name) {
			found = append(found, pmu)
		} else if ok, err := path.Match(name, pmu); ok && err == nil {
			found = append(found, pmu)
		}
	}
	if len(found) == 0 && name == pmuCPU {
		found = s.corePMUs()
	}
	sort.SliceStable(found, func(i, j int) bool {
		a, b := found[i], found[j]
		if len(a) != len(b) {
			return len(a) < len(b) // imc_9 before imc_10
		}
		return a < b
	})
	return found
}

// numbered reports whether pmu is name, or name and a number.
func numbered(pmu, name string) bool {
	rest, ok := strings.CutPrefix(pmu, name)
	rest = strings.TrimPrefix(rest, "_")
	return ok && name != "" && strings.Trim(rest, "0123456789") == ""
}

// aliased makes the events of a name that stands in the events of one or more
// PMUs, as perf does for a name without a PMU (tsc, energy-pkg, mem-loads).
func (s *System) aliased(name string, m modifiers) ([]Event, bool) {
	if s.Sys == nil || name == "" || strings.ContainsAny(name, "/.:") {
		return nil, false
	}
	var parts []Event
	for _, pmu := range s.pmus() {
		if s.pmuFile(pmu, "events/"+name) == "" {
			continue
		}
		p := parser{sys: s, in: name}
		e, err := p.pmuEvent(pmu, node{name: pmu, slash: true, terms: []term{{name: name}}, body: name, mods: m})
		if err != nil {
			return nil, false // an event that wants a value (event=?)
		}
		parts = append(parts, e)
	}
	switch len(parts) {
	case 0:
		return nil, false
	case 1:
		return parts, true
	}
	return sumOf(m.apply(Event{Name: name}), parts), true
}
