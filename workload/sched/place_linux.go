package sched

import (
	"fmt"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Flags of sched_setattr(2), include/uapi/linux/sched.h.
const (
	keepPolicy = 0x08
	keepParams = 0x10
	clampMin   = 0x20
	clampMax   = 0x40
)

// policies are the numbers of include/uapi/linux/sched.h.
var policies = map[string]uint32{"nice": 0, "fifo": 1, "rr": 2, "batch": 3, "idle": 5}

// A placing is a Placement as tasks use it, in memory that they can read.
type placing struct {
	attr   *schedAttr
	free   *byte // masks of CPUs; nil leaves them
	one    [2]*byte
	bytes  uintptr
	cgroup int // descriptor of cgroup.procs; 0 is none
}

// prepare makes the placing of a crew.
func (c *crew) prepare() error {
	s := c.spec
	c.place.bytes = uintptr(unsafe.Sizeof(unix.CPUSet{}))
	cpus := s.Place.CPUs
	if len(cpus) > 0 {
		var err error
		if c.place.free, err = c.mask(cpus...); err != nil {
			return err
		}
	} else if s.Layout == Same || s.Layout == Two {
		var err error
		if cpus, err = allowed(); err != nil {
			return err
		}
	}
	switch s.Layout {
	case Same:
		m, err := c.mask(cpus[0])
		if err != nil {
			return err
		}
		c.place.one = [2]*byte{m, m}
	case Two:
		if len(cpus) < 2 {
			return fmt.Errorf("layout=two needs two CPUs, and only CPU %s may be used", formatCPUs(cpus))
		}
		for i := range c.place.one {
			m, err := c.mask(cpus[i])
			if err != nil {
				return err
			}
			c.place.one[i] = m
		}
	}
	if s.Place.Policy.Name != "" || s.Place.Uclamp.Set {
		a, err := c.attr(s.Place)
		if err != nil {
			return err
		}
		c.place.attr = a
	}
	if s.Place.Cgroup != "" {
		file := filepath.Join(cgroupDir(s.Place.Cgroup), "cgroup.procs")
		fd, err := unix.Open(file, unix.O_WRONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("opening the cgroup: %s: %w", file, err)
		}
		c.place.cgroup = fd
	}
	return nil
}

// cgroupDir is where a cgroup is found.
func cgroupDir(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join("/sys/fs/cgroup", name)
}

// assign places the i-th task.
func (c *crew) assign(t *task, i int) {
	p := &c.place
	t.mask, t.maskBytes = p.free, p.bytes
	if p.one[0] != nil {
		t.mask = p.one[i%2]
	}
	t.attr, t.cgroup = p.attr, int32(p.cgroup)
}

// mask is a set of CPUs in shared memory.
func (c *crew) mask(cpus ...int) (*byte, error) {
	p, err := c.shared(c.place.bytes)
	if err != nil {
		return nil, err
	}
	set := (*unix.CPUSet)(p)
	for _, cpu := range cpus {
		if cpu/64 >= len(set) {
			return nil, fmt.Errorf("CPU %d is beyond what this program can name", cpu)
		}
		set.Set(cpu)
	}
	return (*byte)(p), nil
}

// attr is a policy in shared memory.
func (c *crew) attr(p Placement) (*schedAttr, error) {
	mem, err := c.shared(unsafe.Sizeof(schedAttr{}))
	if err != nil {
		return nil, err
	}
	a := (*schedAttr)(mem)
	// Only what asks for clamps needs the structure of Linux 5.3.
	a.size = uint32(unsafe.Offsetof(a.utilMin))
	switch p.Policy.Name {
	case "":
		a.flags = keepPolicy | keepParams
	case "nice":
		a.nice = int32(p.Policy.Value)
	default:
		a.policy, a.priority = policies[p.Policy.Name], uint32(p.Policy.Value)
	}
	if p.Uclamp.Set {
		a.size = uint32(unsafe.Sizeof(*a))
		a.flags |= clampMin | clampMax
		a.utilMin, a.utilMax = uint32(p.Uclamp.Min), uint32(p.Uclamp.Max)
	}
	return a, nil
}

// nice gives one task a nice value of its own.
func (c *crew) nice(t *task, nice int) error {
	p := c.spec.Place
	p.Policy = Policy{Name: "nice", Value: nice}
	a, err := c.attr(p)
	t.attr = a
	return err
}

// allowed lists the CPUs that the calling thread may use.
func allowed() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("sched_getaffinity: %w", err)
	}
	var list []int
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			list = append(list, cpu)
		}
	}
	return list, nil
}
