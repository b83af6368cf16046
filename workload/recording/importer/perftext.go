package importer

import (
	"strconv"
	"strings"
	"time"
)

func hasPerfHeader(lines []string) bool {
	for _, l := range lines {
		if headerRE.MatchString(l) || intervalRE.MatchString(l) {
			return true
		}
	}
	return false
}

// isPerfText finds perf's lines in a mail that left their header out.
func isPerfText(lines []string) bool {
	p := textParser{mark: point}
	for i, l := range lines {
		if name, _, _, err := p.split(i, unquote(l)); err == nil && strong[strings.SplitN(name, ":", 2)[0]] &&
			(strings.Contains(l, "#") || noiseRE.MatchString(l)) {
			return true
		}
	}
	return false
}

// A textParser reads the human output of perf stat.
type textParser struct {
	mark    byte
	stats   []stat
	cur     *stat
	pending stat // what was said before the numbers
	ended   bool // the elapsed time was seen
	loose   bool // there was no header
	table   bool
	ticks   bool // of intervals
}

func parsePerfText(lines []string, o Options) ([]series, error) {
	p := &textParser{mark: decimalMark(lines)}
	for i, l := range lines {
		if err := p.line(i, unquote(l)); err != nil {
			return nil, err
		}
	}
	p.close()
	return seriesOf(p.stats, o), nil
}

func (p *textParser) close() {
	if p.cur != nil && !p.cur.empty() {
		p.stats = append(p.stats, *p.cur)
	}
	p.cur, p.ended, p.loose, p.table = nil, false, false, false
}

func (p *textParser) open() *stat {
	p.close()
	cur := p.pending
	p.cur, p.pending = &cur, stat{}
	return p.cur
}

func (p *textParser) line(i int, l string) error {
	if m := headerRE.FindStringSubmatch(l); m != nil {
		if p.ticks {
			return nil // the totals after the intervals are told from them by having no stamps
		}
		s := p.open()
		s.command = m[1]
		if n := len(m[1]); n > 1 && m[1][0] == '\'' && m[1][n-1] == '\'' { // also: process id '1'
			s.command = m[1][1 : n-1]
		}
		s.runs, s.many = 1, false
		if m[2] != "" {
			n, err := strconv.Atoi(m[2])
			if err != nil || n < 1 {
				return bad(i, "%s runs", m[2])
			}
			s.runs, s.many = n, n > 1
		}
		return nil
	}
	if m := startedRE.FindStringSubmatch(l); m != nil {
		p.close()
		p.ticks = false
		p.pending = stat{started: startTime(m[1])}
		return nil
	}
	if intervalRE.MatchString(l) { // repeated every 25 intervals
		if !p.ticks {
			p.open()
		}
		p.ticks = true
		return nil
	}
	if p.ticks {
		return p.tick(i, l)
	}
	if m := secondsRE.FindStringSubmatch(l); m != nil {
		return p.seconds(i, l, m)
	}
	if strings.Contains(l, "Table of individual measurements") {
		p.table = p.cur != nil
		return nil
	}
	if p.table {
		if m := tableRE.FindStringSubmatch(l); m != nil {
			d, err := parseDecimal(m[1], p.mark)
			if err != nil {
				return bad(i, "%v", err)
			}
			p.cur.table = append(p.cur.table, d)
			return nil
		}
	}
	if m := commandRE.FindStringSubmatch(l); m != nil {
		p.close()
		p.pending = stat{command: strings.TrimSpace(repeatRE.ReplaceAllString(m[1], "")), runs: 1}
		if n := repeatRE.FindStringSubmatch(" " + m[1]); n != nil {
			runs, err := strconv.Atoi(n[1])
			if err == nil && runs > 1 {
				p.pending.runs, p.pending.many = runs, true
			}
		}
		return nil
	}
	return p.reading(i, l)
}

// reading handles a line of a counter, if it is one.
func (p *textParser) reading(i int, l string) error {
	name, row, v, err := p.split(i, l)
	if name == "" {
		if p.loose && strings.TrimSpace(l) != "" && !strings.HasPrefix(strings.TrimSpace(l), "#") {
			p.close() // prose after numbers without a header
		}
		return nil
	}
	if err != nil {
		return err
	}
	if p.cur == nil || p.ended {
		if !strong[strings.SplitN(name, ":", 2)[0]] {
			return nil
		}
		p.open()
		p.loose = true
		if noiseRE.MatchString(l) {
			p.cur.many = true
		}
		if p.cur.runs == 1 && p.cur.many {
			p.cur.runs = 0
		}
	}
	if err := p.cur.addValue(name, row, v); err != nil {
		return bad(i, "%v", err)
	}
	return p.noise(i, l, name, row)
}

// noise keeps the "+-" of a line. Since 3.0 perf leaves it out when it is
// exactly 0: then all runs were equal.
func (p *textParser) noise(i int, l, name, row string) error {
	if sum, _ := p.cur.values.of(name); !p.cur.many || sum.rows > 1 {
		delete(p.cur.noise, name)
		return nil
	}
	if p.cur.noise == nil {
		p.cur.noise = map[string]noise{}
	}
	m := noiseRE.FindStringSubmatch(l)
	if m == nil {
		p.cur.noise[name] = noise{}
		return nil
	}
	d, err := parseDecimal(m[1], p.mark)
	if err != nil {
		return bad(i, "%v", err)
	}
	p.cur.noise[name] = noiseOf(d)
	return nil
}

// seconds handles the lines of times that perf takes around the run.
func (p *textParser) seconds(i int, l string, m []string) error {
	if p.cur == nil {
		return nil
	}
	d, err := parseDecimal(m[1], p.mark)
	if err != nil {
		return bad(i, "%v", err)
	}
	name := map[string]string{"time elapsed": "elapsed", "user": "user", "sys": "system"}[m[2]]
	if _, twice := p.cur.values.of(name); twice {
		return bad(i, "a second time of this kind")
	}
	if err := p.cur.addValue(name, "", elapsed(d)); err != nil {
		return bad(i, "%v", err)
	}
	p.ended = true
	return p.noise(i, l, name, "")
}

// tick handles a line of perf stat -I.
func (p *textParser) tick(i int, l string) error {
	m := stampRE.FindStringSubmatch(l)
	if m == nil {
		return nil
	}
	end, err := parseDecimal(m[1], p.mark)
	if err != nil {
		return bad(i, "%v", err)
	}
	name, row, v, err := p.split(i, m[2])
	if name == "" || err != nil {
		return err
	}
	return p.cur.tick(i, end, name, row, v)
}

// tick adds a reading to the interval that ends at end.
func (s *stat) tick(i int, end decimal, name, row string, v value) error {
	n := len(s.intervals)
	if n == 0 || s.intervals[n-1].end != end {
		s.intervals = append(s.intervals, interval{end: end})
		n++
	}
	name, err := addTo(&s.intervals[n-1].values, s.order.at[name], name, row, v)
	if err != nil {
		return bad(i, "%v", err)
	}
	s.order.meet(name)
	return nil
}

// startTime reads the time of a "# started on" line; the zone is not in it.
func startTime(s string) time.Time {
	t, err := time.Parse(time.ANSIC, strings.TrimSpace(s))
	if err != nil {
		return time.Time{}
	}
	return t
}
