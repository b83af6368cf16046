package perfctr

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// A field says where the bits of a term go: a line of a PMU's format
// directory, such as "config:0-7,32-35".
type field struct {
	word int    // 0 to 3: config, config1, config2, config3
	mask uint64 // the bits, filled from the lowest
}

// parseField reads such a line.
func parseField(text string) (field, error) {
	word, list, ok := strings.Cut(strings.TrimSpace(text), ":")
	f := field{}
	switch word {
	case "config":
	case "config1":
		f.word = 1
	case "config2":
		f.word = 2
	case "config3":
		f.word = 3
	default:
		ok = false
	}
	if !ok {
		return f, fmt.Errorf("format %q: not the name of a config word and its bits", text)
	}
	for _, part := range strings.Split(list, ",") {
		from, to, ranged := strings.Cut(part, "-")
		first, err := strconv.ParseUint(from, 10, 8)
		last := first
		if err == nil && ranged {
			last, err = strconv.ParseUint(to, 10, 8)
		}
		if err != nil || last < first || last > 63 {
			return f, fmt.Errorf("format %q: %q is not a range of bits", text, part)
		}
		for b := first; b <= last; b++ {
			f.mask |= 1 << b
		}
	}
	return f, nil
}

// largest is the largest value that the field holds.
func (f field) largest() uint64 {
	n := bits.OnesCount64(f.mask)
	if n == 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// put spreads a value over the field's bits. Bits that are set already stay
// set, as in perf (pmu_format_value): a term behind a named event adds to it.
func (f field) put(a *Attr, value uint64) {
	word := []*uint64{&a.Config, &a.Config1, &a.Config2, &a.Config3}[f.word]
	for mask := f.mask; mask != 0; mask &= mask - 1 {
		if value&1 != 0 {
			*word |= mask & -mask
		}
		value >>= 1
	}
}
