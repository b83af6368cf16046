package elfsize

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"microcost/compare"
)

// A Condition is something to fail on: `text>+0`, `symbol:NAME>+64`.
type Condition struct {
	text    string
	subject string  // "text", "symbol", "section", ...
	name    string  // of a symbol or section
	above   bool    // > rather than <
	amount  float64 // bytes, or a share of A: 0.01 is 1 %
	percent bool
}

func (c Condition) String() string { return c.text }

// NeedsSymbols says that the condition is about symbols.
func (c Condition) NeedsSymbols() bool { return c.subject == "symbol" || c.subject == "symbols" }

// ParseCondition reads WHAT>DELTA or WHAT<DELTA. WHAT is text, data, bss, total
// (or dec), symbols, section:NAME, symbol:NAME, or symbol:* for any one symbol.
// DELTA is B minus A, in bytes (or KiB and the like), or with % in percent of A.
func ParseCondition(s string) (Condition, error) {
	c := Condition{text: s}
	bad := func(why string) (Condition, error) {
		return Condition{}, fmt.Errorf("condition %q: %s", s, why)
	}
	// The last one: names of C++ and Rust contain < and >.
	i := strings.LastIndexAny(s, "<>")
	if i < 0 {
		return bad("no > or <, as in 'text>+0'")
	}
	c.above = s[i] == '>'
	what, delta := strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+1:])
	if kind, name, ok := strings.Cut(what, ":"); ok {
		if kind != "symbol" && kind != "section" || name == "" {
			return bad("want symbol:NAME or section:NAME")
		}
		c.subject, c.name = kind, name
	} else {
		if !slices.Contains([]string{"text", "data", "bss", "total", "dec", "symbols"}, what) {
			return bad(fmt.Sprintf("unknown %q: text, data, bss, total, symbols, section:NAME or symbol:NAME", what))
		}
		c.subject = what
	}
	n, absolute, err := compare.ParseAmount(delta)
	if err != nil {
		return bad(err.Error())
	}
	c.percent = !absolute
	if absolute && n != math.Trunc(n) {
		return bad("bytes are whole")
	}
	c.amount = n
	return c, nil
}

// A Finding is the answer to a Condition.
type Finding struct {
	Condition string
	Holds     bool
	What      string // what decided: the subject, or the symbol that * found
	A, B      uint64 // bytes
}

// Check tells whether the condition holds. It is an error when it cannot be
// told: a section or symbol that neither side has, or no symbols to look at.
func (c Condition) Check(cmp *Comparison) (Finding, error) {
	f := Finding{Condition: c.text, What: c.subject}
	if c.NeedsSymbols() && !cmp.HasSymbols {
		return f, fmt.Errorf("condition %q: there are no symbols to compare", c.text)
	}
	switch c.subject {
	case "text":
		f.A, f.B = cmp.A.Berkeley.Text, cmp.B.Berkeley.Text
	case "data":
		f.A, f.B = cmp.A.Berkeley.Data, cmp.B.Berkeley.Data
	case "bss":
		f.A, f.B = cmp.A.Berkeley.BSS, cmp.B.Berkeley.BSS
	case "total", "dec":
		f.A, f.B = cmp.A.Berkeley.Total(), cmp.B.Berkeley.Total()
	case "symbols":
		for _, s := range cmp.sums {
			f.A, f.B = f.A+s.a, f.B+s.b
		}
	case "section":
		f.What = c.name
		found := false
		for _, s := range cmp.Sections {
			if s.Name == c.name {
				f.A, f.B, found = f.A+s.A, f.B+s.B, true
			}
		}
		if !found {
			return f, fmt.Errorf("condition %q: neither side has a section %s", c.text, c.name)
		}
	case "symbol":
		if c.name == "*" {
			return c.checkAny(cmp), nil
		}
		f.What = c.name
		s, ok := cmp.sums[c.name]
		if !ok {
			if base, _, _ := cmp.Fold.name(c.name); base != c.name {
				if s, ok = cmp.sums[base]; ok {
					f.What = base
				}
			}
		}
		if !ok {
			return f, fmt.Errorf("condition %q: neither side has a symbol %s", c.text, c.name)
		}
		f.A, f.B = s.a, s.b
	}
	f.Holds = c.holds(f.A, f.B)
	return f, nil
}

// checkAny finds the symbol with the largest delta that the condition holds
// for.
func (c Condition) checkAny(cmp *Comparison) Finding {
	f := Finding{Condition: c.text, What: "*"}
	for name, s := range cmp.sums {
		if !c.holds(s.a, s.b) {
			continue
		}
		d, best := math.Abs(float64(s.b)-float64(s.a)), math.Abs(float64(f.B)-float64(f.A))
		if !f.Holds || d > best || d == best && name < f.What {
			f = Finding{c.text, true, name, s.a, s.b}
		}
	}
	return f
}

func (c Condition) holds(a, b uint64) bool {
	d := float64(b) - float64(a)
	if c.percent {
		switch {
		case a != 0:
			d /= float64(a)
		case b != 0:
			d = math.Inf(1)
		}
	}
	if c.above {
		return d > c.amount
	}
	return d < c.amount
}
