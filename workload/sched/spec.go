package sched

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Spec is one workload with its parameters. Parse makes one; the zero value
// is none.
type Spec struct {
	Name string // one of Names

	Loops   int  // operations of each task, or pair of tasks
	Tasks   int  // yield, fork, exec, thread, timer, syscall
	Threads bool // tasks are threads of one process, not processes
	Layout  Layout

	// Messaging: in each of Groups, FDs senders send Loops messages of Size
	// bytes to each of FDs receivers.
	Groups, FDs, Size int
	Pipe              bool // over pipes, not sockets

	Interval time.Duration // timer: from one wake-up to the next

	// Wakeup: each of Messengers wakes Workers of its own, which do Work rounds
	// of arithmetic for each of Loops requests.
	Messengers, Workers, Work int

	Nices    []int         // fair: one spinning task with each of these
	Duration time.Duration // fair: how long they spin

	Place Placement
}

// A Layout says how two tasks that talk to each other are put on CPUs.
type Layout string

const (
	Free Layout = "free" // wherever the kernel puts them
	Same Layout = "same" // all on one CPU
	Two  Layout = "two"  // in turn on two CPUs
)

// Names lists the workloads.
func Names() []string {
	names := make([]string, len(definitions))
	for i, d := range definitions {
		names[i] = d.name
	}
	return names
}

// Usage says in a few words what a workload does, and Operation what it
// counts as one operation. Both are empty for a name that is none of Names.
func Usage(name string) string {
	if d := find(name); d != nil {
		return d.usage
	}
	return ""
}

// Operation names what the workload repeats, in the singular.
func (s Spec) Operation() string {
	if d := find(s.Name); d != nil {
		return d.operation
	}
	return "operation"
}

// find looks a workload up.
func find(name string) *definition {
	i := slices.IndexFunc(definitions, func(d *definition) bool { return d.name == name })
	if i < 0 {
		return nil
	}
	return definitions[i]
}

// Parse makes a Spec of a workload's name and its parameters, each "key=value"
// or the key alone for a switch: Parse("pipe", "loops=1000", "threads"). What
// is not given has the default. An error is a *ParseError.
func Parse(name string, params ...string) (Spec, error) {
	d := find(name)
	if d == nil {
		return Spec{}, &ParseError{Input: name, Msg: "is no workload", Known: Names()}
	}
	s := Spec{Name: name}
	for _, p := range d.params {
		if p.value != "" {
			if err := p.param.set(&s, p.value); err != nil {
				panic(fmt.Sprintf("sched: the default %s=%s of %s: %v", p.param.Name, p.value, name, err))
			}
		}
	}
	given := map[string]bool{}
	for _, text := range params {
		key, value, _ := strings.Cut(text, "=")
		i := slices.IndexFunc(d.params, func(p preset) bool { return p.param.Name == key })
		if i < 0 {
			var known []string
			for _, p := range d.params {
				known = append(known, p.param.Name)
			}
			return Spec{}, &ParseError{Input: text, Msg: "is no parameter of " + name, Known: known}
		}
		if given[key] {
			return Spec{}, &ParseError{Input: text, Msg: "is given twice"}
		}
		given[key] = true
		if err := d.params[i].param.set(&s, value); err != nil {
			return Spec{}, &ParseError{Input: text, Msg: err.Error()}
		}
	}
	return s, nil
}

// ParseText reads "pipe,loops=1000,threads" or the same with spaces. A comma
// that is not followed by a letter belongs to the value: cpu=0,2-3.
func ParseText(text string) (Spec, error) {
	parts := splitParams(text)
	if len(parts) == 0 {
		return Spec{}, &ParseError{Input: text, Msg: "names no workload", Known: Names()}
	}
	return Parse(parts[0], parts[1:]...)
}

// splitParams splits at spaces, and at commas that a letter follows.
func splitParams(text string) []string {
	var parts []string
	for _, word := range strings.Fields(text) {
		from := 0
		for i := range len(word) - 1 {
			if c := word[i+1] | 0x20; word[i] == ',' && c >= 'a' && c <= 'z' {
				parts = append(parts, word[from:i])
				from = i + 1
			}
		}
		parts = append(parts, word[from:])
	}
	return parts
}

// String is the Spec as ParseText reads it, without what is the default.
func (s Spec) String() string {
	text := s.Name
	for _, p := range s.changed() {
		text += "," + p
	}
	return text
}

// Args are the flags of "microcost workload NAME" that make this Spec.
func (s Spec) Args() []string {
	var args []string
	for _, p := range s.changed() {
		args = append(args, "--"+p)
	}
	return args
}

// changed lists the parameters that are not the default, as Parse takes them.
func (s Spec) changed() []string {
	std, err := Parse(s.Name)
	if err != nil {
		return nil
	}
	var list []string
	for _, p := range find(s.Name).params {
		v := p.param.get(&s)
		switch {
		case v == p.param.get(&std):
		case !p.param.Switch:
			list = append(list, p.param.Name+"="+v)
		case v == "true":
			list = append(list, p.param.Name)
		}
	}
	return list
}

// With is the Spec with one parameter changed, as a sweep does.
func (s Spec) With(param string) (Spec, error) {
	key, value, _ := strings.Cut(param, "=")
	d := find(s.Name)
	if d == nil {
		return s, &ParseError{Input: s.Name, Msg: "is no workload", Known: Names()}
	}
	for _, p := range d.params {
		if p.param.Name == key {
			s.Nices = slices.Clone(s.Nices)
			if err := p.param.set(&s, value); err != nil {
				return s, &ParseError{Input: param, Msg: err.Error()}
			}
			return s, nil
		}
	}
	var known []string
	for _, p := range d.params {
		known = append(known, p.param.Name)
	}
	return s, &ParseError{Input: param, Msg: "is no parameter of " + s.Name, Known: known}
}

// A ParseError says what is wrong with a workload's text.
type ParseError struct {
	Input string
	Msg   string   // continues "INPUT ..."
	Known []string // what would have been right in its place, if that is a closed list
}

func (e *ParseError) Error() string { return fmt.Sprintf("%q %s", e.Input, e.Msg) }
