package machine

import (
	"strconv"
	"strings"

	"microcost/workload/recording"
)

func readMemory(t tree, env *recording.Env) {
	env.Memory = memTotal(string(t.bytes("proc/meminfo")))
	env.HugePages = chosen(t.text("sys/kernel/mm/transparent_hugepage/enabled"))
	env.NUMANodes = listLen(t.text("sys/devices/system/node/online"))
}

// memTotal returns the bytes of the line MemTotal of /proc/meminfo, or 0.
func memTotal(meminfo string) uint64 {
	for line := range strings.Lines(meminfo) {
		f := strings.Fields(line)
		if len(f) >= 2 && f[0] == "MemTotal:" {
			kb, err := strconv.ParseUint(f[1], 10, 50)
			if err != nil {
				return 0
			}
			return kb << 10
		}
	}
	return 0
}
