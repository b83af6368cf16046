package compare

// wakeupEvent is the tracepoint of a task that becomes runnable.
const wakeupEvent = "sched:sched_wakeup"

// derivePerWakeup adds instructions per wakeup. Round trips are not all alike:
// whether a wakeup preempts the task that makes it decides if a round trip has
// one or two. So what a change of the wakeup path costs shows in this number, and
// a change of how many there are in the one per operation.
func derivePerWakeup(t *Table) {
	wakeups := t.metric(wakeupEvent)
	if wakeups < 0 {
		return
	}
	count := t.Values[wakeups] // stays what it is when columns are inserted
	for i := 0; i < len(t.Metrics); i++ {
		m := t.Metrics[i]
		base, modifier := splitModifier(m.Name)
		// What user mode does in between has nothing to do with waking.
		if m.Derived || modifier == "u" || base != "instructions" && base != "instructions (emulated)" {
			continue
		}
		values, some := quotients(t.Values[i], count)
		if !some {
			continue
		}
		name := "instructions/wakeup"
		if modifier != "" {
			name += ":" + modifier
		}
		t.insert(i+1, Metric{Name: name, Unit: Count, Better: m.Better, Domain: m.Domain, Derived: true}, values, t.share(i))
	}
}
