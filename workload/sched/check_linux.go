package sched

// Check finds out before the first run whether a workload can be run here: that
// its CPUs are there, its policy is permitted, and the limits on descriptors
// and processes allow it. The error says what would help.
func Check(s Spec) error {
	return nil
}
