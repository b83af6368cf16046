package sched

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Param is a parameter that some workloads have.
type Param struct {
	Name   string
	Usage  string
	Switch bool // takes no value
	set    func(*Spec, string) error
	get    func(*Spec) string
}

// A preset is a parameter of a workload with its default.
type preset struct {
	param *Param
	value string
}

// Params lists the parameters of a workload and the texts of their defaults.
func Params(name string) (params []Param, defaults []string) {
	d := find(name)
	if d == nil {
		return nil, nil
	}
	for _, p := range d.params {
		params = append(params, *p.param)
		defaults = append(defaults, p.value)
	}
	return params, defaults
}

// The limits only catch slips of the finger; what the machine can bear is
// checked by Check.
const (
	mostLoops = 1_000_000_000
	mostTasks = 100_000
	mostBytes = 16 << 20
)

var (
	paramLoops  = number("loops", "operations of each task, or pair of tasks", 1, mostLoops, func(s *Spec) *int { return &s.Loops })
	paramTasks  = number("tasks", "how many tasks do this at once", 1, mostTasks, func(s *Spec) *int { return &s.Tasks })
	paramGroups = number("groups", "groups of senders and receivers", 1, mostTasks, func(s *Spec) *int { return &s.Groups })
	paramFDs    = number("fds", "senders, and receivers, in each group", 1, mostTasks, func(s *Spec) *int { return &s.FDs })
	paramSize   = number("size", "bytes of a message", 1, mostBytes, func(s *Spec) *int { return &s.Size })

	paramMessengers = number("messengers", "tasks that wake workers", 1, mostTasks, func(s *Spec) *int { return &s.Messengers })
	paramWorkers    = number("workers", "workers of each messenger", 1, mostTasks, func(s *Spec) *int { return &s.Workers })
	paramWork       = number("work", "rounds of arithmetic for each request", 0, mostLoops, func(s *Spec) *int { return &s.Work })

	paramThreads   = toggle("threads", "tasks are threads of one process", func(s *Spec) *bool { return &s.Threads }, true)
	paramProcesses = toggle("processes", "tasks are processes (the default)", func(s *Spec) *bool { return &s.Threads }, false)
	paramPipe      = toggle("pipe", "messages go over pipes", func(s *Spec) *bool { return &s.Pipe }, true)
	paramSocket    = toggle("socket", "messages go over Unix sockets (the default)", func(s *Spec) *bool { return &s.Pipe }, false)

	paramInterval = duration("interval", "from one wake-up to the next", func(s *Spec) *time.Duration { return &s.Interval })
	paramDuration = duration("duration", "how long the tasks spin", func(s *Spec) *time.Duration { return &s.Duration })

	paramLayout = &Param{
		Name: "layout", Usage: "same: all tasks on one CPU; two: in turn on two; free: anywhere",
		set: func(s *Spec, v string) error {
			switch l := Layout(v); l {
			case Free, Same, Two:
				s.Layout = l
				return nil
			}
			return fmt.Errorf("is none of free, same, two")
		},
		get: func(s *Spec) string { return string(s.Layout) },
	}
	paramNices = &Param{
		Name: "nices", Usage: "one task with each of these nice values, such as 0,5,10",
		set: func(s *Spec, v string) error {
			s.Nices = nil
			for _, part := range strings.Split(v, ",") {
				n, err := strconv.Atoi(part)
				if err != nil || n < -20 || n > 19 {
					return fmt.Errorf("has %q where a nice value from -20 to 19 is expected", part)
				}
				s.Nices = append(s.Nices, n)
			}
			return nil
		},
		get: func(s *Spec) string {
			var list []string
			for _, n := range s.Nices {
				list = append(list, strconv.Itoa(n))
			}
			return strings.Join(list, ",")
		},
	}
	paramCPU = &Param{
		Name: "cpu", Usage: "the tasks run on these CPUs only, such as 0 or 0,2-3",
		set: func(s *Spec, v string) (err error) { s.Place.CPUs, err = parseCPUs(v); return err },
		get: func(s *Spec) string { return formatCPUs(s.Place.CPUs) },
	}
	paramPolicy = &Param{
		Name: "policy", Usage: "of the tasks: fifo:N, rr:N, batch, idle or nice:N",
		set: func(s *Spec, v string) (err error) { s.Place.Policy, err = parsePolicy(v); return err },
		get: func(s *Spec) string { return s.Place.Policy.String() },
	}
	paramCgroup = &Param{
		Name: "cgroup", Usage: "put the tasks into this cgroup: a directory, absolute or below /sys/fs/cgroup",
		set: func(s *Spec, v string) error {
			if v == "" {
				return fmt.Errorf("names no directory")
			}
			s.Place.Cgroup = v
			return nil
		},
		get: func(s *Spec) string { return s.Place.Cgroup },
	}
	paramUclamp = &Param{
		Name: "uclamp", Usage: "MIN:MAX, the utilization that the scheduler is to assume, 0 to 1024",
		set: func(s *Spec, v string) (err error) { s.Place.Uclamp, err = parseUclamp(v); return err },
		get: func(s *Spec) string { return s.Place.Uclamp.String() },
	}
)

// placement are the parameters that every workload has.
var placement = []preset{{paramCPU, ""}, {paramPolicy, ""}, {paramCgroup, ""}, {paramUclamp, ""}}

func number(name, usage string, least, most int, of func(*Spec) *int) *Param {
	return &Param{
		Name: name, Usage: usage,
		set: func(s *Spec, v string) error {
			n, err := strconv.Atoi(strings.ReplaceAll(v, "_", ""))
			if err != nil || n < least || n > most {
				return fmt.Errorf("is not a whole number from %d to %d", least, most)
			}
			*of(s) = n
			return nil
		},
		get: func(s *Spec) string { return strconv.Itoa(*of(s)) },
	}
}

func toggle(name, usage string, of func(*Spec) *bool, on bool) *Param {
	return &Param{
		Name: name, Usage: usage, Switch: true,
		set: func(s *Spec, v string) error {
			switch v {
			case "", "true":
				*of(s) = on
			case "false":
				*of(s) = !on
			default:
				return fmt.Errorf("takes no value")
			}
			return nil
		},
		get: func(s *Spec) string { return strconv.FormatBool(*of(s) == on) },
	}
}

func duration(name, usage string, of func(*Spec) *time.Duration) *Param {
	return &Param{
		Name: name, Usage: usage,
		set: func(s *Spec, v string) error {
			d, err := time.ParseDuration(v)
			if err != nil || d <= 0 || d > time.Hour {
				return fmt.Errorf("is not a length of time such as 1ms or 2s")
			}
			*of(s) = d
			return nil
		},
		get: func(s *Spec) string { return of(s).String() },
	}
}

// parseCPUs reads a list such as "0,2-3" and returns it in order, each once.
func parseCPUs(text string) ([]int, error) {
	bad := fmt.Errorf("is not a list of CPUs such as 0,2-3")
	var list []int
	for _, part := range strings.Split(text, ",") {
		lo, hi, isRange := strings.Cut(part, "-")
		a, err := strconv.ParseUint(lo, 10, 12)
		b := a
		if err == nil && isRange {
			b, err = strconv.ParseUint(hi, 10, 12)
		}
		if err != nil || b < a {
			return nil, bad
		}
		for c := a; c <= b; c++ {
			list = append(list, int(c))
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// formatCPUs writes CPUs as a list of ranges.
func formatCPUs(cpus []int) string {
	var parts []string
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		part := strconv.Itoa(cpus[i])
		if i < j {
			part += "-" + strconv.Itoa(cpus[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}
