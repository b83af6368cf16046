package importer

import (
	"regexp"
	"strings"
)

var goBenchRE = regexp.MustCompile(`^Benchmark(\S*)\s+([0-9]+)((?:\s+[-+0-9.eE]+\s+[^\s0-9]\S*)+)\s*$`)

// GoBench is the name of the Go benchmark format in Session.Imported.
const GoBench = "Go benchmark format"

func isGoBench(lines []string) bool {
	for _, l := range lines {
		if goBenchRE.MatchString(l) {
			return true
		}
	}
	return false
}

// parseGoBench reads the output of go test -bench. Each benchmark and unit is
// a metric, named as in "Encode/json-8 ns/op"; all are one variant, as a file
// holds one side of a comparison. Run n has the n-th line of each benchmark.
func parseGoBench(lines []string, _ Options) ([]series, error) {
	p := newBench("go test -bench")
	for i, l := range lines {
		m := goBenchRE.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		pairs := strings.Fields(m[3])
		for k := 0; k+1 < len(pairs); k += 2 {
			d, err := parseFloat(pairs[k])
			if err != nil {
				return nil, bad(i, "%v", err)
			}
			name, u := m[1]+" "+pairs[k+1], unit{base: pairs[k+1]}
			if pairs[k+1] == "ns/op" {
				u = unitOf("ns")
			}
			p.add(name, value{number: d, unit: u, outside: true})
		}
	}
	return p.series(), nil
}
