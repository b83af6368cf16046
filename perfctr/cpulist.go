package perfctr

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxCPU is a number that no CPU has: it keeps a typing error in a list from
// becoming millions of CPUs.
const maxCPU = 1 << 16

// ParseCPUs reads a list of CPUs as sysfs and taskset write it: "0-3,8". An
// empty list is no CPUs.
func ParseCPUs(list string) ([]int, error) {
	list = strings.TrimSpace(list)
	if list == "" {
		return nil, nil
	}
	var cpus []int
	for _, part := range strings.Split(list, ",") {
		from, to, ranged := strings.Cut(part, "-")
		first, err := strconv.Atoi(from)
		if err != nil || first < 0 || first >= maxCPU {
			return nil, fmt.Errorf("CPU list %q: %q is not a CPU", list, part)
		}
		last := first
		if ranged {
			last, err = strconv.Atoi(to)
			if err != nil || last < first || last >= maxCPU {
				return nil, fmt.Errorf("CPU list %q: %q is not a range of CPUs", list, part)
			}
		}
		for c := first; c <= last; c++ {
			cpus = append(cpus, c)
		}
	}
	return cpus, nil
}

// FormatCPUs writes a list of CPUs as ParseCPUs reads it.
func FormatCPUs(cpus []int) string {
	sorted := slices.Clone(cpus)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	var parts []string
	for i := 0; i < len(sorted); {
		j := i
		for j+1 < len(sorted) && sorted[j+1] == sorted[j]+1 {
			j++
		}
		part := strconv.Itoa(sorted[i])
		if j > i {
			part += "-" + strconv.Itoa(sorted[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}
