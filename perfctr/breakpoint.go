package perfctr

import (
	"strconv"
	"strings"
)

// breakpointPrefix begins an event that counts the accesses to an address:
// mem:address[/length][:rwx].
const breakpointPrefix = "mem:"

// HW_BREAKPOINT_* of include/uapi/linux/hw_breakpoint.h.
const (
	breakRead    = 1
	breakWrite   = 2
	breakExecute = 4
)

// breakpoint reads a breakpoint event. The defaults are perf's: reads and
// writes of four bytes, executions with the length of a long.
func (p *parser) breakpoint(n node) ([]Event, error) {
	at := n.offset + len(breakpointPrefix)
	where, access, hasAccess := strings.Cut(n.name[len(breakpointPrefix):], ":")
	address, length, hasLength := strings.Cut(where, "/")
	e := Event{PMU: pmuBreakpoint, Attr: Attr{Type: typeBreakpoint}}
	var err error
	if e.Attr.Config1, err = number(address, 64); err != nil {
		return nil, p.errorf(at, nil, "%q is not an address", address)
	}
	if !hasAccess {
		access = "rw"
	}
	accessAt := at + len(where) + 1
	for i, c := range access {
		bit := uint32(0)
		switch c {
		case 'r':
			bit = breakRead
		case 'w':
			bit = breakWrite
		case 'x':
			bit = breakExecute
		}
		if bit == 0 || e.Attr.BPType&bit != 0 {
			return nil, p.errorf(accessAt+i, nil, "%q is not an access: r, w and x are, once each", c)
		}
		e.Attr.BPType |= bit
	}
	if access == "" {
		return nil, p.errorf(accessAt, nil, "an access is missing: r, w or x")
	}
	e.Attr.Config2 = 4
	if e.Attr.BPType == breakExecute {
		e.Attr.Config2 = 8
	}
	if hasLength {
		if e.Attr.Config2, err = number(length, 8); err != nil || e.Attr.Config2 == 0 {
			return nil, p.errorf(at+len(address)+1, nil, "%q is not a length: 1, 2, 4 and 8 are", length)
		}
	}
	e.Name = breakpointPrefix + "0x" + strconv.FormatUint(e.Attr.Config1, 16)
	if hasLength {
		e.Name += "/" + strconv.FormatUint(e.Attr.Config2, 10)
	}
	e.Name += ":" + accessLetters(e.Attr.BPType)
	return []Event{n.mods.apply(e)}, nil
}

func accessLetters(bp uint32) string {
	s := ""
	if bp&breakRead != 0 {
		s += "r"
	}
	if bp&breakWrite != 0 {
		s += "w"
	}
	if bp&breakExecute != 0 {
		s += "x"
	}
	return s
}
