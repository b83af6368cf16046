package importer

// A bench collects the results of programs that print one number, or a few,
// each time they run.
type bench struct {
	s    series
	runs map[string]int // how many of each event
}

func newBench(label string) *bench {
	return &bench{s: series{variants: []*variant{{label: label}}}, runs: map[string]int{}}
}

// add puts the value into the first run that has none of the event yet.
func (b *bench) add(event string, v value) {
	if b.s.order.meet(event); len(b.s.order.list) > maxColumns {
		return // build will say so
	}
	to := b.s.variants[0]
	n := b.runs[event]
	b.runs[event]++
	for len(to.runs) <= n {
		to.runs = append(to.runs, run{})
	}
	to.runs[n].values = append(to.runs[n].values, named{event, v})
}

func (b *bench) series() []series { return []series{b.s} }
