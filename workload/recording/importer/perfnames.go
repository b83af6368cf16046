package importer

import "strings"

// perfNames are names that perf printed once, or that stand for another, and
// their names of today.
var perfNames = map[string]string{
	"task-clock-msecs": "task-clock", "cpu-clock-msecs": "cpu-clock",
	"task clock ticks": "task-clock", "cpu clock ticks": "cpu-clock",
	"CPU-migrations": "cpu-migrations", "CPU migrations": "cpu-migrations", "migrations": "cpu-migrations",
	"context switches": "context-switches", "cs": "context-switches",
	"page faults": "page-faults", "pagefaults": "page-faults", "faults": "page-faults",
	"cpu-cycles": "cycles", "CPU cycles": "cycles", "branch-instructions": "branches",
	"cache references": "cache-references", "cache misses": "cache-misses",
	"branch misses": "branch-misses",
}

// strong are the events by which a line is known to be perf's without a
// header near it.
var strong = map[string]bool{
	"task-clock": true, "cpu-clock": true, "context-switches": true, "cpu-migrations": true, "page-faults": true,
	"cycles": true, "instructions": true, "branches": true, "branch-misses": true, "cache-references": true,
	"cache-misses": true, "duration_time": true,
}

// perfEvent returns the name of today and the unit of an event as perf printed
// them. Until 4.20 the unit of a clock was part of its name, and until 3.15
// -x left it out; it was always milliseconds.
func perfEvent(name, printed string) (string, unit) {
	u := unitOf(printed)
	if bare, ok := strings.CutSuffix(name, " (msec)"); ok {
		name, u = bare, unitOf("msec")
	}
	if strings.HasSuffix(name, "-clock-msecs") || strings.HasSuffix(name, "clock ticks") {
		u = unitOf("msec")
	}
	base, modifier, has := strings.Cut(name, ":")
	if printed == "" && (base == "task-clock" || base == "cpu-clock") {
		u = unitOf("msec")
	}
	if today, ok := perfNames[base]; ok {
		base = today
	}
	if has {
		base += ":" + modifier
	}
	return base, u
}

// isEventName tells whether s may be the name of an event.
func isEventName(s string) bool {
	if s == "" || strings.Contains(s, "  ") {
		return false
	}
	c := s[0]
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' {
		_, known := perfNames[strings.SplitN(s, ":", 2)[0]]
		bare := strings.TrimSuffix(s, " (msec)")
		return known || !strings.Contains(bare, " ")
	}
	return false
}
