package sched

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// spareFiles are the descriptors that this program may open itself meanwhile:
// counters, the recording, what the runtime needs.
const spareFiles = 64

// checkFiles compares the descriptors of a workload with the limit.
func checkFiles(d *definition, s Spec) error {
	if d.files == nil {
		return nil
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return &CheckError{Msg: fmt.Sprintf("getrlimit: %v", err), Err: err}
	}
	open := 0
	if list, err := os.ReadDir("/proc/self/fd"); err == nil {
		open = len(list)
	}
	need := d.files(s) + open + spareFiles
	if uint64(need) <= limit.Cur {
		return nil
	}
	e := &CheckError{
		Msg:  fmt.Sprintf("%s needs %d descriptors at once, and the limit is %d", s, need, limit.Cur),
		Hint: fmt.Sprintf("ulimit -n %d (the hard limit is %d)", need, limit.Max),
	}
	if s.Threads {
		e.Hint += ", or processes instead of threads: each has the descriptors of its own group only"
	}
	return e
}

// procLimits are how many tasks there may be, and how many there are.
type procLimits struct {
	user, system, cgroup int64 // most; MaxInt64 is no limit
	ofUser, ofSystem     int64 // there are
	ofCgroup             int64
	cgroupFile           string
}

// readLimits asks the kernel. What cannot be read is no limit.
func readLimits() procLimits {
	l := procLimits{user: math.MaxInt64, system: math.MaxInt64, cgroup: math.MaxInt64}
	var r unix.Rlimit
	if os.Geteuid() != 0 && unix.Getrlimit(unix.RLIMIT_NPROC, &r) == nil && r.Cur < math.MaxInt64 {
		l.user, l.ofUser = int64(r.Cur), tasksOf(os.Getuid())
	}
	for _, file := range []string{"/proc/sys/kernel/threads-max", "/proc/sys/kernel/pid_max"} {
		if n, ok := readNumber(file); ok {
			l.system = min(l.system, n)
		}
	}
	// The fourth field of loadavg is running/all.
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		if f := strings.Fields(string(text)); len(f) > 3 {
			_, all, _ := strings.Cut(f[3], "/")
			l.ofSystem, _ = strconv.ParseInt(all, 10, 64)
		}
	}
	l.readCgroup()
	return l
}

// readCgroup looks for the tightest pids.max from the own cgroup of v2 upwards.
func (l *procLimits) readCgroup() {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(text)) {
		dir, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !ok {
			continue
		}
		for ; ; dir = filepath.Dir(dir) {
			at := filepath.Join("/sys/fs/cgroup", dir)
			most, ok := readNumber(filepath.Join(at, "pids.max"))
			have, _ := readNumber(filepath.Join(at, "pids.current"))
			if ok && most-have < l.cgroup-l.ofCgroup {
				l.cgroup, l.ofCgroup, l.cgroupFile = most, have, filepath.Join(at, "pids.max")
			}
			if dir == "/" || dir == "." {
				return
			}
		}
	}
}

// readNumber reads a file with one number.
func readNumber(file string) (int64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// tasksOf counts the threads of a user's processes.
func tasksOf(uid int) int64 {
	dirs, _ := filepath.Glob("/proc/[0-9]*/status")
	var n int64
	for _, file := range dirs {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		owner, threads := -1, int64(1)
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			switch {
			case len(f) > 1 && f[0] == "Uid:":
				owner, _ = strconv.Atoi(f[1])
			case len(f) > 1 && f[0] == "Threads:":
				threads, _ = strconv.ParseInt(f[1], 10, 64)
			}
		}
		if owner == uid {
			n += threads
		}
	}
	return n
}

// checkTasks compares the tasks of a workload with the limits.
func checkTasks(d *definition, s Spec, l procLimits) error {
	need := int64(d.tasks(s)) + 1 // the host
	if d.inner != nil {
		need += int64(d.inner(s))
	}
	refuse := func(limit string, most, have int64, hint string) error {
		return &CheckError{
			Msg:  fmt.Sprintf("%s needs %d tasks, and %s allows %d, of which %d are there", s, need, limit, most, have),
			Hint: hint,
		}
	}
	switch {
	case l.user != math.MaxInt64 && need > l.user-l.ofUser:
		return refuse("the user's limit", l.user, l.ofUser, fmt.Sprintf("ulimit -u %d", l.ofUser+need))
	case l.system != math.MaxInt64 && need > l.system-l.ofSystem:
		return refuse("the system", l.system, l.ofSystem, "sysctl kernel.threads-max and kernel.pid_max")
	case l.cgroup != math.MaxInt64 && need > l.cgroup-l.ofCgroup:
		return refuse("the cgroup", l.cgroup, l.ofCgroup, fmt.Sprintf("echo %d > %s", l.ofCgroup+need, l.cgroupFile))
	}
	return nil
}
