package sched

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// A CheckError says why a workload cannot be run here, and what would help.
type CheckError struct {
	Msg  string
	Hint string
	Err  error // what the kernel said, if it was asked
}

func (e *CheckError) Error() string { return e.Msg }
func (e *CheckError) Unwrap() error { return e.Err }

// Check finds out before the first run whether a workload can be run here: that
// there is code for this architecture, its CPUs are there, its policy is permitted,
// and that the limits on descriptors and processes allow it. An error is a
// *CheckError.
func Check(s Spec) error {
	d := find(s.Name)
	if d == nil {
		return &CheckError{Msg: fmt.Sprintf("no workload is called %q", s.Name)}
	}
	if !portable {
		return &CheckError{
			Msg:  fmt.Sprintf("the built-in workload %s cannot be run on %s", s.Name, runtime.GOARCH),
			Hint: "they exist for amd64 and arm64; a program of your own is measured on any: microcost ab -- CMD",
		}
	}
	cpus, err := allowed()
	if err != nil {
		return &CheckError{Msg: err.Error(), Err: err}
	}
	for _, cpu := range s.Place.CPUs {
		if !slices.Contains(cpus, cpu) {
			return &CheckError{
				Msg:  fmt.Sprintf("cpu=%s: CPU %d is not there or may not be used", formatCPUs(s.Place.CPUs), cpu),
				Hint: "usable here: " + formatCPUs(cpus),
			}
		}
	}
	if len(s.Place.CPUs) > 0 {
		cpus = s.Place.CPUs
	}
	if s.Layout == Two && len(cpus) < 2 {
		return &CheckError{Msg: "layout=two needs two CPUs, and there is only CPU " + formatCPUs(cpus), Hint: "layout=same or layout=free"}
	}
	if err := checkFiles(d, s); err != nil {
		return err
	}
	if err := checkTasks(d, s, readLimits()); err != nil {
		return err
	}
	return tryPlacement(s)
}

// tryPlacement forks one task for each way in which the workload places its
// tasks, and lets it try.
func tryPlacement(s Spec) error {
	p := s.Place
	if len(p.CPUs) == 0 && p.Policy == (Policy{}) && p.Cgroup == "" && !p.Uclamp.Set && len(s.Nices) == 0 {
		return nil
	}
	s.Threads, s.Size = false, 0
	probe := &definition{
		tasks: func(Spec) int { return max(1, len(s.Nices)) },
		setUp: func(c *crew, s Spec) error {
			for i := range max(1, len(s.Nices)) {
				t := c.add(kindProbe)
				if len(s.Nices) > 0 {
					if err := c.nice(t, s.Nices[i]); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
	_, err := probe.run(context.Background(), s, Region{})
	return placementError(s, err)
}

// placementError words what a task was refused.
func placementError(s Spec, err error) error {
	if err == nil {
		return nil
	}
	e := &CheckError{Msg: err.Error(), Err: err}
	var t *TaskError
	if !errors.As(err, &t) {
		var p *fs.PathError
		if s.Place.Cgroup != "" && (errors.As(err, &p) || errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES)) {
			e.Hint = "a cgroup is a directory below /sys/fs/cgroup, made by mkdir; tasks are moved into it by writing to its cgroup.procs"
		}
		return e
	}
	is := func(list ...syscall.Errno) bool {
		return slices.ContainsFunc(list, func(n syscall.Errno) bool { return errors.Is(t.Err, n) })
	}
	switch t.step {
	case stepPolicy:
		what := "policy=" + s.Place.Policy.String()
		if len(s.Nices) > 0 {
			what = "nices=" + paramNices.get(&s)
		}
		if s.Place.Uclamp.Set && is(unix.EOPNOTSUPP, unix.E2BIG, unix.EINVAL) {
			e.Msg = fmt.Sprintf("uclamp=%s: this kernel cannot clamp utilization: %v", s.Place.Uclamp, t.Err)
			e.Hint = "it needs CONFIG_UCLAMP_TASK and Linux 5.3"
			break
		}
		e.Msg = fmt.Sprintf("%s is not permitted: sched_setattr: %v", what, t.Err)
		e.Hint = "it needs root or CAP_SYS_NICE, or the limits that ulimit -r (real-time priority) and ulimit -e (nice) show"
		if s.Place.Policy.Name == "fifo" || s.Place.Policy.Name == "rr" {
			e.Hint += "; in a cgroup of v1 also cpu.rt_runtime_us above zero"
		}
	case stepCgroup:
		e.Msg = fmt.Sprintf("cgroup=%s: tasks may not be moved into it: %v", s.Place.Cgroup, t.Err)
		e.Hint = "it needs write permission on cgroup.procs, and a cgroup that may hold processes (none above others with controllers)"
	case stepAffinity:
		e.Msg = fmt.Sprintf("cpu=%s: %v", formatCPUs(s.Place.CPUs), t)
	}
	return e
}
