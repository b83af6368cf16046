package perfctr

import "strings"

// modifiers are the letters behind the colon of an event.
type modifiers struct {
	user, kernel, hv bool // u k h: these modes only
	guest, host      bool // G H: in or out of a virtual machine only
	idle             bool // I: not while idle
	precise          int  // p, pp, ppp
	preciseMax       bool // P
	pinned           bool // D: always on the PMU or in error
	exclusive        bool // e: alone on the PMU
	weak             bool // W: a group that may be taken apart
}

// mostPrecise is the highest precise_ip.
const mostPrecise = 3

// modifierLetters are those that are understood. S reads a group when its
// leader is sampled and X keeps perf from reordering: they change nothing about
// a count and are dropped.
const modifierLetters = "ukhGHIpPDeWSX"

// parseModifiers reads letters; bad is the offset of the first that cannot be,
// or that stands there for the second time, or -1.
func parseModifiers(text string) (m modifiers, bad int) {
	for i, c := range text {
		if c != 'p' && strings.ContainsRune(text[:i], c) {
			return m, i
		}
		switch c {
		case 'u':
			m.user = true
		case 'k':
			m.kernel = true
		case 'h':
			m.hv = true
		case 'G':
			m.guest = true
		case 'H':
			m.host = true
		case 'I':
			m.idle = true
		case 'p':
			if m.precise++; m.precise > mostPrecise {
				return m, i
			}
		case 'P':
			m.preciseMax = true
		case 'D':
			m.pinned = true
		case 'e':
			m.exclusive = true
		case 'W':
			m.weak = true
		case 'S', 'X':
		default:
			return m, i
		}
	}
	return m, -1
}

// String gives the letters in one order, so that equal events have equal names.
func (m modifiers) String() string {
	var b strings.Builder
	for _, l := range []struct {
		on     bool
		letter string
	}{
		{m.user, "u"}, {m.kernel, "k"}, {m.hv, "h"}, {m.guest, "G"}, {m.host, "H"}, {m.idle, "I"},
		{m.precise > 0, strings.Repeat("p", m.precise)}, {m.preciseMax, "P"}, {m.pinned, "D"}, {m.exclusive, "e"},
	} {
		if l.on {
			b.WriteString(l.letter)
		}
	}
	return b.String()
}

// with adds the modifiers of a group to those of a member, as perf does
// (get_event_modifier): {cycles:k}:u is cycles:uk, {cycles:p}:p is cycles:pp.
func (m modifiers) with(group modifiers) modifiers {
	m.user, m.kernel, m.hv = m.user || group.user, m.kernel || group.kernel, m.hv || group.hv
	m.guest, m.host = m.guest || group.guest, m.host || group.host
	m.idle = m.idle || group.idle
	m.precise += group.precise
	m.preciseMax = m.preciseMax || group.preciseMax
	m.pinned = m.pinned || group.pinned
	m.exclusive = m.exclusive || group.exclusive
	return m
}

// flags are the bits that perf sets for the letters (get_event_modifier in
// tools/perf/util/parse-events.c): modes that are not named are excluded, and
// without G or H what a guest does is not counted.
func (m modifiers) flags() Flags {
	var f Flags
	if m.user || m.kernel || m.hv {
		f |= ExcludeUser | ExcludeKernel | ExcludeHV
		if m.user {
			f &^= ExcludeUser
		}
		if m.kernel {
			f &^= ExcludeKernel
		}
		if m.hv {
			f &^= ExcludeHV
		}
	}
	switch {
	case m.guest && m.host:
	case m.guest:
		f |= ExcludeHost
	default:
		f |= ExcludeGuest
	}
	if m.idle {
		f |= ExcludeIdle
	}
	if m.pinned {
		f |= Pinned
	}
	if m.exclusive {
		f |= Exclusive
	}
	return f
}

// domain names the modes that are left.
func (m modifiers) domain() Domain {
	var d Domain
	if m.user {
		d += DomainUser
	}
	if m.kernel {
		d += DomainKernel
	}
	if m.hv {
		d += DomainHypervisor
	}
	if m.user && m.kernel {
		return DomainAll
	}
	return d
}

// apply puts the modifiers on an event that has its name and config, and makes
// its Name and Spec. The caller sees to it that an event which is named by the
// user (name=x) gets its name afterwards.
func (m modifiers) apply(e Event) Event {
	e.Attr.Flags = m.flags()
	e.Attr.Precise = uint8(m.precise)
	if m.preciseMax {
		e.Attr.Precise = PreciseMax
	}
	e.Domain = m.domain()
	if e.clock() {
		e.Domain = DomainAll // see Event.clock
	}
	if e.Spec == "" {
		e.Spec = e.Name
	}
	e.Name, e.Spec = join(e.Name, m.String()), join(e.Spec, m.String())
	return e
}

// split takes a name apart before its modifiers, which stand behind a colon or
// directly behind the slash of a PMU event.
func split(name string) (base, letters string) {
	base, letters = name, ""
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		base, letters = name[:i+1], name[i+1:]
		letters = strings.TrimPrefix(letters, ":")
	}
	if _, bad := parseModifiers(letters); bad >= 0 || letters == "" {
		i := strings.LastIndexByte(name, ':')
		if i < 0 {
			return name, ""
		}
		base, letters = name[:i], name[i+1:]
	}
	if _, bad := parseModifiers(letters); bad >= 0 || letters == "" {
		return name, ""
	}
	return base, letters
}

// join is the reverse of split, as perf writes it.
func join(base, letters string) string {
	switch {
	case letters == "":
		return base
	case strings.HasSuffix(base, "/"):
		return base + letters
	}
	return base + ":" + letters
}

// base is the event's name without modifiers.
func (e Event) base() string {
	b, _ := split(e.Name)
	return b
}

// userOnly is the event without kernel and hypervisor mode, marked as such. It
// is not ok when nothing would be left that means the same: the event happens
// in kernel mode only, or user mode was not asked for.
func (e Event) userOnly() (u Event, ok bool) {
	if e.kernelOnly() || e.Source != SourceKernel || e.Attr.Flags&ExcludeUser != 0 || e.Attr.Flags&ExcludeKernel != 0 {
		return e, false
	}
	u = e
	u.Attr.Flags |= ExcludeKernel | ExcludeHV
	if e.clock() {
		return u, true // still counts all modes: see Event.clock
	}
	rename := func(name string) string {
		base, letters := split(name)
		m, _ := parseModifiers(letters)
		m.user, m.kernel, m.hv = true, false, false
		return join(base, m.String())
	}
	u.Name, u.Spec, u.Domain = rename(e.Name), rename(e.Spec), DomainUser
	return u, true
}
