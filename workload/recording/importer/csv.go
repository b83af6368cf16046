package importer

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// CSV has a header with a column variant; these columns are about the run, and
// every other is a metric. A unit follows a metric's name in parentheses, or is
// the end of it: "elapsed (ms)", "elapsed_ms".
const (
	colVariant  = "variant"
	colSession  = "session"
	colBlock    = "block"
	colPosition = "position"
	colRun      = "run"
	colStart    = "start_ns"
	colExit     = "exit"
	colWarmUp   = "warm_up"
	colFailed   = "failed"
)

// maxColumns bounds events, variants and sessions, which are looked up one by
// one.
const maxColumns = 4096

var csvColumns = []string{colVariant, colSession, colBlock, colPosition, colRun, colStart, colExit, colWarmUp, colFailed}

// csvHeader returns the index of the header line and the separator.
func csvHeader(lines []string) (int, rune, bool) {
	for i, l := range lines {
		if isComment(l) {
			continue
		}
		for _, sep := range ",;\t" {
			for name := range strings.SplitSeq(l, string(sep)) {
				if strings.Trim(name, "\" \ufeff") == colVariant {
					return i, sep, true
				}
			}
		}
		break
	}
	return 0, 0, false
}

func isCSV(lines []string) bool {
	_, _, ok := csvHeader(lines)
	return ok
}

// A csvReader puts rows to sessions and variants.
type csvReader struct {
	header []string
	events []string // by column; empty for those about the run
	order  names    // of the events; all sessions have the same
	units  []unit
	mark   byte
	list   []series
	index  map[string]int // session, and variant where there are no blocks
	cells  int
}

// parseCSV reads a table. Runs with a block were interleaved, and those of a
// session belong together; without, each variant is a session.
func parseCSV(lines []string, _ Options) ([]series, error) {
	at, sep, _ := csvHeader(lines)
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(strings.Join(lines[at:], "\n"), "\ufeff")))
	r.Comma, r.Comment = sep, '#'
	r.TrimLeadingSpace = true
	r.ReuseRecord = true
	c := &csvReader{index: map[string]int{}, mark: point}
	if sep != ',' {
		c.mark = 0 // by each number
	}
	for {
		row, err := r.Read()
		if row == nil {
			if err.Error() == "EOF" {
				return c.list, nil
			}
			return nil, &ParseError{Msg: err.Error()}
		}
		if err != nil {
			return nil, &ParseError{Msg: err.Error()}
		}
		line, _ := r.FieldPos(0)
		if c.header == nil {
			if err := c.setHeader(row); err != nil {
				return nil, bad(at, "%v", err)
			}
			continue
		}
		if err := c.row(row); err != nil {
			return nil, bad(at+line-1, "%v", err)
		}
	}
}

func (c *csvReader) setHeader(row []string) error {
	if len(row) > maxColumns {
		return fmt.Errorf("%d columns are too many", len(row))
	}
	c.header = slices.Clone(row)
	c.events, c.units = make([]string, len(row)), make([]unit, len(row))
	for i, name := range row {
		name = strings.TrimSpace(name)
		if slices.Contains(row[:i], row[i]) {
			return fmt.Errorf("two columns are named %s", quoted(name))
		}
		c.header[i] = name
		if slices.Contains(csvColumns, name) {
			continue
		}
		if c.events[i], c.units[i] = csvMetric(name); c.events[i] == "" {
			return fmt.Errorf("column %d has no name", i+1)
		}
		if _, twice := c.order.at[c.events[i]]; twice {
			return fmt.Errorf("two columns are about %s", quoted(c.events[i]))
		}
		c.order.meet(c.events[i])
	}
	return nil
}

// csvMetric takes the unit off a column's name.
func csvMetric(column string) (string, unit) {
	if i := strings.LastIndex(column, " ("); i >= 0 && strings.HasSuffix(column, ")") {
		return strings.TrimSpace(column[:i]), unitOf(column[i+2 : len(column)-1])
	}
	for _, end := range []string{"_ns", "_us", "_ms", "_s"} {
		if name, ok := strings.CutSuffix(column, end); ok {
			return name, unitOf(end[1:])
		}
	}
	switch column {
	case "duration_time", "user_time", "system_time", "elapsed", "user", "system", "task-clock", "cpu-clock":
		return column, unitOf("ns")
	}
	return column, unit{}
}

func (c *csvReader) row(row []string) error {
	r := run{values: make(values, 0, len(c.order.list))}
	label, session, blocks := "", "", false
	for i, text := range row {
		text = strings.TrimSpace(text)
		var err error
		switch c.header[i] {
		case colVariant:
			label = text
		case colSession:
			session = text
		case colBlock:
			if blocks = text != ""; blocks {
				r.block, err = strconv.Atoi(text)
			}
		case colPosition:
			if text != "" {
				r.position, err = strconv.Atoi(text)
			}
		case colRun:
			r.index, err = strconv.Atoi(text)
		case colStart:
			var ns int64
			ns, err = strconv.ParseInt(text, 10, 64)
			r.start = time.Duration(ns)
		case colExit:
			r.exit, err = strconv.Atoi(text)
		case colWarmUp:
			r.warmUp, err = csvBool(text)
		case colFailed:
			r.failed, err = csvBool(text)
		default:
			v, there, err := c.value(text, c.units[i])
			if err != nil {
				return fmt.Errorf("%s: %v", c.header[i], err)
			}
			if there {
				r.values = append(r.values, named{c.events[i], v}) // no two columns are about one
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %s is no number", c.header[i], quoted(text))
		}
	}
	if label == "" {
		return fmt.Errorf("the variant has no name")
	}
	return c.put(session, label, blocks, r)
}

func csvBool(text string) (bool, error) {
	if text == "" {
		return false, nil
	}
	return strconv.ParseBool(text)
}

func (c *csvReader) value(text string, u unit) (value, bool, error) {
	v := value{unit: u, outside: true}
	switch text {
	case "", "?":
		return v, false, nil
	case "<not counted>":
		v.state = notCounted
		return v, true, nil
	case "<not supported>":
		v.state = notSupported
		return v, true, nil
	}
	if c.mark == 0 && !strings.Contains(text, ".") {
		text = strings.Replace(text, ",", ".", 1)
	}
	d, err := parseFloat(text)
	v.number = d
	return v, true, err
}

// put files the run under its session and variant.
func (c *csvReader) put(session, label string, blocks bool, r run) error {
	key := session
	if !blocks {
		key += "\x00" + label
	}
	at, ok := c.index[key]
	if !ok {
		if len(c.list) == maxColumns {
			return fmt.Errorf("more than %d sessions", maxColumns)
		}
		at = len(c.list)
		c.index[key] = at
		c.list = append(c.list, series{blocks: blocks, order: c.order})
	}
	if c.cells += 1 + len(c.order.list); c.cells > maxCells {
		return fmt.Errorf("more than %d values", maxCells)
	}
	s := &c.list[at]
	for _, v := range s.variants {
		if v.label == label {
			v.runs = append(v.runs, r)
			return nil
		}
	}
	if len(s.variants) == maxColumns {
		return fmt.Errorf("more than %d variants", maxColumns)
	}
	s.variants = append(s.variants, &variant{label: label, runs: []run{r}})
	return nil
}
