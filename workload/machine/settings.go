package machine

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"microcost/workload/recording"
)

func readSettings(t tree, env *recording.Env) {
	env.Paranoid = t.number("proc/sys/kernel/perf_event_paranoid")
	env.NMIWatchdog = t.number("proc/sys/kernel/nmi_watchdog")
	env.ASLR = t.number("proc/sys/kernel/randomize_va_space")
	for _, p := range t.glob("sys/devices/system/cpu/vulnerabilities/*") {
		if s := t.text(p); s != "" {
			env.Mitigations = put(env.Mitigations, path.Base(p), s)
		}
	}
}

// readScheduler reads the scheduler's settings. Most are in debugfs, which
// only root can read; the names moved there from sysctl in 5.13.
func readScheduler(t tree, env *recording.Env) {
	if features := t.first("sys/kernel/debug/sched/features", "sys/kernel/debug/sched_features"); features != "" {
		env.SchedFeatures = strings.Fields(features)
	}
	env.Preempt = chosen(t.first("sys/kernel/debug/sched/preempt", "sys/kernel/debug/sched_preempt"))
	env.SchedExt = schedExt(t.text("sys/kernel/sched_ext/state"), t.text("sys/kernel/sched_ext/root/ops"))
	for _, pattern := range []string{
		"proc/sys/kernel/sched_*", "proc/sys/kernel/numa_balancing*", "proc/sys/kernel/timer_migration",
		"sys/kernel/debug/sched/*_ns", "sys/kernel/debug/sched/*_ms", "sys/kernel/debug/sched/nr_migrate",
		"sys/kernel/debug/sched/tunable_scaling",
	} {
		for _, p := range t.glob(pattern) {
			if s := t.text(p); s != "" && !strings.Contains(s, "\n") {
				env.SchedSysctls = put(env.SchedSysctls, path.Base(p), s)
			}
		}
	}
}

// schedExt returns "disabled", the name of the sched_ext scheduler that is
// loaded, or "" for a kernel without sched_ext.
func schedExt(state, ops string) string {
	if state == "enabled" && ops != "" {
		return ops
	}
	return state
}

// readModules identifies the loaded modules by names and sizes; addresses,
// use counts and the order of loading are left out.
func readModules(t tree, env *recording.Env) {
	data, err := t.Open("proc/modules")
	if err != nil {
		return // built without modules: absent
	}
	data.Close()
	var loaded []string
	for line := range strings.Lines(string(t.bytes("proc/modules"))) {
		if f := strings.Fields(line); len(f) >= 2 {
			loaded = append(loaded, f[0]+" "+f[1])
		}
	}
	slices.Sort(loaded)
	sum := sha256.Sum256([]byte(strings.Join(loaded, "\n")))
	env.ModulesSHA256 = hex.EncodeToString(sum[:])
	n := len(loaded)
	env.Modules = &n
}

func put(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}
