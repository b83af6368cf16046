package compare

// OperationsEvent is the event that says how many operations a run made. With
// it come metrics per operation.
const OperationsEvent = "operations"

// perOperation names the metrics that are divided by the number of operations.
var perOperation = [...]struct {
	above, name string
	unit        Unit
}{
	{"elapsed", "ns/op", Nanoseconds},
	{"instructions", "instructions/op", Count},
	{"instructions (emulated)", "instructions/op", Count},
	{"cycles", "cycles/op", Count},
	{"context-switches", "switches/op", Count},
	{"sched:sched_wakeup", "wakeups/op", Count},
}

// derivePerOperation adds the metrics per operation to a table, each after what
// it divides. Like the other quotients they are taken run by run.
func derivePerOperation(t *Table) {
	ops := t.metric(OperationsEvent)
	if ops < 0 {
		return
	}
	t.Metrics[ops].Better = HigherBetter
	// The columns that follow are inserted; this one stays what it is.
	count := t.Values[ops]
	for i := 0; i < len(t.Metrics); i++ {
		m := t.Metrics[i]
		base, modifier := splitModifier(m.Name)
		for _, d := range perOperation {
			if base != d.above || m.Derived {
				continue
			}
			values, some := quotients(t.Values[i], count)
			if !some {
				continue
			}
			name := d.name
			if modifier != "" {
				name += ":" + modifier
			}
			t.insert(i+1, Metric{Name: name, Unit: d.unit, Better: m.Better, Domain: m.Domain, Derived: true}, values, t.share(i))
		}
	}
}
