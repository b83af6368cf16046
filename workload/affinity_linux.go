package workload

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// pin binds the calling thread, and so the commands it starts, to the CPUs.
// The thread must not be used for anything else afterwards.
func pin(cpus []int) error {
	var set unix.CPUSet
	for _, c := range cpus {
		set.Set(c)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("pinning to the CPUs %v: sched_setaffinity: %w", cpus, err)
	}
	return nil
}

// AllowedCPUs are the CPUs that this process may use, in order.
func AllowedCPUs() ([]int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("sched_getaffinity: %w", err)
	}
	var list []int
	for c := range len(set) * 64 {
		if set.IsSet(c) {
			list = append(list, c)
		}
	}
	return list, nil
}
