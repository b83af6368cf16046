package perfctr

// A Status is the answer to the question whether an event can be counted.
type Status uint8

const (
	// CannotTell: the question was asked and something unrelated came back.
	// The answer is not to be kept.
	CannotTell Status = iota
	// Yes: it can be counted, as Support.Event says.
	Yes
	// No: this machine cannot.
	No
	// NotPermitted: this user may not.
	NotPermitted
)

// String returns the status in words.
func (s Status) String() string {
	switch s {
	case Yes:
		return "yes"
	case No:
		return "not supported"
	case NotPermitted:
		return "not permitted"
	}
	return "could not tell"
}

// A Support says whether and how one event can be counted.
type Support struct {
	// Event is the event to count: as asked, or what of it can be counted
	// (":u" where kernel mode is not permitted). As asked when Status is not Yes.
	Event  Event
	Status Status
	// Reason is one or two sentences for a footnote: why it cannot be counted or
	// what was taken away, and what would help. Empty when nothing was.
	Reason string
	// Err is the *OpenError behind it; nil when the event counts as asked.
	Err error
}
