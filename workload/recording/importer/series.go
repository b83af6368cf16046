package importer

import (
	"strings"
	"time"
)

// A state says whether there is a number.
type state int

const (
	counted state = iota
	notCounted
	notSupported
)

// A unit is what a number was printed in: a power of ten of a base unit.
type unit struct {
	base string
	exp  int
}

// unitOf knows the units of time that tools print; others are their own base.
func unitOf(s string) unit {
	switch strings.ToLower(s) {
	case "s", "sec", "secs", "second", "seconds":
		return unit{"ns", 9}
	case "ms", "msec", "msecs":
		return unit{"ns", 6}
	case "us", "µs", "usec", "usecs":
		return unit{"ns", 3}
	case "ns", "nsec", "nsecs":
		return unit{"ns", 0}
	}
	return unit{s, 0}
}

// A value is what was printed for one event of one run.
type value struct {
	number  decimal
	unit    unit
	state   state
	share   float64       // of the time in which it was counted; 0 means all
	runtime time.Duration // in which it was counted; 0 when not said
	rows    int           // lines that were added up, of processors or threads
	outside bool          // measured around the run, not by a counter
}

// Values are those of one run, by event. There are few of each run and may be a
// million runs, for which a list is a tenth of a map.
type values []named

type named struct {
	event string
	value value
}

// of returns the value of an event; ok is false when there is none.
func (v values) of(event string) (x value, ok bool) { return v.near(0, event) }

// near is of, for an event that is probably in the given place.
func (v values) near(at int, event string) (x value, ok bool) {
	if at < len(v) && v[at].event == event {
		return v[at].value, true
	}
	for i := range v {
		if v[i].event == event {
			return v[i].value, true
		}
	}
	return value{}, false
}

// set adds a value, or changes the one that the event has, which is probably in
// the given place.
func (v *values) set(at int, event string, x value) {
	if at < len(*v) && (*v)[at].event == event {
		(*v)[at].value = x
		return
	}
	for i := range *v {
		if (*v)[i].event == event {
			(*v)[i].value = x
			return
		}
	}
	*v = append(*v, named{event, x})
}

// A run is what is known of one execution.
type run struct {
	values          values
	start           time.Duration
	block, position int
	index           int // of its variant, from 1; 0 lets it be counted
	exit            int
	warmUp, failed  bool
}

// A mean is a number over several runs of one variant.
type mean struct {
	event  string
	value  value
	n      int
	stdErr *float64 // relative
	digit  float64  // half a unit of the last digit of stdErr
}

// A variant is a command, or one side of a table.
type variant struct {
	label string
	text  string // the command, if the file names it
	runs  []run
	means []mean
}

// A series becomes a session.
type series struct {
	variants []*variant
	blocks   bool // the runs were made in blocks of random order
	started  time.Time
	order    names // of the events
	reasons  map[string]string
}
