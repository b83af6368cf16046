package perfctr

import "strings"

// Format writes events as an event list that Parse turns into the same events
// again on the same machine, braces included. Parts of a sum are not written:
// the sum brings them back. Events of a glob are written one by one.
func Format(events []Event) string {
	var b strings.Builder
	group := 0
	for _, e := range events {
		if e.Part {
			continue
		}
		if group != 0 && e.Group != group {
			b.WriteByte('}')
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		if e.Group != 0 && e.Group != group {
			b.WriteByte('{')
		}
		group = e.Group
		b.WriteString(e.Spec)
	}
	if group != 0 {
		b.WriteByte('}')
	}
	return b.String()
}
