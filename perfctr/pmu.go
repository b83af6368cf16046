package perfctr

import (
	"io/fs"
	"strings"
)

// pmuDir is where sysfs lists the PMUs, each with its number (type), the
// fields of its config words (format), its named events (events) and the CPUs
// that it serves.
const pmuDir = "bus/event_source/devices"

// pmus lists the names of all PMUs, sorted; none where sysfs has none.
func (s *System) pmus() []string {
	if s.Sys == nil {
		return nil
	}
	entries, err := fs.ReadDir(s.Sys, pmuDir)
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
	if s.Sys == nil {
		return ""
	}
	b, err := fs.ReadFile(s.Sys, pmuDir+"/"+pmu+"/"+name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
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
	return names
}
