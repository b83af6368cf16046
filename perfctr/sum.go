package perfctr

// addSums fills in the readings of sums from those of their parts.
//
// Each part counts while a task is on its kind of core, and is enabled all the
// time: so the count of the sum is the sum of the counts, with nothing
// extrapolated, and the parts' running times together are the time for which
// it was counted. The part's own Share is the share of the time that was spent
// on its cores.
func addSums(events []Event, readings []Reading) {
	for i, e := range events {
		if e.Sum == 0 || readings[i].State == NotSupported {
			continue
		}
		var sum Reading
		counted, other := false, false
		for _, r := range readings[i+1 : i+1+e.Sum] {
			sum.Raw += r.Raw
			sum.Running += r.Running
			sum.Enabled = max(sum.Enabled, r.Enabled)
			counted = counted || r.State == Counted
			other = other || r.State == OtherTurn
		}
		sum.Running = min(sum.Running, sum.Enabled)
		switch {
		case other:
			sum = Reading{State: OtherTurn}
		case !counted:
			sum = Reading{State: NotCounted, Enabled: sum.Enabled}
		}
		readings[i] = sum
	}
}
