package workload

import (
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"

	"microcost/workload/sched"
)

// A background is what goes on beside all runs of a session, for every variant
// alike: a load of package sched, or a shell command.
type background struct {
	text  string
	ended <-chan struct{}
	// stop ends it; note is what a user should know of it.
	stop func() (note string)
	how  func() string // after it ended by itself: how
}

// startBackgrounds starts what Config.Background lists. Nothing runs when it
// fails.
func (r *Runner) startBackgrounds() error {
	for _, text := range r.cfg.Background {
		b, err := r.startBackground(text)
		if err != nil {
			r.stopBackgrounds()
			return fmt.Errorf("starting the background %q: %w", text, err)
		}
		r.backgrounds = append(r.backgrounds, b)
	}
	return nil
}

func (r *Runner) startBackground(text string) (*background, error) {
	spec, isLoad, err := sched.ParseLoad(text)
	if err != nil {
		return nil, err
	}
	if !isLoad {
		return r.startCommand(text)
	}
	load, err := sched.StartLoad(spec)
	if err != nil {
		return nil, err
	}
	b := &background{text: text, ended: load.Ended()}
	b.stop = func() string {
		missed, periods, _ := load.Stop()
		if missed == 0 {
			return ""
		}
		return fmt.Sprintf("the background %s was late in %d of %d periods", text, missed, periods)
	}
	b.how = func() string {
		if _, _, err := load.Stop(); err != nil {
			return err.Error()
		}
		return "it ended"
	}
	return b, nil
}

// startCommand starts a shell command on a thread of its own: no counter sees
// it, and it dies with this program.
func (r *Runner) startCommand(text string) (*background, error) {
	ended := make(chan struct{})
	started := make(chan error, 1)
	var p *process
	var e ending
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(ended)
		null := r.streams.null.Fd()
		c := command{
			path: "/bin/sh", argv: []string{"/bin/sh", "-c", text}, env: r.cfg.Env, dir: r.cfg.Dir,
			files: [3]uintptr{null, null, null},
		}
		var err error
		p, err = c.start()
		started <- err
		if err == nil {
			e, _ = p.wait(context.Background(), 0)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return &background{
		text: text, ended: ended,
		stop: func() string {
			p.kill()
			<-ended
			// Members of its group that are not this program's children.
			_ = unix.Kill(-p.pid, unix.SIGKILL)
			return ""
		},
		how: func() string {
			if e.status.Signaled() {
				return "it was ended by " + unix.SignalName(e.status.Signal())
			}
			return fmt.Sprintf("it ended with exit status %d", e.status.ExitStatus())
		},
	}, nil
}

// stopBackgrounds ends them all, the last first.
func (r *Runner) stopBackgrounds() {
	for i := len(r.backgrounds) - 1; i >= 0; i-- {
		if note := r.backgrounds[i].stop(); note != "" {
			r.notice("background "+r.backgrounds[i].text, "%s", note)
		}
	}
	r.backgrounds = nil
}

// checkBackgrounds is an error when one is not there any more: what ran
// meanwhile ran under another load than the rest.
func (r *Runner) checkBackgrounds() error {
	for _, b := range r.backgrounds {
		select {
		case <-b.ended:
			return &BackgroundError{Text: b.text, How: b.how()}
		default:
		}
	}
	return nil
}

// A BackgroundError says that a background load ended before the session did.
type BackgroundError struct {
	Text string
	How  string
}

func (e *BackgroundError) Error() string {
	return fmt.Sprintf("the background %q is not running any more: %s; the run in progress is not valid", e.Text, e.How)
}
