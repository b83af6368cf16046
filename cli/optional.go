package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// An acceptFlag is --ignore-failure[=CODES]: without codes every unsuccessful
// end is accepted, with codes only these exit statuses.
type acceptFlag struct {
	set   bool
	codes map[int]bool // nil: all
}

// IsBoolFlag lets the flag stand without a value.
func (f *acceptFlag) IsBoolFlag() bool { return true }

// String is what Set takes: the parser copies a flag to its aliases by it.
func (f *acceptFlag) String() string {
	if f == nil || !f.set {
		return ""
	}
	if f.codes == nil {
		return "true"
	}
	var list []string
	for _, code := range slices.Sorted(maps.Keys(f.codes)) {
		list = append(list, strconv.Itoa(code))
	}
	return strings.Join(list, ",")
}

func (f *acceptFlag) Set(s string) error {
	switch s {
	case "true":
		*f = acceptFlag{set: true}
		return nil
	case "false":
		*f = acceptFlag{}
		return nil
	}
	f.set = true
	if f.codes == nil {
		f.codes = map[int]bool{}
	}
	for _, part := range strings.Split(s, ",") {
		code, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || code < 1 || code > 255 {
			return fmt.Errorf("%q is not an exit status from 1 to 255", part)
		}
		f.codes[code] = true
	}
	return nil
}

// accept says whether an end that was not exit status 0 is a valid run.
func (f *acceptFlag) accept(exit int, signal string) bool {
	if !f.set {
		return false
	}
	return f.codes == nil || (signal == "" && f.codes[exit])
}
