package perfctr

import (
	"fmt"
	"strings"
)

// Parse reads an event list as perf stat -e takes it and resolves it on this
// machine. The error is a *ParseError.
func Parse(list string) ([]Event, error) { return Host().Parse(list) }

// Parse reads an event list and resolves it on s. The error is a *ParseError.
// Whether an event can be counted is another question: see Probe.
func (s *System) Parse(list string) ([]Event, error) {
	p := parser{sys: s, in: list}
	nodes, err := p.list()
	if err != nil {
		return nil, err
	}
	var events []Event
	for _, n := range nodes {
		found, err := p.resolve(n)
		if err != nil {
			return nil, err
		}
		for i := range found {
			found[i].Group = n.group
		}
		events = append(events, found...)
	}
	return events, nil
}

// parser reads one event list in two passes: into nodes, then into events,
// because the modifiers of a group stand behind its members.
type parser struct {
	sys    *System
	in     string
	pos    int
	groups int // the number of braces seen
}

// A node is the text of one event.
type node struct {
	offset int    // of name
	name   string // the event, or the PMU when slashes follow
	slash  bool   // name is followed by /terms/
	terms  []term
	body   string // the text between the slashes
	mods   modifiers
	group  int
}

// A term is one of those between the slashes of a PMU event.
type term struct {
	offset   int
	name     string
	value    string
	hasValue bool
	valueAt  int
}

func (p *parser) errorf(offset int, near []string, format string, args ...any) error {
	return &ParseError{Input: p.in, Offset: offset, Msg: fmt.Sprintf(format, args...), Near: near}
}

// peek is the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.pos < len(p.in) {
		return p.in[p.pos]
	}
	return 0
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (p *parser) space() {
	for isSpace(p.peek()) {
		p.pos++
	}
}

// list reads events and groups until the end of the input.
func (p *parser) list() ([]node, error) {
	var nodes []node
	for {
		p.space()
		found, err := p.item()
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, found...)
		p.space()
		switch p.peek() {
		case 0:
			if p.pos < len(p.in) {
				return nil, p.errorf(p.pos, nil, "a zero byte has no place in an event list")
			}
			return nodes, nil
		case ',':
			p.pos++
		default:
			return nil, p.errorf(p.pos, nil, "%q where a comma or the end was expected", p.in[p.pos])
		}
	}
}

// item reads one event or one group. perf lets a name stand before the brace;
// it serves metrics only and is dropped.
func (p *parser) item() ([]node, error) {
	start := p.pos
	for p.pos < len(p.in) && !strings.ContainsRune(",{}/:", rune(p.in[p.pos])) {
		p.pos++
	}
	if p.peek() == '{' {
		return p.braces()
	}
	p.pos = start
	n, err := p.event()
	if err != nil {
		return nil, err
	}
	return []node{n}, nil
}

// braces reads {a,b}:modifiers.
func (p *parser) braces() ([]node, error) {
	open := p.pos
	p.pos++
	p.groups++
	var nodes []node
	for {
		p.space()
		n, err := p.event()
		if err != nil {
			return nil, err
		}
		n.group = p.groups
		nodes = append(nodes, n)
		p.space()
		c := p.peek()
		if c == '}' {
			p.pos++
			break
		}
		if c != ',' {
			return nil, p.errorf(open, nil, "the group that begins here is not closed")
		}
		p.pos++
	}
	if p.peek() != ':' {
		return nodes, nil
	}
	p.pos++
	at := p.pos
	m, err := p.letters(at, p.upTo(",}"))
	if err != nil {
		return nil, err
	}
	if m.weak {
		// A weak group is one that may be taken apart when it does not fit. That
		// is how events without braces are packed.
		p.groups--
	}
	for i := range nodes {
		if m.weak {
			nodes[i].group = 0
		}
		if g, ok := findGeneric(nodes[i].name); ok && g.source == SourceRun {
			continue // the letters are for the counters beside it
		}
		if nodes[i].mods = nodes[i].mods.with(m); nodes[i].mods.precise > mostPrecise {
			return nil, p.errorf(at, nil, "precision has three levels, and %s has some of its own: p, pp, ppp", nodes[i].name)
		}
	}
	return nodes, nil
}

// upTo takes the text before the first of the stop bytes, without the space
// around it, and moves behind it.
func (p *parser) upTo(stop string) string {
	start := p.pos
	for p.pos < len(p.in) && strings.IndexByte(stop, p.in[p.pos]) < 0 {
		p.pos++
	}
	return strings.TrimRight(p.in[start:p.pos], " \t\r\n")
}

