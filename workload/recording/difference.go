package recording

import (
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Class says what a difference means for a comparison.
type Class int

// The classes, in the order in which they are shown.
const (
	Intended Class = iota // what such comparisons are made for: kernel, binary
	Other                 // may have a part in the result
	Spoiling              // the comparison says nothing about the change
)

func (c Class) String() string { return [...]string{"intended", "other", "spoiling"}[c] }

// A Difference is one thing that differs between two sessions.
type Difference struct {
	Field string // named as in the file: "governor", "mitigations.meltdown"
	A, B  string // empty: not there
	Class Class
}

// Differences lists what differs between two sessions besides the results,
// the intended first and the spoiling last. What only one of them knows is not
// listed: a file of another tool knows nothing of its machine. Nor is what
// differs by itself from one session to the next: boot id, time, seed.
func Differences(a, b *Session) []Difference {
	d := &differences{}
	d.kernel(&a.Env, &b.Env)
	d.machine(&a.Env, &b.Env)
	d.settings(&a.Env, &b.Env)
	d.workload(a, b)
	d.events(a, b)
	d.text("tool", a.Tool, b.Tool, Other)
	d.text("plan.schedule", a.Plan.Schedule, b.Plan.Schedule, Other)
	slices.SortStableFunc(d.list, func(x, y Difference) int { return int(x.Class) - int(y.Class) })
	return d.list
}

type differences struct{ list []Difference }

func (d *differences) add(field, a, b string, c Class) {
	d.list = append(d.list, Difference{field, a, b, c})
}

// text compares what both sides know.
func (d *differences) text(field, a, b string, c Class) {
	if a != b && a != "" && b != "" {
		d.add(field, a, b, c)
	}
}

func (d *differences) number(field string, a, b uint64, c Class) {
	if a != 0 && b != 0 {
		d.text(field, strconv.FormatUint(a, 10), strconv.FormatUint(b, 10), c)
	}
}

func (d *differences) optional(field string, a, b *int, c Class) {
	if a != nil && b != nil {
		d.text(field, strconv.Itoa(*a), strconv.Itoa(*b), c)
	}
}

// table compares maps key by key, also keys that only one has: a kernel
// without a setting differs from one with it. A missing map is not known.
func (d *differences) table(field string, a, b map[string]string, c Class) {
	if a == nil || b == nil {
		return
	}
	keys := slices.Sorted(maps.Keys(a))
	for _, k := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	for _, k := range keys {
		if a[k] != b[k] {
			d.add(field+"."+k, a[k], b[k], c)
		}
	}
}

// set compares lists of which the order does not matter.
func (d *differences) set(field string, a, b []string, c Class) {
	if a == nil || b == nil {
		return
	}
	minus := func(x, y []string) string {
		var only []string
		for _, s := range x {
			if !slices.Contains(y, s) {
				only = append(only, s)
			}
		}
		return strings.Join(only, " ")
	}
	if x, y := minus(a, b), minus(b, a); x+y != "" {
		d.add(field, x, y, c)
	}
}

func (d *differences) machine(a, b *Env) {
	d.text("os", a.OS, b.OS, Spoiling)
	d.text("arch", a.Arch, b.Arch, Spoiling)
	d.text("cpu", a.CPU, b.CPU, Spoiling)
	d.number("cpus", uint64(a.CPUs), uint64(b.CPUs), Spoiling)
	d.text("smt", a.SMT, b.SMT, Spoiling)
	d.number("threads_per_core", uint64(a.ThreadsPerCore), uint64(b.ThreadsPerCore), Spoiling)
	d.text("governor", a.Governor, b.Governor, Spoiling)
	if a.Turbo != nil && b.Turbo != nil {
		d.text("turbo", strconv.FormatBool(*a.Turbo), strconv.FormatBool(*b.Turbo), Spoiling)
	}
	d.text("virtualisation", a.Virtualisation, b.Virtualisation, Spoiling)
	d.text("host", a.Host, b.Host, Other)
	d.text("microcode", a.Microcode, b.Microcode, Other)
	d.text("cpus_isolated", a.Isolated, b.Isolated, Other)
	d.number("sockets", uint64(a.Sockets), uint64(b.Sockets), Other)
	d.number("cores", uint64(a.Cores), uint64(b.Cores), Other)
	d.number("numa_nodes", uint64(a.NUMANodes), uint64(b.NUMANodes), Other)
	d.text("frequency_driver", a.Driver, b.Driver, Other)
	d.text("energy_performance_preference", a.Preference, b.Preference, Other)
	d.number("min_frequency_hz", a.MinFrequency, b.MinFrequency, Other)
	d.number("max_frequency_hz", a.MaxFrequency, b.MaxFrequency, Other)
	d.number("scaling_min_frequency_hz", a.ScalingMin, b.ScalingMin, Other)
	d.number("scaling_max_frequency_hz", a.ScalingMax, b.ScalingMax, Other)
	d.text("idle_driver", a.IdleDriver, b.IdleDriver, Other)
	// Kernels reserve a little more or less of the same memory.
	if x, y := float64(a.Memory), float64(b.Memory); math.Abs(x-y) > 0.01*max(x, y) {
		d.number("memory_bytes", a.Memory, b.Memory, Other)
	}
	d.number("page_size_bytes", uint64(a.PageSize), uint64(b.PageSize), Spoiling)
	if a.Load != nil && b.Load != nil && math.Abs(*a.Load-*b.Load) >= 1 {
		d.text("load_1m", strconv.FormatFloat(*a.Load, 'g', -1, 64), strconv.FormatFloat(*b.Load, 'g', -1, 64), Other)
	}
	if a.Throttles != nil && b.Throttles != nil && a.BootID == b.BootID { // it counts from boot
		d.text("thermal_throttles", strconv.FormatUint(*a.Throttles, 10), strconv.FormatUint(*b.Throttles, 10), Other)
	}
}

func (d *differences) settings(a, b *Env) {
	d.table("mitigations", a.Mitigations, b.Mitigations, Other)
	d.text("transparent_hugepage", a.HugePages, b.HugePages, Other)
	d.text("clock_source", a.ClockSource, b.ClockSource, Other)
	d.text("cgroup_cpu_max", a.CgroupCPU, b.CgroupCPU, Other)
	d.text("cgroup_cpus", a.CgroupCPUs, b.CgroupCPUs, Other)
	d.text("cgroup_memory_max", a.CgroupMemory, b.CgroupMemory, Other)
	d.optional("perf_event_paranoid", a.Paranoid, b.Paranoid, Other)
	d.optional("nmi_watchdog", a.NMIWatchdog, b.NMIWatchdog, Other)
	d.optional("randomize_va_space", a.ASLR, b.ASLR, Other)
	d.text("preempt", a.Preempt, b.Preempt, Other)
	d.set("sched_features", a.SchedFeatures, b.SchedFeatures, Other)
	d.table("sched_sysctls", a.SchedSysctls, b.SchedSysctls, Other)
	d.text("sched_ext", a.SchedExt, b.SchedExt, Other)
	d.text("modules_sha256", a.ModulesSHA256, b.ModulesSHA256, Other)
	d.set("variables", a.Variables, b.Variables, Other)
}

// workload compares variants by their place. The same program from another
// directory, or with other contents, is the change that was meant; another
// program, or other arguments, is another workload.
func (d *differences) workload(a, b *Session) {
	if len(a.Variants) != len(b.Variants) {
		d.add("variants", strconv.Itoa(len(a.Variants)), strconv.Itoa(len(b.Variants)), Spoiling)
		return
	}
	for i := range a.Variants {
		x, y := &a.Variants[i], &b.Variants[i]
		if !sameWork(x, y) {
			d.text("workload", x.Text, y.Text, Spoiling)
		} else {
			d.text("workload", x.Text, y.Text, Intended)
		}
		if x.Binary != nil && y.Binary != nil {
			d.text("binary.sha256", x.Binary.SHA256, y.Binary.SHA256, Intended)
			d.text("binary.build_id", x.Binary.BuildID, y.Binary.BuildID, Intended)
		}
		d.set("variant.env", orEmpty(x.Env), orEmpty(y.Env), Other)
	}
	d.text("plan.cpus", a.Plan.CPUs, b.Plan.CPUs, Other)
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func sameWork(a, b *Variant) bool {
	x, y := a.Command, b.Command
	if len(x) == 0 || len(y) == 0 || a.Shell || b.Shell {
		return a.Text == b.Text
	}
	return path.Base(x[0]) == path.Base(y[0]) && slices.Equal(x[1:], y[1:])
}

// events compares what was counted, and in which modes. Opening other events
// changes the cost of the workload itself.
func (d *differences) events(a, b *Session) {
	names := func(s *Session) (list []string, by map[string]*Event) {
		by = map[string]*Event{}
		for i := range s.Events {
			list = append(list, s.Events[i].Name)
			by[s.Events[i].Name] = &s.Events[i]
		}
		return list, by
	}
	x, byX := names(a)
	y, byY := names(b)
	d.set("events", x, y, Spoiling)
	for _, name := range x {
		p, q := byX[name], byY[name]
		if q == nil {
			continue
		}
		if p.Domain != q.Domain {
			d.add("domain of "+name, modes(p.Domain), modes(q.Domain), Spoiling)
		}
		d.text("support of "+name, p.Support, q.Support, Other)
	}
}

// modes says in words what Event.Domain means.
func modes(domain string) string {
	switch domain {
	case "u":
		return "user only"
	case "k":
		return "kernel only"
	}
	return "kernel and user"
}
