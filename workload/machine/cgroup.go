package machine

import (
	"path"
	"strconv"
	"strings"

	"microcost/workload/recording"
)

// readCgroup reads the limits of the control group that this process is in.
// The path of the group is not kept: it may hold the names of users and jobs.
func readCgroup(t tree, env *recording.Env) {
	groups := parseCgroup(t.text("proc/self/cgroup"))
	if dir, ok := groups[""]; ok {
		base := "sys/fs/cgroup"
		env.CgroupCPU = t.tightest(base, dir, "cpu.max", cpuShare)
		env.CgroupMemory = t.tightest(base, dir, "memory.max", decimal)
		env.CgroupCPUs = t.first(path.Join(base, dir, "cpuset.cpus.effective"), path.Join(base, "cpuset.cpus.effective"))
	}
	// Version 1, where each controller has a tree of its own.
	if dir, ok := groups["cpu"]; ok && env.CgroupCPU == "" {
		at := path.Join("sys/fs/cgroup/cpu", dir)
		quota, period := t.text(at+"/cpu.cfs_quota_us"), t.text(at+"/cpu.cfs_period_us")
		if strings.HasPrefix(quota, "-") {
			quota = "max"
		}
		env.CgroupCPU = strings.TrimSpace(quota + " " + period)
	}
	if dir, ok := groups["memory"]; ok && env.CgroupMemory == "" {
		env.CgroupMemory = t.tightest("sys/fs/cgroup/memory", dir, "memory.limit_in_bytes", decimal)
		if len(env.CgroupMemory) >= 19 { // version 1 writes "no limit" as the largest page-aligned number
			env.CgroupMemory = "max"
		}
	}
	if dir, ok := groups["cpuset"]; ok && env.CgroupCPUs == "" {
		env.CgroupCPUs = t.first(path.Join("sys/fs/cgroup/cpuset", dir, "cpuset.effective_cpus"), path.Join("sys/fs/cgroup/cpuset", dir, "cpuset.cpus"))
	}
}

// parseCgroup returns the path of the group by controller; "" is version 2.
func parseCgroup(text string) map[string]string {
	groups := map[string]string{}
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 || strings.Contains(f[2], "..") { // a group outside of our namespace
			continue
		}
		for name := range strings.SplitSeq(f[1], ",") {
			groups[name] = f[2]
		}
	}
	return groups
}

// tightest returns the smallest of a limit that a group and those above it
// have, by the measure given; each of them binds.
func (t tree) tightest(base, dir, file string, measure func(string) (float64, bool)) string {
	found, least := "", 0.0
	for {
		if s := t.text(path.Join(base, dir, file)); s != "" {
			v, limited := measure(s)
			if found == "" || limited && (least == 0 || v < least) {
				found = s
				if limited {
					least = v
				}
			}
		}
		if dir == "/" || dir == "." || dir == "" {
			return found
		}
		dir = path.Dir(dir)
	}
}

// cpuShare is how many processors "quota period" allows.
func cpuShare(s string) (float64, bool) {
	quota, period, _ := strings.Cut(s, " ")
	q, ok1 := decimal(quota)
	p, ok2 := decimal(period)
	return q / p, ok1 && ok2 && p > 0
}

func decimal(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && v > 0
}
