package importer

import (
	"fmt"
	"time"
)

// A stat is the output of one perf stat: one run, the mean of several, or the
// intervals of one.
type stat struct {
	command   string
	runs      int  // 0 when not said
	many      bool // -r was given, so the numbers are means
	started   time.Time
	order     names
	values    values
	noise     map[string]noise
	table     []decimal // elapsed seconds of each run
	intervals []interval
}

// A noise is the "+-" of a mean.
type noise struct{ ratio, digit float64 }

// An interval is what perf stat -I printed with one time stamp.
type interval struct {
	end    decimal // seconds since the start
	values values
}

// addValue adds the reading of an event. Lines of the same event that name a
// processor, socket or thread are added up; otherwise the second of a name is
// an event of its own.
func (s *stat) addValue(event, row string, v value) error {
	name, err := addTo(&s.values, s.order.at[event], event, row, v)
	if err != nil {
		return err
	}
	s.order.meet(name)
	if v.rows > 1 {
		delete(s.noise, name) // the noise of a sum does not follow from its parts
	}
	return nil
}

// addTo puts v into values under the name that it returns. at is where the event
// probably is.
func addTo(to *values, at int, event, row string, v value) (string, error) {
	old, twice := to.near(at, event)
	if len(*to) >= maxColumns {
		return "", fmt.Errorf("more than %d events", maxColumns)
	}
	switch {
	case !twice:
		v.rows = 1
		to.set(at, event, v)
		return event, nil
	case row == "":
		for n := 2; n < 100; n++ {
			name := fmt.Sprintf("%s#%d", event, n)
			if _, there := to.of(name); !there {
				v.rows = 1
				to.set(len(*to), name, v)
				return name, nil
			}
		}
		return "", fmt.Errorf("%s is there 100 times", event)
	case v.state != counted: // of some processors only
		old.rows++
	case old.state != counted:
		rows := old.rows
		old = v
		old.rows = rows + 1
	case old.unit != v.unit:
		return "", fmt.Errorf("%s is in %q and in %q", event, old.unit.base, v.unit.base)
	default:
		sum, ok := old.number.add(v.number)
		if !ok {
			return "", fmt.Errorf("the sum of %s is too large", event)
		}
		old.number, old.rows, old.runtime = sum, old.rows+1, old.runtime+v.runtime
		if v.share > 0 && (old.share == 0 || v.share < old.share) {
			old.share = v.share
		}
	}
	to.set(at, event, old)
	return event, nil
}

// empty tells whether nothing was read.
func (s *stat) empty() bool { return len(s.values)+len(s.table)+len(s.intervals) == 0 }

// seriesOf turns the outputs of perf stat into sessions: single runs of one
// command are one session, in the order of the file; what is a mean, and what
// has intervals, is a session of its own.
func seriesOf(stats []stat, o Options) []series {
	var list []series
	single := map[string]int{} // command to index
	for i := range stats {
		s := &stats[i]
		if s.empty() {
			continue
		}
		if s.runs == 0 && s.many {
			s.runs = o.Runs
		}
		at, ok := single[s.command]
		if !ok || s.many || len(s.intervals) > 0 {
			at = len(list)
			list = append(list, series{variants: []*variant{{label: s.command, text: s.command}}, started: s.started})
			if !s.many && len(s.intervals) == 0 {
				single[s.command] = at
			}
		}
		s.into(&list[at])
	}
	return list
}

// elapsed is a time that perf took around the run, in seconds.
func elapsed(d decimal) value { return value{number: d, unit: unitOf("s"), outside: true} }

func (s *stat) into(to *series) {
	v := to.variants[0]
	for _, e := range s.order.list {
		to.order.meet(e)
	}
	switch {
	case len(s.intervals) > 0:
		to.order.meet("elapsed")
		v.runs = append(v.runs, s.windows()...)
	case s.many:
		if len(s.table) > 0 {
			to.order.meet("elapsed")
			s.runs = len(s.table)
		}
		for _, d := range s.table {
			v.runs = append(v.runs, run{values: values{{"elapsed", elapsed(d)}}})
		}
		for _, e := range s.order.list {
			if e == "elapsed" && len(s.table) > 0 {
				continue // its samples say more
			}
			printed, _ := s.values.of(e)
			m := mean{event: e, value: printed, n: s.runs}
			if n, ok := s.noise[e]; ok {
				m.stdErr, m.digit = &n.ratio, n.digit
			}
			v.means = append(v.means, m)
		}
	default:
		v.runs = append(v.runs, run{values: s.values})
	}
}

// windows makes a run of each interval. The last is shorter than the others
// when the command ended within it, and is then marked as not to be judged.
func (s *stat) windows() []run {
	var runs []run
	var before, first decimal
	for i, w := range s.intervals {
		length := w.end
		end, ok1 := w.end.at(9)
		start, ok2 := before.at(9)
		if ok1 && ok2 && end > start {
			length = decimal{end - start, 9}
		}
		if i == 0 {
			first = length
		}
		w.values.set(len(w.values), "elapsed", elapsed(length))
		runs = append(runs, run{
			values: w.values, start: time.Duration(start),
			failed: i > 0 && i == len(s.intervals)-1 && length.float() < 0.95*first.float(),
		})
		before = w.end
	}
	return runs
}
