package recording

// Env is what a measurement depends on besides the command. A field that is
// absent was not known: absent is not zero, so numbers for which zero says
// something are pointers.
//
// Nothing here names the machine, its user or their files; see Private.
type Env struct {
	BootID  string `json:"boot_id,omitempty"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	Host    string `json:"host,omitempty"`                // keyed hash of the machine id: same or other machine, no name
	Kernel  string `json:"kernel,omitempty"`              // uname -r
	Build   string `json:"kernel_version,omitempty"`      // uname -v
	CmdLine string `json:"kernel_command_line,omitempty"` // values that identify a machine are struck out

	ConfigSHA256 string `json:"kernel_config_sha256,omitempty"` // of the lines that set an option
	ConfigGZ     []byte `json:"kernel_config_gz,omitempty"`     // gzip of the file, when it was readable

	CPU            string   `json:"cpu,omitempty"`  // model name
	CPUs           int      `json:"cpus,omitempty"` // online
	Microcode      string   `json:"microcode,omitempty"`
	Online         string   `json:"cpus_online,omitempty"`   // as a list: "0-7"
	Isolated       string   `json:"cpus_isolated,omitempty"` // as a list
	Sockets        int      `json:"sockets,omitempty"`
	Cores          int      `json:"cores,omitempty"` // of all sockets
	ThreadsPerCore int      `json:"threads_per_core,omitempty"`
	SMT            string   `json:"smt,omitempty"` // on, off, forceoff, notsupported, notimplemented
	Governor       string   `json:"governor,omitempty"`
	Driver         string   `json:"frequency_driver,omitempty"`
	Preference     string   `json:"energy_performance_preference,omitempty"`
	Turbo          *bool    `json:"turbo,omitempty"`
	MinFrequency   uint64   `json:"min_frequency_hz,omitempty"`
	MaxFrequency   uint64   `json:"max_frequency_hz,omitempty"`
	ScalingMin     uint64   `json:"scaling_min_frequency_hz,omitempty"`
	ScalingMax     uint64   `json:"scaling_max_frequency_hz,omitempty"`
	Frequency      uint64   `json:"frequency_hz,omitempty"` // of cpu 0 at the session's start
	IdleDriver     string   `json:"idle_driver,omitempty"`
	Throttles      *uint64  `json:"thermal_throttles,omitempty"` // of all cores since boot
	Load           *float64 `json:"load_1m,omitempty"`           // at the session's start

	Mitigations map[string]string `json:"mitigations,omitempty"` // /sys/devices/system/cpu/vulnerabilities

	Memory    uint64 `json:"memory_bytes,omitempty"`
	PageSize  int    `json:"page_size_bytes,omitempty"`
	HugePages string `json:"transparent_hugepage,omitempty"`
	NUMANodes int    `json:"numa_nodes,omitempty"`

	ClockSource    string `json:"clock_source,omitempty"`
	Virtualisation string `json:"virtualisation,omitempty"` // "none", "kvm", "xen", ...; absent when unknown

	CgroupCPU    string `json:"cgroup_cpu_max,omitempty"` // "quota period" in microseconds, or "max"
	CgroupCPUs   string `json:"cgroup_cpus,omitempty"`
	CgroupMemory string `json:"cgroup_memory_max,omitempty"` // bytes, or "max"

	Paranoid    *int `json:"perf_event_paranoid,omitempty"`
	NMIWatchdog *int `json:"nmi_watchdog,omitempty"`
	ASLR        *int `json:"randomize_va_space,omitempty"`

	Preempt       string            `json:"preempt,omitempty"` // none, voluntary, full, lazy
	SchedFeatures []string          `json:"sched_features,omitempty"`
	SchedSysctls  map[string]string `json:"sched_sysctls,omitempty"`
	SchedExt      string            `json:"sched_ext,omitempty"` // "disabled", or the name of the scheduler loaded
	ModulesSHA256 string            `json:"modules_sha256,omitempty"`
	Modules       *int              `json:"modules,omitempty"` // how many are loaded

	Variables []string `json:"variables,omitempty"` // K=V of the environment variables that matter
	Private   *Private `json:"private,omitempty"`
	Extra     Extra    `json:"-"`
}

// Private is what a recording holds only when the user asked for it.
type Private struct {
	HostName    string   `json:"host_name,omitempty"`
	User        string   `json:"user,omitempty"`
	Environment []string `json:"environment,omitempty"`
	Extra       Extra    `json:"-"`
}
