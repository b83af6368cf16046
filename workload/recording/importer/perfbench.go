package importer

import (
	"regexp"
	"strings"
)

var (
	benchRunRE   = regexp.MustCompile(`^# Running '?([\w-]+)[/:]([\w-]+)'? benchmark`)
	benchTotalRE = regexp.MustCompile(`^\s*Total time: ([0-9.]+) \[(m?sec)\]`)
	benchOpRE    = regexp.MustCompile(`^\s*([0-9.]+) usecs/op`)
	benchDidRE   = regexp.MustCompile(`^# (?:Executed|Extecuted|\(?executing) ([0-9]+) |([0-9]+) groups == ([0-9]+) (processes|threads)`)
	numberLineRE = regexp.MustCompile(`^\s*[0-9]+\.[0-9]+\s*$`)
)

func isPerfBench(lines []string) bool {
	for _, l := range lines {
		if benchRunRE.MatchString(l) {
			return true
		}
	}
	return false
}

// parsePerfBench reads any number of runs of perf bench. Its total time has
// milliseconds only; the time of an operation, where there is one, says more.
func parsePerfBench(lines []string, _ Options) ([]series, error) {
	p := newBench("perf bench")
	name, size := "", ""
	for i, l := range lines {
		if m := benchRunRE.FindStringSubmatch(l); m != nil {
			name, size = m[1]+"/"+m[2], ""
			continue
		}
		if m := benchDidRE.FindStringSubmatch(l); m != nil {
			if size = " (" + m[1] + " operations)"; m[1] == "" {
				size = " (" + m[2] + " groups of " + m[4] + ")"
			}
			continue
		}
		text, u, event := "", unit{}, name+size
		if m := benchTotalRE.FindStringSubmatch(l); m != nil {
			text, u = m[1], unitOf(m[2])
		} else if m := benchOpRE.FindStringSubmatch(l); m != nil {
			text, u, event = m[1], unitOf("us"), name+size+" per operation"
		}
		if text == "" || name == "" {
			continue
		}
		d, err := parseDecimal(text, point)
		if err != nil {
			return nil, bad(i, "%v", err)
		}
		p.add(event, value{number: d, unit: u, outside: true})
	}
	return p.series(), nil
}

// isNumbers tells whether there is nothing but one number on each line, as
// perf bench -f simple prints seconds.
func isNumbers(lines []string) bool {
	n := 0
	for _, l := range lines {
		switch {
		case numberLineRE.MatchString(l):
			n++
		case strings.TrimSpace(l) != "":
			return false
		}
	}
	return n > 0
}

func parseNumbers(lines []string, _ Options) ([]series, error) {
	p := newBench("perf bench")
	for i, l := range lines {
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		d, err := parseDecimal(l, point)
		if err != nil {
			return nil, bad(i, "%v", err)
		}
		p.add("time", value{number: d, unit: unitOf("s"), outside: true})
	}
	return p.series(), nil
}
