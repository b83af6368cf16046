package importer

import (
	"fmt"
	"regexp"
)

var (
	hackModeRE = regexp.MustCompile(`^Running in (\w+) mode with ([0-9]+) groups using ([0-9]+) file descriptors each`)
	hackSendRE = regexp.MustCompile(`^Each sender will pass ([0-9]+) messages of ([0-9]+) bytes`)
	hackTimeRE = regexp.MustCompile(`^Time: ([0-9]+(?:\.[0-9]+)?)\s*$`)
)

func isHackbench(lines []string) bool {
	for _, l := range lines {
		if hackTimeRE.MatchString(l) {
			return true
		}
	}
	return false
}

// parseHackbench reads any number of runs of hackbench. Each set of options is
// a metric of its own, named by what hackbench says of itself, so that only
// the same are compared; runs of all sets are one variant, as a file holds one
// side of a comparison. Run n has the n-th time of each set.
func parseHackbench(lines []string, _ Options) ([]series, error) {
	const version1 = "hackbench" // says nothing but the time
	p := newBench("hackbench")
	mode, send := "", ""
	for i, l := range lines {
		if m := hackModeRE.FindStringSubmatch(l); m != nil {
			mode, send = fmt.Sprintf("%s, %s groups of %s", m[1], m[2], m[3]), ""
		} else if m := hackSendRE.FindStringSubmatch(l); m != nil {
			send = fmt.Sprintf(", %s messages of %s bytes", m[1], m[2])
		} else if m := hackTimeRE.FindStringSubmatch(l); m != nil {
			d, err := parseDecimal(m[1], point)
			if err != nil {
				return nil, bad(i, "%v", err)
			}
			name := version1
			if mode != "" {
				name += " (" + mode + send + ")"
			}
			p.add(name, value{number: d, unit: unitOf("s"), outside: true})
		}
	}
	return p.series(), nil
}
