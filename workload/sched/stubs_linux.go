package sched

//go:nosplit
//go:norace
func (t *task) sender() {}

//go:nosplit
//go:norace
func (t *task) receiver() {}

//go:nosplit
//go:norace
func (t *task) futex() {}

//go:nosplit
//go:norace
func (t *task) yield() {}

//go:nosplit
//go:norace
func (t *task) forker() {}

//go:nosplit
//go:norace
func (t *task) threader() {}

//go:nosplit
//go:norace
func (t *task) timer() {}

//go:nosplit
//go:norace
func (t *task) messenger() {}

//go:nosplit
//go:norace
func (t *task) worker() {}

//go:nosplit
//go:norace
func (t *task) spin() {}

//go:nosplit
//go:norace
func (t *task) syscalls() {}

//go:nosplit
//go:norace
func (t *task) periodic() {}

//go:nosplit
//go:norace
func (t *task) execute() {}
