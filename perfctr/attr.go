package perfctr

// Attr is the part of struct perf_event_attr (include/uapi/linux/perf_event.h)
// that says what is counted. How it is read and inherited is added when it is
// opened. The package knows it on every system, so that event lists can be
// parsed where they cannot be counted.
type Attr struct {
	Type    uint32 // PERF_TYPE_*, or the number that sysfs gives a PMU
	Config  uint64
	Config1 uint64 // bp_addr of a breakpoint
	Config2 uint64 // bp_len of a breakpoint
	Config3 uint64 // since Linux 6.3 (ABI size 136)
	BPType  uint32 // HW_BREAKPOINT_*, for breakpoints only
	Precise uint8  // precise_ip, 0 to 3; or PreciseMax
	Flags   Flags
}

// PreciseMax stands for the highest precise_ip that the PMU takes (:P).
const PreciseMax = 0xff

// Flags are the single bits of struct perf_event_attr that an event list can set.
type Flags uint8

const (
	ExcludeUser   Flags = 1 << iota // exclude_user
	ExcludeKernel                   // exclude_kernel
	ExcludeHV                       // exclude_hv
	ExcludeIdle                     // exclude_idle
	ExcludeHost                     // exclude_host
	ExcludeGuest                    // exclude_guest
	Pinned                          // pinned
	Exclusive                       // exclusive
)

// The PERF_TYPE_* of enum perf_type_id; PMUs beyond these have their numbers
// in sysfs.
const (
	typeHardware   = 0
	typeSoftware   = 1
	typeTracepoint = 2
	typeHWCache    = 3
	typeRaw        = 4
	typeBreakpoint = 5
)

// pmuTypeShift is PERF_PMU_TYPE_SHIFT: since Linux 5.12 the upper half of the
// config of a generic event may carry the number of the PMU that is meant, on
// processors that have more than one (PERF_PMU_CAP_EXTENDED_HW_TYPE).
const pmuTypeShift = 32

// PMU names for events that no directory of sysfs describes.
const (
	pmuCPU        = "cpu"
	pmuSoftware   = "software"
	pmuTracepoint = "tracepoint"
	pmuBreakpoint = "breakpoint"
)
