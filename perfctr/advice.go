package perfctr

import (
	"fmt"
	"io/fs"
	"strings"
)

// Advice says what a user should know about how the events were packed: groups
// that will count nothing, events that take turns, and what would help. Empty
// when all events are counted in every run. runs is how many are planned, 0 when
// that is not known.
func (p *Packing) Advice(s *System, runs int) []string {
	var out []string
	turns := map[string]int{}
	for _, g := range p.Groups {
		if g.Fits != Yes {
			out = append(out, fmt.Sprintf("%s did not run when tried: the PMU %s has no counter free for it, or not as many "+
				"as the group needs; ask for fewer events in one group", p.names(g), g.PMU))
		}
		if g.Turn != Always {
			turns[g.PMU] = max(turns[g.PMU], g.Turn+1)
		}
	}
	for _, g := range p.Groups {
		if n := turns[g.PMU]; n > 1 {
			delete(turns, g.PMU)
			out = append(out, fmt.Sprintf("the PMU %s does not hold all events at once: they take turns in %d groups, and each "+
				"value comes from runs in which its group ran the whole time", g.PMU, n))
		}
	}
	if runs > 0 && runs < p.Turns {
		out = append(out, fmt.Sprintf("of %d turns %d get no run, and their events no value: make %d runs or more, or count all "+
			"events at once, as estimates, with --multiplex", p.Turns, p.Turns-runs, p.Turns))
	}
	if len(out) > 0 && s.watchdog() {
		out = append(out, "the NMI watchdog holds one counter of each CPU: `sysctl kernel.nmi_watchdog=0` as root frees it")
	}
	return out
}

// names lists the members of a group.
func (p *Packing) names(g Group) string {
	var names []string
	for _, i := range g.Members {
		names = append(names, p.Events[i].Name)
	}
	return strings.Join(names, ", ")
}

// watchdog reports whether the NMI watchdog is on.
func (s *System) watchdog() bool {
	if s.Proc == nil {
		return false
	}
	b, err := fs.ReadFile(s.Proc, "sys/kernel/nmi_watchdog")
	return err == nil && strings.TrimSpace(string(b)) == "1"
}
