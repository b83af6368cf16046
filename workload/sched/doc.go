// Package sched holds the built-in workloads of the scheduler: tasks that do
// nothing but wake, sleep, switch, fork or spin, so that what is counted is the
// kernel's work and not theirs.
//
// A Spec says which workload with which parameters, Run carries one out. The
// tasks are forked from the calling thread without an exec, as a C program
// would fork them, and never enter the Go runtime: they are loops of system
// calls that allocate nothing, take no lock, grow no stack and have all signals
// blocked. Tasks that were started as Go programs of their own cost a sixth
// more per switch and up to 5 % more switches: the runtime's threads share
// their descriptors and run beside them.
//
// Run owns what it starts. When it returns no task is left, whatever happened:
// an error, a cancelled context, a task that died. A Go program that is killed
// takes its tasks with it (PR_SET_PDEATHSIG).
//
// # Glossary
//
//	operation      what a workload repeats: a round trip, a message, a fork
//	steady region  from the moment at which all tasks are ready and warmed, to
//	               the last operation: without fork, exec and reaping
//	crew           the tasks of one run
//	gate           where ready tasks wait for the region to begin
//	host           the process in which the tasks of a run with threads live
package sched
