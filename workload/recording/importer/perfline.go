package importer

import (
	"regexp"
	"strings"
)

// The parts of perf's lines. A number may have any locale's marks; a plain
// blank only before three digits.
const (
	numberRE = `[0-9](?:[0-9.,'’_\x{a0}\x{2009}\x{202f}]|\x20[0-9]{3}\b)*`
	valueRE  = `(<not counted>|<not supported>|` + numberRE + `)`
)

var (
	headerRE   = regexp.MustCompile(`Performance counter stats for (.*?)(?: \(([0-9]+) runs?\))?:\s*$`)
	commandRE  = regexp.MustCompile(`\bperf stat\b(.*)$`)
	repeatRE   = regexp.MustCompile(`(?:\s-r\s*|\s--repeat[ =])([0-9]+)`)
	startedRE  = regexp.MustCompile(`^# started on (.*)$`)
	rowRE      = `(?:((?:CPU|S|D|N|C)[0-9][-0-9SDCN]*|[^\s0-9<#(][^#<]*?-[0-9]+)\s+(?:[0-9]+\s+)?)?`
	lineRE     = regexp.MustCompile(`^\s*` + rowRE + valueRE + `\s+(\S.*)$`)
	stampRE    = regexp.MustCompile(`^\s*([0-9]+[.,][0-9]{9})\s+(.*)$`)
	noiseRE    = regexp.MustCompile(`\(\s*\+-\s*([0-9.,]+)\s*%\s*\)`)
	shareRE    = regexp.MustCompile(`[(\[]\s*([0-9.,]+)\s*%\s*[)\]]\s*$|\(scaled from ([0-9.,]+)%\)`)
	secondsRE  = regexp.MustCompile(`^\s*` + valueRE + `\s*(?:\+-\s*[0-9.,]+\s*)?seconds\s+(time elapsed|user|sys)\b`)
	tableRE    = regexp.MustCompile(`^\s*([0-9.,]+) \([+-][0-9.,]+\) #*\s*$`)
	intervalRE = regexp.MustCompile(`^#\s+time\s.*\bcounts\b.*\bevents?\b`)
	markRE     = regexp.MustCompile(`([0-9]+(?:[.,][0-9]+)*)\s*(?:%|\+-|seconds\s)`)
)

// unquote removes what mail programs put before a line.
func unquote(l string) string {
	for strings.HasPrefix(l, ">") || strings.HasPrefix(l, "|") {
		l = strings.TrimPrefix(l[1:], " ")
	}
	return l
}

// decimalMark finds the mark of the locale by numbers that always have a
// fraction: percentages and times. Thousands are separated by the other.
func decimalMark(lines []string) byte {
	points, commas := 0, 0
	for _, l := range lines {
		for _, m := range markRE.FindAllStringSubmatch(l, -1) {
			switch i := strings.LastIndexAny(m[1], ".,"); {
			case i < 0:
			case m[1][i] == comma:
				commas++
			default:
				points++
			}
		}
	}
	if commas > points {
		return comma
	}
	return point
}

// split takes a line apart; the name is empty when it is none of a counter.
func (p *textParser) split(i int, l string) (name, row string, v value, err error) {
	m := lineRE.FindStringSubmatch(l)
	if m == nil {
		return "", "", v, nil
	}
	rest, _, _ := strings.Cut(m[3]+" ", " #")
	rest = noiseRE.ReplaceAllString(rest, "")
	rest = strings.TrimSpace(shareRE.ReplaceAllString(strings.TrimRight(rest, " "), ""))
	first, second, two := strings.Cut(rest, " ")
	second = strings.TrimSpace(second)
	printed := ""
	switch {
	case isEventName(rest):
		name = rest
	case two && isEventName(second) && len(first) <= 12:
		name, printed = second, first
	default:
		return "", "", v, nil
	}
	name, v.unit = perfEvent(name, printed)
	row = m[1]
	switch m[2] {
	case "<not counted>":
		v.state = notCounted
		return name, row, v, nil
	case "<not supported>":
		v.state = notSupported
		return name, row, v, nil
	}
	if v.number, err = parseDecimal(m[2], p.mark); err != nil {
		return name, row, v, bad(i, "%v", err)
	}
	if s := shareRE.FindStringSubmatch(noiseRE.ReplaceAllString(l, "")); s != nil {
		d, err := parseDecimal(s[1]+s[2], p.mark)
		if err != nil || d.float() > 100 {
			return name, row, v, bad(i, "%q is no share of the time", s[0])
		}
		v.share = d.float() / 100
	}
	return name, row, v, nil
}

// noiseOf turns a percentage into a ratio and half of its last digit.
func noiseOf(percent decimal) noise {
	half := decimal{5, percent.places + 1}
	percent.places += 2
	half.places += 2
	return noise{percent.float(), half.float()}
}
