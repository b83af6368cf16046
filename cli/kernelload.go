package cli

import (
	"strings"

	"microcost/workload/sched"
)

// emulated are the operations of each workload in an emulated guest, where a
// processor does 100 to 300 million instructions a second: a run takes about half a
// second, and a boot's repeats a few.
var emulated = map[string][]string{
	"pipe":      {"loops=2000"},
	"futex":     {"loops=2000"},
	"yield":     {"loops=5000"},
	"fork":      {"loops=100"},
	"exec":      {"loops=50"},
	"thread":    {"loops=500"},
	"timer":     {"loops=200"},
	"wakeup":    {"loops=100"},
	"messaging": {"loops=20", "groups=1"},
	"fair":      {"duration=100ms"},
	"syscall":   {"loops=20000"},
}

// shorter gives a workload the number of operations for an emulated guest, as far
// as the user's text does not say how many.
func shorter(s sched.Spec, text string) sched.Spec {
	for _, param := range emulated[s.Name] {
		key, _, _ := strings.Cut(param, "=")
		if strings.Contains(text, key+"=") {
			continue
		}
		if less, err := s.With(param); err == nil {
			s = less
		}
	}
	return s
}
