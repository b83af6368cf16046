package perfctr

import "fmt"

// Parse reads an event list as perf stat -e takes it and resolves it on this
// machine. The error is a *ParseError.
func Parse(list string) ([]Event, error) { return Host().Parse(list) }

// Parse reads an event list and resolves it on s. The error is a *ParseError.
// Whether an event can be counted is another question: see Probe.
func (s *System) Parse(list string) ([]Event, error) {
	p := parser{sys: s, in: list}
	return p.list()
}

// parser reads one event list.
type parser struct {
	sys   *System
	in    string
	pos   int
	group int // the number of braces seen
}

func (p *parser) errorf(offset int, near []string, format string, args ...any) error {
	return &ParseError{Input: p.in, Offset: offset, Msg: fmt.Sprintf(format, args...), Near: near}
}

// list reads events until the end of the input.
func (p *parser) list() ([]Event, error) {
	var events []Event
	for {
		e, err := p.event()
		if err != nil {
			return nil, err
		}
		events = append(events, e...)
		if p.pos == len(p.in) {
			return events, nil
		}
		p.pos++ // the comma
	}
}

// event reads one event, up to the comma behind it.
func (p *parser) event() ([]Event, error) {
	start := p.pos
	for p.pos < len(p.in) && p.in[p.pos] != ',' {
		p.pos++
	}
	text := p.in[start:p.pos]
	if text == "" {
		return nil, p.errorf(start, nil, "an event is missing")
	}
	name, letters := split(text)
	g, ok := findGeneric(name)
	if !ok {
		return nil, p.errorf(start, nearest(name, p.sys.names()), "unknown event %q", name)
	}
	m, _ := parseModifiers(letters)
	return p.sys.generic(g, m), nil
}

// names are the names that a mistaken one may have meant.
func (s *System) names() []string {
	var names []string
	for _, g := range generics() {
		names = append(append(names, g.name), g.aliases...)
	}
	return names
}
