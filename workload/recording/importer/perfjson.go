package importer

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// jsonCommaRE finds numbers of locales with a decimal comma, which make
// perf's lines no JSON.
var jsonCommaRE = regexp.MustCompile(`(:\s*[0-9]+),([0-9]+\s*[,}])`)

// A perfLine is a line of perf stat -j. The field named variance holds the
// relative standard error of the mean in percent.
type perfLine struct {
	Interval *json.Number `json:"interval"`
	Value    *string      `json:"counter-value"`
	Unit     string       `json:"unit"`
	Event    string       `json:"event"`
	Noise    *json.Number `json:"variance"`
	Runtime  json.Number  `json:"event-runtime"`
	Share    json.Number  `json:"pcnt-running"`
	CPU      string       `json:"cpu"`
	Socket   string       `json:"socket"`
	Die      string       `json:"die"`
	Cluster  string       `json:"cluster"`
	Cache    string       `json:"cache"`
	Core     string       `json:"core"`
	Node     string       `json:"node"`
	Thread   string       `json:"thread"`
}

func isPerfJSON(lines []string) bool {
	for _, l := range lines {
		if strings.HasPrefix(l, "{") && strings.Contains(l, `"counter-value"`) {
			return true
		}
	}
	return false
}

func parsePerfJSON(lines []string, o Options) ([]series, error) {
	var c collector
	for i, l := range lines {
		if m := startedRE.FindStringSubmatch(l); m != nil {
			c.next(startTime(m[1]))
		}
		if !strings.HasPrefix(l, "{") {
			continue // comments, and what the program printed
		}
		var p perfLine
		if err := json.Unmarshal([]byte(l), &p); err != nil {
			if json.Unmarshal([]byte(jsonCommaRE.ReplaceAllString(l, "$1.$2")), &p) != nil {
				return nil, bad(i, "%v", err)
			}
		}
		if p.Value == nil || p.Event == "" {
			continue // a metric that perf computed from counters
		}
		r, err := p.read(i)
		if err != nil {
			return nil, err
		}
		if err := c.add(i, r); err != nil {
			return nil, err
		}
	}
	c.next(time.Time{})
	return seriesOf(c.stats, o), nil
}

func (p *perfLine) read(i int) (csvLine, error) {
	r := csvLine{row: p.CPU + p.Socket + p.Die + p.Cluster + p.Cache + p.Core + p.Node + p.Thread}
	if p.Interval != nil {
		d, err := parseFloat(p.Interval.String())
		if err != nil {
			return r, bad(i, "interval: %v", err)
		}
		r.stamp = &d
	}
	r.event, r.v.unit = perfEvent(p.Event, p.Unit)
	switch text := strings.TrimSpace(*p.Value); text {
	case "<not counted>":
		r.v.state = notCounted
	case "<not supported>":
		r.v.state = notSupported
	default:
		d, err := parseFloat(strings.Replace(text, ",", ".", 1))
		if err != nil {
			return r, bad(i, "counter-value: %v", err)
		}
		// perf prints six decimal places of everything, also of counts.
		for d.places > 0 && d.digits%10 == 0 && r.v.unit.exp == 0 {
			d.digits, d.places = d.digits/10, d.places-1
		}
		r.v.number = d
	}
	if p.Noise != nil {
		d, err := parseFloat(p.Noise.String())
		if err != nil {
			return r, bad(i, "variance: %v", err)
		}
		n := noiseOf(d)
		r.noise = &n
	}
	if p.Share != "" {
		d, err := parseFloat(p.Share.String())
		if err != nil || d.float() > 100 {
			return r, bad(i, "pcnt-running is %s", p.Share)
		}
		r.v.share = d.float() / 100
	}
	if p.Runtime != "" {
		d, err := parseFloat(p.Runtime.String())
		if err != nil || d.places > 0 || d.digits > 1<<62 {
			return r, bad(i, "event-runtime is %s", p.Runtime)
		}
		r.v.runtime = time.Duration(d.digits)
	}
	return r, nil
}
