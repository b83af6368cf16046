package machine

import (
	"slices"
	"strconv"
	"strings"

	"microcost/workload/recording"
)

func readPower(t tree, env *recording.Env) {
	const cpus = "sys/devices/system/cpu/"
	env.Governor = t.distinct(cpus + "cpufreq/policy*/scaling_governor")
	env.Preference = t.distinct(cpus + "cpufreq/policy*/energy_performance_preference")
	env.Driver = t.text(cpus + "cpu0/cpufreq/scaling_driver")
	env.MinFrequency = t.kilohertz(cpus + "cpu0/cpufreq/cpuinfo_min_freq")
	env.MaxFrequency = t.kilohertz(cpus + "cpu0/cpufreq/cpuinfo_max_freq")
	env.ScalingMin = t.kilohertz(cpus + "cpu0/cpufreq/scaling_min_freq")
	env.ScalingMax = t.kilohertz(cpus + "cpu0/cpufreq/scaling_max_freq")
	if f := t.kilohertz(cpus + "cpu0/cpufreq/scaling_cur_freq"); f != 0 {
		env.Frequency = f
	}
	env.Turbo = turbo(t.text(cpus+"intel_pstate/no_turbo"), t.text(cpus+"cpufreq/boost"))
	env.IdleDriver = t.text(cpus + "cpuidle/current_driver")
	env.Throttles = sum(t, cpus+"cpu[0-9]*/thermal_throttle/core_throttle_count")
	if one, _, ok := strings.Cut(t.text("proc/loadavg"), " "); ok {
		if load, err := strconv.ParseFloat(one, 64); err == nil {
			env.Load = &load
		}
	}
}

// turbo goes by the switch of intel_pstate, or else that of cpufreq.
func turbo(noTurbo, boost string) *bool {
	var on bool
	switch {
	case noTurbo == "0" || noTurbo == "" && boost == "1":
		on = true
	case noTurbo == "1" || noTurbo == "" && boost == "0":
	default:
		return nil
	}
	return &on
}

// distinct returns the different contents of the files that match, sorted:
// one word unless the processors are set differently.
func (t tree) distinct(pattern string) string {
	var all []string
	for _, p := range t.glob(pattern) {
		if s := t.text(p); s != "" {
			all = append(all, s)
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}

// sum adds the numbers in the files that match; nil when there are none.
func sum(t tree, pattern string) *uint64 {
	var total *uint64
	for _, p := range t.glob(pattern) {
		n, err := strconv.ParseUint(t.text(p), 10, 64)
		if err != nil {
			continue
		}
		if total == nil {
			total = new(uint64)
		}
		*total += n
	}
	return total
}
