package importer

import (
	"regexp"
	"strings"
	"time"
)

// csvStartRE is the start of a line of perf stat -x: whatever stands before
// the value, the value, and the separator up to the next word.
var csvStartRE = regexp.MustCompile(`^\s*(?:[0-9]+(?:[.,][0-9]+)?|<not counted>|<not supported>|CPU[0-9]+|[SDNC][0-9][-0-9SDCN]*)([^0-9A-Za-z<]+)`)

// separators returns what may separate the fields of a line: the text after
// its first field, or half of it where a field is empty.
func separators(line string) []string {
	m := csvStartRE.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	list := []string{m[1]}
	if n := len(m[1]); n%2 == 0 && m[1][:n/2] == m[1][n/2:] {
		list = append(list, m[1][:n/2])
	}
	return list
}

// A csvLine is a line of perf stat -x.
type csvLine struct {
	stamp *decimal
	row   string
	event string
	v     value
	noise *noise
}

func isComment(l string) bool { return strings.TrimSpace(l) == "" || strings.HasPrefix(l, "#") }

func isPerfCSV(lines []string) bool { return perfSeparator(lines) != "" }

// perfSeparator finds the separator with which every line makes sense.
func perfSeparator(lines []string) string {
	var tried []string
	n := 0
	for _, l := range lines {
		if isComment(l) {
			continue
		}
		if n++; n > 4 { // some line among the first has a unit
			break
		}
		tried = append(tried, separators(l)...)
	}
	best := ""
	for _, sep := range tried {
		ok := sep != best
		for i, l := range lines {
			if ok && !isComment(l) {
				_, err := parseCSVLine(i, l, sep)
				ok = err == nil
			}
		}
		if ok && len(sep) > len(best) {
			best = sep
		}
	}
	return best
}

func parsePerfCSV(lines []string, o Options) ([]series, error) {
	sep := perfSeparator(lines)
	var c collector
	for i, l := range lines {
		if m := startedRE.FindStringSubmatch(l); m != nil {
			c.next(startTime(m[1]))
		}
		if isComment(l) {
			continue
		}
		r, err := parseCSVLine(i, l, sep)
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

// parseCSVLine reads `[stamp,][row,[n,]]value,unit,event[,noise%],runtime,share[,...]`.
// Until 3.15 there was no unit and nothing after the noise.
func parseCSVLine(i int, l, sep string) (csvLine, error) {
	var r csvLine
	mark := byte(comma) // of the locale; grouping is never printed here
	if strings.Contains(sep, ",") || !strings.Contains(l, ",") {
		mark = point
	}
	f := strings.Split(l, sep)
	at := -1
	for k := 0; k < min(4, len(f)-1) && at < 0; k++ {
		if isValue(f[k]) && (k+2 < len(f) && !isValue(f[k+1]) && isEventName(f[k+2]) || isEventName(f[k+1])) {
			at = k
		}
	}
	if at < 0 {
		return r, bad(i, "no value and event")
	}
	for k := range at {
		if d, err := parseDecimal(strings.TrimSpace(f[k]), mark); err != nil {
			r.row = f[k]
		} else if k == 0 && d.places == 9 {
			r.stamp = &d
		}
	}
	printed, event, rest := f[at+1], "", f[at+2:]
	if len(rest) > 0 && isEventName(rest[0]) && (printed == "" || !isEventName(printed) || isUnit(printed)) {
		event, rest = rest[0], rest[1:]
	} else {
		event, printed = printed, ""
	}
	for strings.Count(event, "/")%2 == 1 && len(rest) > 0 && sep != "/" { // cpu/event=1,umask=2/ with commas
		event, rest = event+sep+rest[0], rest[1:]
	}
	r.event, r.v.unit = perfEvent(event, printed)
	switch text := strings.TrimSpace(f[at]); text {
	case "<not counted>":
		r.v.state = notCounted
	case "<not supported>":
		r.v.state = notSupported
	default:
		d, err := parseDecimal(text, mark)
		if err != nil {
			return r, bad(i, "%v", err)
		}
		r.v.number = d
	}
	return r, r.tail(i, rest, mark)
}

// tail reads what follows the event.
func (r *csvLine) tail(i int, f []string, mark byte) error {
	if len(f) > 0 && strings.HasSuffix(f[0], "%") {
		d, err := parseDecimal(strings.TrimSpace(strings.TrimSuffix(f[0], "%")), mark)
		if err != nil {
			return bad(i, "%v", err)
		}
		n := noiseOf(d)
		r.noise, f = &n, f[1:]
	}
	if len(f) < 2 || f[0] == "" {
		return nil
	}
	ran, err := parseDecimal(f[0], mark)
	if err != nil || ran.digits > 1<<62 || ran.places > 0 {
		return bad(i, "%q is no time in nanoseconds", f[0])
	}
	share, err := parseDecimal(f[1], mark)
	if err != nil || share.float() > 100 {
		return bad(i, "%q is no share of the time", f[1])
	}
	r.v.runtime, r.v.share = time.Duration(ran.digits), share.float()/100
	return nil
}

func isValue(s string) bool {
	s = strings.TrimSpace(s)
	if s == "<not counted>" || s == "<not supported>" {
		return true
	}
	return s != "" && strings.Trim(s, "0123456789.,") == ""
}

// isUnit tells units from names of events where either may stand.
func isUnit(s string) bool {
	return unitOf(s).base == "ns" || s == "Joules" || s == "MiB" || s == "KiB"
}

// A collector puts lines that name one event each together to outputs of
// perf stat.
type collector struct {
	stats []stat
	cur   stat
}

func (c *collector) next(started time.Time) {
	if !c.cur.empty() {
		c.stats = append(c.stats, c.cur)
	}
	c.cur = stat{started: started}
}

func (c *collector) add(i int, r csvLine) error {
	if r.stamp != nil {
		return c.cur.tick(i, *r.stamp, r.event, r.row, r.v)
	}
	if _, again := c.cur.values.of(r.event); again && r.row == "" {
		c.next(c.cur.started) // the next run: perf stat -o --append, or >>
	}
	if err := c.cur.addValue(r.event, r.row, r.v); err != nil {
		return bad(i, "%v", err)
	}
	if r.noise != nil {
		c.cur.many = true
		if c.cur.noise == nil {
			c.cur.noise = map[string]noise{}
		}
		if v, _ := c.cur.values.of(r.event); v.rows == 1 {
			c.cur.noise[r.event] = *r.noise
		} else {
			delete(c.cur.noise, r.event)
		}
	}
	return nil
}
