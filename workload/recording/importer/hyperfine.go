package importer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// hyperfineResults is what hyperfine --export-json writes. Its memory_usage
// is left out: getrusage(RUSAGE_CHILDREN) gives the maximum over all commands
// so far, so that a later one never shows less.
type hyperfineResults struct {
	Results []struct {
		Command    string            `json:"command"`
		Mean       json.Number       `json:"mean"`
		StdDev     *float64          `json:"stddev"`
		User       json.Number       `json:"user"`
		System     json.Number       `json:"system"`
		Times      []json.Number     `json:"times"`
		ExitCodes  []*int            `json:"exit_codes"`
		Parameters map[string]string `json:"parameters"`
	} `json:"results"`
}

func isHyperfine(lines []string) bool {
	start := strings.Join(lines[:min(4, len(lines))], "")
	return strings.HasPrefix(strings.Join(strings.Fields(start), ""), `{"results":[`)
}

// parseHyperfine makes a variant of each command. hyperfine runs all of A
// before all of B, so each is a session of its own. The times of single runs
// are samples; of user and system time only a mean is known.
func parseHyperfine(lines []string, _ Options) ([]series, error) {
	var h hyperfineResults
	if err := json.Unmarshal([]byte(strings.Join(lines, "\n")), &h); err != nil {
		return nil, &ParseError{Msg: err.Error()}
	}
	runs := 0
	for _, r := range h.Results {
		runs += 1 + len(r.Times)
	}
	if runs > maxCells {
		return nil, &ParseError{Msg: fmt.Sprintf("%d runs are too many", runs)}
	}
	if len(h.Results) > maxColumns {
		return nil, &ParseError{Msg: fmt.Sprintf("more than %d commands", maxColumns)}
	}
	var list []series
	for n, r := range h.Results {
		v := &variant{label: r.Command, text: r.Command}
		s := series{variants: []*variant{v}}
		s.order.meet("elapsed")
		seconds := func(text json.Number) (value, error) {
			d, err := parseFloat(text.String())
			if err != nil {
				return value{}, &ParseError{Msg: fmt.Sprintf("result %d: %v", n+1, err)}
			}
			for d.places > 9 { // the digits of a binary fraction, not of the clock
				d.digits, d.places = (d.digits+5)/10, d.places-1
			}
			return elapsed(d), nil
		}
		for i, text := range r.Times {
			e, err := seconds(text)
			if err != nil {
				return nil, err
			}
			one := run{values: values{{"elapsed", e}}}
			if i < len(r.ExitCodes) && r.ExitCodes[i] != nil {
				one.exit = *r.ExitCodes[i]
			}
			v.runs = append(v.runs, one)
		}
		for event, text := range map[string]json.Number{"elapsed": r.Mean, "user": r.User, "system": r.System} {
			if text == "" || event == "elapsed" && len(v.runs) > 0 {
				continue
			}
			m, err := seconds(text)
			if err != nil {
				return nil, err
			}
			v.means = append(v.means, mean{event: event, value: m, n: len(v.runs)})
		}
		slices.SortFunc(v.means, func(a, b mean) int { return -strings.Compare(a.event, b.event) }) // user before system
		for _, m := range v.means {
			s.order.meet(m.event)
		}
		list = append(list, s)
	}
	return list, nil
}
