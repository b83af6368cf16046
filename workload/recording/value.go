package recording

// Value is the number that a count of the event stands for, in the event's
// unit: extrapolated to the whole of the time in which it was enabled, unless the
// event is a part, and scaled. There is none when the event was not counted.
func (e *Event) Value(c *Count) (v float64, ok bool) {
	if c == nil {
		return 0, false
	}
	v = float64(c.Raw)
	if e.Scale != 0 {
		v *= e.Scale
	}
	switch {
	case c.Running <= 0 && (c.Enabled > 0 || e.Source == "kernel"):
		return 0, false
	case c.Running > 0 && c.Running < c.Enabled && !e.Part:
		v *= float64(c.Enabled) / float64(c.Running)
	}
	return v, true
}
