package perfctr

import (
	"fmt"
	"io/fs"
	"strconv"

	"golang.org/x/sys/unix"
)

// A place is where one counter is opened: arguments of perf_event_open(2).
type place struct {
	pid, cpu, flags int
}

// callingThread is the place of a command that is about to be started.
var callingThread = place{CallingThread, AnyCPU, unix.PERF_FLAG_FD_CLOEXEC}

// threadPlace is that of one thread of a process.
func threadPlace(tid int) place { return place{tid, AnyCPU, unix.PERF_FLAG_FD_CLOEXEC} }

// wideplaces are the places of a target that counts whole CPUs. The caller
// calls done after the counters are open: a cgroup is named by an open
// directory, which the counter itself does not need.
func (s *System) widePlaces(t Target) (places []place, done func(), err error) {
	done = func() {}
	cpus := t.CPUs
	if len(cpus) == 0 {
		if cpus, err = s.onlineCPUs(); err != nil {
			return nil, done, err
		}
	}
	where := place{AnyProcess, AnyCPU, unix.PERF_FLAG_FD_CLOEXEC}
	if t.Kind == OnCgroup {
		dir, err := s.cgroupDir(t.Cgroup)
		if err != nil {
			return nil, done, err
		}
		fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, done, fmt.Errorf("opening cgroup %s: %w", dir, err)
		}
		done = func() { unix.Close(fd) }
		where.pid, where.flags = fd, where.flags|unix.PERF_FLAG_PID_CGROUP
	}
	for _, c := range cpus {
		p := where
		p.cpu = c
		places = append(places, p)
	}
	return places, done, nil
}

// onlineCPUs reads which CPUs are there.
func (s *System) onlineCPUs() ([]int, error) {
	b, err := fs.ReadFile(s.Sys, "devices/system/cpu/online")
	if err != nil {
		return nil, fmt.Errorf("reading which CPUs are online: %w", err)
	}
	return ParseCPUs(string(b))
}

// threads lists the threads of a process; none when it is gone.
func (s *System) threads(pid int) ([]int, error) {
	entries, err := fs.ReadDir(s.Proc, strconv.Itoa(pid)+"/task")
	if err != nil && len(entries) == 0 {
		return nil, unix.ESRCH
	}
	var tids []int
	for _, e := range entries {
		if tid, err := strconv.Atoi(e.Name()); err == nil {
			tids = append(tids, tid)
		}
	}
	return tids, nil
}

// firstPlace is a place of the target on which an event can be tried. The
// caller calls done when it is no longer needed.
func (s *System) firstPlace(t Target, e Event) (p place, done func(), err error) {
	switch t.Kind {
	case OnProcess:
		return threadPlace(t.PID), func() {}, nil
	case OnCPUs, OnCgroup:
		places, done, err := s.widePlaces(t)
		if err != nil {
			return place{}, done, err
		}
		places = onOwnCPUs(places, e)
		if len(places) == 0 {
			return place{}, done, unix.ENODEV
		}
		return places[0], done, nil
	}
	return callingThread, func() {}, nil
}

// onOwnCPUs keeps the places that are on CPUs of the event's PMU.
func onOwnCPUs(places []place, e Event) []place {
	own, err := ParseCPUs(e.CPUs)
	if err != nil || len(own) == 0 {
		return places
	}
	in := make(map[int]bool, len(own))
	for _, c := range own {
		in[c] = true
	}
	var kept []place
	for _, p := range places {
		if p.cpu == AnyCPU || in[p.cpu] {
			kept = append(kept, p)
		}
	}
	return kept
}
