package sched

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Run carries a workload out. The caller is on a locked thread when it counts:
// the tasks are forked from the calling thread and inherit its counters. No
// task is left when Run returns; cancelling ctx ends them, and Run returns its
// cause.
func Run(ctx context.Context, s Spec, region Region) (*Result, error) {
	d := find(s.Name)
	if d == nil {
		return nil, &ParseError{Input: s.Name, Msg: "is no workload", Known: Names()}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return d.run(ctx, s, region)
}

func (d *definition) run(ctx context.Context, s Spec, region Region) (_ *Result, err error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	extra := 0
	if d.inner != nil {
		extra = d.inner(s)
	}
	if s.Threads {
		extra++ // the host
	}
	c, err := newCrew(s, d.tasks(s), extra, uintptr(s.Size))
	if err != nil {
		return nil, err
	}
	defer c.release()
	defer c.closeFiles()
	defer c.closeKept()
	good := false
	defer func() {
		if d.last != nil {
			d.last(c)
		}
		c.dismiss(!good)
		if errors.Is(err, errDied) {
			err = fmt.Errorf("a task of %s died: %s", s.Name, ending(c.status))
		}
	}()
	// The cancelling function must not touch memory that is gone.
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		c.halt(stateStopped)
	})
	defer func() {
		if !stop() {
			<-stopped
		}
	}()

	if err := c.prepare(); err != nil {
		return nil, err
	}
	if err := d.setUp(c, s); err != nil {
		return nil, err
	}
	if c.used < int(c.ctl.tasks) {
		panic(fmt.Sprintf("sched: %s set up %d tasks of %d", s.Name, c.used, c.ctl.tasks))
	}
	if err := c.launch(); err != nil {
		return nil, err
	}
	if err := c.launchHost(); err != nil {
		return nil, err
	}
	c.closeFiles()
	if err := c.await(ctx, &c.ctl.ready); err != nil {
		return nil, err
	}
	if region.Begin != nil {
		if err := region.Begin(); err != nil {
			return nil, err
		}
	}
	c.ctl.begin = now()
	c.openGate()
	if err := c.await(ctx, &c.ctl.ended); err != nil {
		return nil, err
	}
	if region.End != nil {
		if err := region.End(); err != nil {
			return nil, err
		}
	}
	good = true
	return c.result(d), nil
}

// result reads what the tasks left in the shared memory.
func (c *crew) result(d *definition) *Result {
	r := &Result{Operations: uint64(c.operations), Elapsed: time.Duration(c.ctl.end - c.ctl.begin)}
	r.User, r.System = c.usage()
	if s := c.spec; s.Name == "fair" {
		r.Shares = c.shares()
		for i := range s.Nices {
			r.Operations += uint64(c.tasks[i].sum)
		}
	}
	if d.latency {
		var lists [][]uint32
		for i := range int(c.ctl.tasks) {
			if t := &c.tasks[i]; t.latency != nil {
				lists = append(lists, unsafe.Slice(t.latency, t.recorded))
			}
		}
		r.Latencies = sorted(lists)
	}
	return r
}

// ending words how a process ended.
func ending(s unix.WaitStatus) string {
	if s.Signaled() {
		return unix.SignalName(s.Signal())
	}
	return fmt.Sprintf("exit status %d", s.ExitStatus())
}

// now is CLOCK_MONOTONIC, the clock that the tasks read.
func now() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(fmt.Sprintf("sched: reading the monotonic clock: %v", err))
	}
	return ts.Nano()
}