// letters reads modifiers; at is their offset.
func (p *parser) letters(at int, text string) (modifiers, error) {
	if text == "" {
		return modifiers{}, p.errorf(at, nil, "modifiers are missing behind the colon")
	}
	m, bad := parseModifiers(text)
	if bad < 0 {
		return m, nil
	}
	c := text[bad]
	switch c {
	case 'p':
		return m, p.errorf(at+bad, nil, "precision has three levels: p, pp, ppp")
	case 'b':
		return m, p.errorf(at+bad, nil, "modifier 'b' counts through a BPF program, which is not supported; the count without it is the same")
	case 'R':
		return m, p.errorf(at+bad, nil, "modifier 'R' asks for latencies in samples; only counts are supported")
	}
	if strings.IndexByte(text, c) < bad {
		return m, p.errorf(at+bad, nil, "modifier %q stands there twice", c)
	}
	return m, p.errorf(at+bad, nil, "unknown modifier %q: known are %s", c, modifierLetters)
}

// event reads one event, up to the comma or brace behind it.
func (p *parser) event() (node, error) {
	n := node{offset: p.pos}
	if strings.HasPrefix(p.in[p.pos:], breakpointPrefix) {
		n.name = p.upTo(",{}")
		return n, p.modified(&n)
	}
	n.name = p.upTo(",{}/")
	if n.name == "" {
		return n, p.errorf(n.offset, nil, "an event is missing")
	}
	if p.peek() != '/' {
		return n, p.modified(&n)
	}
	n.slash = true
	p.pos++
	begin := p.pos
	terms, err := p.terms()
	if err != nil {
		return n, err
	}
	n.terms, n.body = terms, p.in[begin:p.pos]
	p.pos++ // the second slash
	// perf wants the letters directly behind the slash; a colon between them is
	// what everybody types.
	if p.peek() == ':' {
		p.pos++
	} else if p.pos == len(p.in) || strings.IndexByte(",} \t\r\n", p.in[p.pos]) >= 0 {
		return n, nil
	}
	at := p.pos
	n.mods, err = p.letters(at, p.upTo(",{}"))
	return n, err
}

// modified takes the modifiers off the name of an event without slashes, unless
// what stands behind the last colon is the name of a tracepoint.
func (p *parser) modified(n *node) error {
	// What stands behind a known event is modifiers, good or bad: cycles:x is not
	// a tracepoint.
	first, rest, colon := strings.Cut(n.name, ":")
	if colon && first+":" != breakpointPrefix && p.sys.known(first) {
		if n.name = first; rest == "" {
			return nil // as in perf, a colon with nothing behind it is nothing
		}
		m, err := p.letters(n.offset+len(first)+1, rest)
		n.mods = m
		return err
	}
	base, letters := split(n.name)
	n.name = base
	n.mods, _ = parseModifiers(letters)
	return nil
}

// terms reads what stands between the slashes, up to the second slash.
func (p *parser) terms() ([]term, error) {
	open := p.pos - 1
	var terms []term
	if p.peek() == '/' {
		return nil, nil
	}
	for {
		p.space()
		t := term{offset: p.pos}
		t.name = p.upTo(",=/")
		if t.name == "" {
			if p.pos == len(p.in) {
				return nil, p.errorf(open, nil, "the terms that begin here have no second slash")
			}
			return nil, p.errorf(p.pos, nil, "a term is missing")
		}
		if p.peek() == '=' {
			p.pos++
			p.space()
			t.hasValue, t.valueAt = true, p.pos
			if p.peek() == '\'' {
				p.pos++
				t.value = p.upTo("'")
				if p.pos == len(p.in) {
					return nil, p.errorf(t.valueAt, nil, "the quote that begins here is not closed")
				}
				p.pos++
			} else {
				t.value = p.upTo(",/")
			}
			if t.value == "" {
				return nil, p.errorf(t.valueAt, nil, "the term %s has no value", t.name)
			}
		}
		terms = append(terms, t)
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
		case '/':
			return terms, nil
		case 0:
			return nil, p.errorf(open, nil, "the terms that begin here have no second slash")
		default:
			return nil, p.errorf(p.pos, nil, "%q where a comma or a slash was expected", p.in[p.pos])
		}
	}
}
