package sched

import (
	"fmt"
	"os"
	"strings"
	"unsafe"
)

// spare lists the memory of this program that a task does not need: its heap
// and its stacks. A task gives it back before it is measured, so that a fork
// copies the page tables of a small program, not those of this one.
func (c *crew) spare() (*span, int64, error) {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil, 0, fmt.Errorf("finding the memory that tasks do not need: %w", err)
	}
	list := c.spareSpans(string(text))
	if len(list) == 0 {
		return nil, 0, nil
	}
	p, err := c.shared(uintptr(len(list)) * unsafe.Sizeof(span{}))
	if err != nil {
		return nil, 0, err
	}
	copy(unsafe.Slice((*span)(p), len(list)), list)
	return (*span)(p), int64(len(list)), nil
}

// spareSpans reads /proc/PID/maps: the anonymous, private and writable parts
// that are not the crew's own.
func (c *crew) spareSpans(maps string) []span {
	var list []span
	for line := range strings.Lines(maps) {
		var from, to uintptr
		var mode, device string
		var offset, inode uint64
		if n, _ := fmt.Sscanf(line, "%x-%x %s %x %s %d", &from, &to, &mode, &offset, &device, &inode); n < 6 {
			continue
		}
		if mode != "rw-p" || inode != 0 || c.owns(from, to) {
			continue
		}
		list = append(list, span{addr: from, length: to - from})
	}
	return list
}

// owns says whether a part of the address space has anything of the crew's.
func (c *crew) owns(from, to uintptr) bool {
	for _, m := range c.maps {
		start := uintptr(unsafe.Pointer(&m[0]))
		if start < to && from < start+uintptr(len(m)) {
			return true
		}
	}
	return false
}
