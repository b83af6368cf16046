package recording

// Value is the number that a count of the event stands for, in the event's
// unit: extrapolated to the whole of the time in which it was enabled, unless the
// event is a part, and scaled. There is none when the event was not counted.
func (e *Event) Value(c *Count) (v float64, ok bool) {
	if c == nil {
		return 0, false
	}
	if c.Running <= 0 && (c.Enabled > 0 || e.Source == "kernel") {
		return 0, false
	}
	v = float64(c.Raw)
	if e.Scale != 0 {
		v *= e.Scale
	}
	if !e.Part { // of a part the rest of the time was spent on other cores
		v /= c.Share()
	}
	return v, true
}

// Share is the share of the time in which the counter was enabled that it ran; 1
// when that was all of it, or is not known.
func (c *Count) Share() float64 {
	if c.Running > 0 && c.Running < c.Enabled {
		return float64(c.Running) / float64(c.Enabled)
	}
	return 1
}
