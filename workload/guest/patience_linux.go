package guest

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// A patience is a clock for time limits: it stands still while the process that it
// is about would run and is not let. On a host that is busy with other things a
// kernel that boots slowly must not be taken for one that hangs.
type patience struct {
	pid     int
	passed  time.Duration
	last    time.Time
	delayed time.Duration // what the process has waited for a CPU so far
}

func newPatience(pid int) *patience {
	return &patience{pid: pid, last: time.Now(), delayed: waited(pid)}
}

// tick moves the clock on.
func (p *patience) tick(now time.Time) time.Duration {
	delayed := waited(p.pid)
	p.passed += max(0, now.Sub(p.last)-max(0, delayed-p.delayed))
	p.last, p.delayed = now, delayed
	return p.passed
}

// waited is how long the thread of a process that waited longest for a CPU has done
// so: the second number of /proc/PID/task/TID/schedstat, in nanoseconds. It is 0
// where the kernel does not say (CONFIG_SCHED_INFO).
func waited(pid int) time.Duration {
	dir := "/proc/" + strconv.Itoa(pid) + "/task"
	threads, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	var longest time.Duration
	for _, t := range threads {
		b, err := os.ReadFile(dir + "/" + t.Name() + "/schedstat")
		if err != nil {
			continue
		}
		if f := bytes.Fields(b); len(f) >= 2 {
			if n, err := strconv.ParseInt(string(f[1]), 10, 64); err == nil {
				longest = max(longest, time.Duration(n))
			}
		}
	}
	return longest
}
