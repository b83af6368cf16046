package workload

import (
	"context"
	"runtime"

	"golang.org/x/sys/unix"
)

// runHook runs one shell command to its end, on a thread of its own so that no
// counter of the measuring thread sees it. What it leaves running goes on (a
// server that a setup hook starts, for example) until the session's end.
func (r *Runner) runHook(ctx context.Context, variant int, name, script string, run int) error {
	if script == "" {
		return nil
	}
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		// Unlocked again only at the end: the child dies with the thread that
		// started it, and the thread must outlive it.
		defer runtime.UnlockOSThread()
		done <- r.hook(ctx, variant, name, script, run)
	}()
	return <-done
}

func (r *Runner) hook(ctx context.Context, variant int, name, script string, run int) error {
	v := &r.cfg.Variants[variant]
	fail := RunError{Variant: v.Label, Run: run, Hook: name, Exit: -1}
	r.streams.emptyStderr()
	null := r.streams.null.Fd()
	c := command{
		path: "/bin/sh", argv: []string{"/bin/sh", "-c", script},
		env: append(r.env(variant, 0), "MICROCOST_VARIANT="+v.Label), dir: r.cfg.Dir,
		files: [3]uintptr{null, null, r.streams.stderr.Fd()},
	}
	p, err := c.start()
	if err != nil {
		fail.Err = err
		return &fail
	}
	e, err := p.wait(ctx, 0)
	switch {
	case err != nil:
		fail.Err = err
	case ctx.Err() != nil:
		return ctx.Err()
	case e.status.Signaled():
		fail.Signal = unix.SignalName(e.status.Signal())
	case e.status.ExitStatus() != 0:
		fail.Exit = e.status.ExitStatus()
	default:
		return nil
	}
	fail.Stderr = r.streams.tail()
	return &fail
}
