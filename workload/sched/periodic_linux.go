package sched

//go:nosplit
//go:norace
func (t *task) periodic() {}
