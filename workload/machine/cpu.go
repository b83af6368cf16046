package machine

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"microcost/workload/recording"
)

func readCPU(t tree, env *recording.Env) {
	info := parseCPUInfo(t.cpuinfo())
	env.CPU = info.model
	env.Microcode = t.first("sys/devices/system/cpu/cpu0/microcode/version")
	if env.Microcode == "" {
		env.Microcode = info.microcode
	}
	env.Frequency = info.hertz // a cpufreq driver may say better
	if info.flags != nil {
		env.Virtualisation = "none"
		if slices.Contains(info.flags, "hypervisor") {
			env.Virtualisation = "unknown"
		}
	}
}

// cpuinfo reads /proc/cpuinfo, on x86 only the first processor of it: there
// the kernel asks every processor for its frequency, which takes long on large
// machines, and all have one model name.
func (t tree) cpuinfo() []byte {
	f, err := t.Open("proc/cpuinfo")
	if err != nil {
		return nil
	}
	defer f.Close()
	var data []byte
	buf := make([]byte, 4096)
	for len(data) < maxFile {
		n, err := f.Read(buf)
		data = append(data, buf[:n]...)
		if end := bytes.Index(data, []byte("\n\n")); end >= 0 && bytes.Contains(data[:end], []byte("model name")) {
			return data[:end]
		}
		if err != nil {
			break
		}
	}
	return data
}

type cpuInfo struct {
	model, microcode string
	hertz            uint64
	flags            []string // nil where the architecture does not list them as x86 does
}

// parseCPUInfo understands the keys of x86, arm64, POWER, s390, RISC-V and
// MIPS. Arm processors have numbers instead of names; one machine may have
// several kinds, which are all given.
func parseCPUInfo(data []byte) cpuInfo {
	var info cpuInfo
	var arm armCPU
	var models []string
	for line := range strings.Lines(string(data)) {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch key {
		case "model name", "cpu model", "cpu", "uarch", "processor 0":
			models = appendNew(models, value)
		case "CPU implementer":
			arm = armCPU{implementer: value}
		case "CPU variant":
			arm.variant = value
		case "CPU part":
			arm.part = value
		case "CPU revision":
			arm.revision = value
			models = appendNew(models, arm.String())
		case "microcode":
			info.microcode = value
		case "cpu MHz":
			if mhz, err := strconv.ParseFloat(value, 64); err == nil && mhz > 0 && mhz < 1e6 {
				info.hertz = uint64(mhz*1000+0.5) * 1000
			}
		case "flags":
			info.flags = strings.Fields(value)
		}
	}
	info.model = strings.Join(models, " + ")
	return info
}

// An armCPU is a processor as its identification register names it.
type armCPU struct{ implementer, variant, part, revision string }

func (a armCPU) String() string {
	return "arm implementer " + a.implementer + " part " + a.part + " variant " + a.variant + " revision " + a.revision
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

func readTopology(t tree, env *recording.Env) {
	const cpus = "sys/devices/system/cpu/"
	env.Online = t.text(cpus + "online")
	env.Isolated = t.text(cpus + "isolated")
	env.CPUs = listLen(env.Online)
	env.SMT = t.text(cpus + "smt/control")

	packages, cores := map[string]bool{}, map[string]bool{}
	for _, dir := range t.glob(cpus + "cpu[0-9]*/topology") {
		siblings := t.first(dir+"/core_cpus_list", dir+"/thread_siblings_list")
		if siblings == "" {
			continue
		}
		cores[siblings] = true
		packages[t.text(dir+"/physical_package_id")] = true
		env.ThreadsPerCore = max(env.ThreadsPerCore, listLen(siblings))
	}
	env.Sockets, env.Cores = len(packages), len(cores)
}
