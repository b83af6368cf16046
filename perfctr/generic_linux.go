package perfctr

import (
	perf "github.com/hodgesds/perf-utils"
	"golang.org/x/sys/unix"
)

// swCgroupSwitches is PERF_COUNT_SW_CGROUP_SWITCHES, since Linux 5.13. The unix
// package does not have it.
const swCgroupSwitches = 11

// genericConfig returns the perf_event_attr.config of a generic event. The
// numbers are those of perf-utils' constructors; of what they return only
// Config is used, because they also set exclude_kernel and exclude_hv, with
// which a scheduler's work would not be counted.
func genericConfig(name string) uint64 {
	switch name {
	case "cycles":
		return perf.CPUCyclesEventAttr().Config
	case "instructions":
		return perf.CPUInstructionsEventAttr().Config
	case "cache-references":
		return perf.CacheRefEventAttr().Config
	case "cache-misses":
		return perf.CacheMissEventAttr().Config
	case "branches":
		return unix.PERF_COUNT_HW_BRANCH_INSTRUCTIONS // perf-utils has none
	case "branch-misses":
		return unix.PERF_COUNT_HW_BRANCH_MISSES // perf-utils has none
	case "bus-cycles":
		return perf.BusCyclesEventAttr().Config
	case "stalled-cycles-frontend":
		return perf.StalledFrontendCyclesEventAttr().Config
	case "stalled-cycles-backend":
		return perf.StalledBackendCyclesEventAttr().Config
	case "ref-cycles":
		return perf.CPURefCyclesEventAttr().Config
	case "cpu-clock":
		return perf.CPUClockEventAttr().Config
	case "task-clock":
		return perf.CPUTaskClockEventAttr().Config
	case "page-faults":
		return perf.PageFaultsEventAttr().Config
	case "context-switches":
		return perf.ContextSwitchesEventAttr().Config
	case "cpu-migrations":
		return perf.CPUMigrationsEventAttr().Config
	case "minor-faults":
		return perf.MinorPageFaultsEventAttr().Config
	case "major-faults":
		return perf.MajorPageFaultsEventAttr().Config
	case "alignment-faults":
		return perf.AlignmentFaultsEventAttr().Config
	case "emulation-faults":
		return perf.EmulationFaultsEventAttr().Config
	case "cgroup-switches":
		return swCgroupSwitches
	case "dummy":
		return unix.PERF_COUNT_SW_DUMMY
	case "bpf-output":
		return unix.PERF_COUNT_SW_BPF_OUTPUT
	}
	panic("perfctr: no number is known for the generic event " + name)
}

// cacheConfig returns the config of a hardware cache event, again from
// perf-utils' constructors.
func cacheConfig(c cacheID) uint64 {
	switch c.cache {
	case unix.PERF_COUNT_HW_CACHE_L1D:
		return perf.L1DataEventAttr(c.op, c.result).Config
	case unix.PERF_COUNT_HW_CACHE_L1I:
		return perf.L1InstructionsEventAttr(c.op, c.result).Config
	case unix.PERF_COUNT_HW_CACHE_LL:
		return perf.LLCacheEventAttr(c.op, c.result).Config
	case unix.PERF_COUNT_HW_CACHE_DTLB:
		return perf.DataTLBEventAttr(c.op, c.result).Config
	case unix.PERF_COUNT_HW_CACHE_ITLB:
		return perf.InstructionTLBEventAttr(c.op, c.result).Config
	case unix.PERF_COUNT_HW_CACHE_BPU:
		return perf.BPUEventAttr(c.op, c.result).Config
	case unix.PERF_COUNT_HW_CACHE_NODE:
		return perf.NodeCacheEventAttr(c.op, c.result).Config
	}
	panic("perfctr: no cache has the number of " + c.String())
}
