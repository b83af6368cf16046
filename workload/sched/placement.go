package sched

import (
	"fmt"
	"strconv"
	"strings"
)

// A Placement says where tasks run and how they are scheduled. The zero value
// leaves them as the calling thread is.
type Placement struct {
	CPUs   []int // in order; empty: those of the calling thread
	Policy Policy
	Cgroup string // a directory, absolute or below /sys/fs/cgroup
	Uclamp Uclamp
}

// A Policy is a scheduling policy with its priority or nice value. The zero
// value changes nothing.
type Policy struct {
	Name  string // "", "fifo", "rr", "batch", "idle", "nice"
	Value int    // priority of fifo and rr, nice value of nice
}

// String is the policy as it is written on the command line.
func (p Policy) String() string {
	switch p.Name {
	case "fifo", "rr", "nice":
		return p.Name + ":" + strconv.Itoa(p.Value)
	}
	return p.Name
}

// parsePolicy reads fifo:10, rr, batch, idle or nice:5.
func parsePolicy(text string) (Policy, error) {
	name, value, given := strings.Cut(text, ":")
	p := Policy{Name: name}
	least, most := 0, 0
	switch name {
	case "fifo", "rr":
		p.Value, least, most = 1, 1, 99
	case "nice":
		least, most = -20, 19
		if !given {
			return p, fmt.Errorf("needs a value: nice:5")
		}
	case "batch", "idle":
		if given {
			return p, fmt.Errorf("gives %s a value, which has none", name)
		}
	default:
		return p, fmt.Errorf("is none of fifo:N, rr:N, batch, idle, nice:N")
	}
	if given {
		n, err := strconv.Atoi(value)
		if err != nil || n < least || n > most {
			return p, fmt.Errorf("is not a number from %d to %d", least, most)
		}
		p.Value = n
	}
	return p, nil
}

// A Uclamp bounds the utilization that the scheduler assumes of a task, in
// parts of 1024. The zero value is none.
type Uclamp struct {
	Set      bool
	Min, Max int
}

// String is the bounds as they are written on the command line.
func (u Uclamp) String() string {
	if !u.Set {
		return ""
	}
	return fmt.Sprintf("%d:%d", u.Min, u.Max)
}

func parseUclamp(text string) (Uclamp, error) {
	lo, hi, ok := strings.Cut(text, ":")
	if !ok {
		hi = "1024"
	}
	a, err1 := strconv.Atoi(lo)
	b, err2 := strconv.Atoi(hi)
	if err1 != nil || err2 != nil || a < 0 || a > b || b > 1024 {
		return Uclamp{}, fmt.Errorf("is not MIN:MAX with 0 <= MIN <= MAX <= 1024")
	}
	return Uclamp{Set: true, Min: a, Max: b}, nil
}
