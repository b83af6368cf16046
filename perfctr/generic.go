package perfctr

// generic is an event that perf knows by name on every machine.
type generic struct {
	name    string
	aliases []string
	typ     uint32
	unit    Unit
	source  Source
}

// generics lists the generic events in the order in which perf list shows
// them, then what is measured around a run. The numbers that go with the names
// are in genericConfig.
func generics() []generic {
	hw := func(name string, aliases ...string) generic {
		return generic{name: name, aliases: aliases, typ: typeHardware}
	}
	sw := func(name string, unit Unit, aliases ...string) generic {
		return generic{name: name, aliases: aliases, typ: typeSoftware, unit: unit}
	}
	run := func(name string, unit Unit, aliases ...string) generic {
		return generic{name: name, aliases: aliases, unit: unit, source: SourceRun}
	}
	return []generic{
		hw("cycles", "cpu-cycles"),
		hw("instructions"),
		hw("cache-references"),
		hw("cache-misses"),
		hw("branches", "branch-instructions"),
		hw("branch-misses"),
		hw("bus-cycles"),
		hw("stalled-cycles-frontend", "idle-cycles-frontend"),
		hw("stalled-cycles-backend", "idle-cycles-backend"),
		hw("ref-cycles"),

		sw("cpu-clock", UnitNanoseconds),
		sw("task-clock", UnitNanoseconds),
		sw("page-faults", UnitCount, "faults"),
		sw("context-switches", UnitCount, "cs"),
		sw("cpu-migrations", UnitCount, "migrations"),
		sw("minor-faults", UnitCount),
		sw("major-faults", UnitCount),
		sw("alignment-faults", UnitCount),
		sw("emulation-faults", UnitCount),
		sw("cgroup-switches", UnitCount),
		sw("dummy", UnitCount),
		sw("bpf-output", UnitCount),

		run("elapsed", UnitNanoseconds, "duration_time"),
		run("user", UnitNanoseconds, "user_time"),
		run("system", UnitNanoseconds, "system_time"),
		run("max-rss", UnitBytes),
	}
}

// DefaultEvents are the events of a comparison about which nothing was asked:
// those of perf stat, the times, and the largest resident set. What is known of a
// command alone is not among them when something else is counted.
func DefaultEvents(target Target) []Event {
	names := []string{
		"elapsed", "user", "system", "task-clock", "context-switches", "cpu-migrations",
		"page-faults", "cycles", "instructions", "branches", "branch-misses",
		"cache-references", "cache-misses", "max-rss",
	}
	sys := Host()
	var events []Event
	for _, name := range names {
		g, ok := findGeneric(name)
		if !ok {
			panic("perfctr: the default event " + name + " is not in the table of generic events")
		}
		for _, e := range sys.generic(g, modifiers{}) {
			if !target.beside() || !e.ofCommand() {
				events = append(events, e)
			}
		}
	}
	return events
}

// ofCommand reports whether the event is measured around a command and says
// nothing of what else is counted meanwhile.
func (e Event) ofCommand() bool {
	if e.Source != SourceRun {
		return false
	}
	switch e.base() {
	case "user", "system", "max-rss":
		return true
	}
	return false
}

// findGeneric looks a name or an alias up.
func findGeneric(name string) (generic, bool) {
	for _, g := range generics() {
		if g.name == name {
			return g, true
		}
		for _, a := range g.aliases {
			if a == name {
				return g, true
			}
		}
	}
	return generic{}, false
}

// clock reports whether the event is one of the two software clocks. Their
// PMUs ignore the exclude_* bits: they always count all modes
// (kernel/events/core.c, task_clock_event_update).
func (e Event) clock() bool {
	return e.Attr.Type == typeSoftware && (e.base() == "cpu-clock" || e.base() == "task-clock")
}

// kernelOnly reports whether an event happens in kernel mode only, so that
// user-mode counting would say 0: the kernel compares the registers of the
// place where the event is raised with exclude_kernel (perf_exclude_event).
// Page and alignment faults are raised with the registers of the fault and can
// be told apart.
func (e Event) kernelOnly() bool {
	switch e.Attr.Type {
	case typeTracepoint:
		return true
	case typeSoftware:
		switch e.base() {
		case "context-switches", "cpu-migrations", "cgroup-switches", "bpf-output":
			return true
		}
	}
	return false
}

// software reports whether the event needs no counter of a PMU, so that any
// number of them can be counted at the same time.
func (e Event) software() bool {
	return e.Attr.Type == typeSoftware || e.Attr.Type == typeTracepoint
}
