package workload

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A process is one started command, leader of its own process group.
type process struct {
	pid int

	mu    sync.Mutex
	ended bool // the pid must not be signalled any more
	timed bool // the time limit ended it
}

// A command is what is needed to start a process.
type command struct {
	path  string
	argv  []string
	env   []string
	dir   string
	files [3]uintptr // stdin, stdout, stderr
}

// start forks and executes c on the calling thread, whose affinity and
// counters it inherits. The child dies with the thread (PR_SET_PDEATHSIG), so
// that even kill -9 of this process ends it.
func (c *command) start() (*process, error) {
	pid, err := syscall.ForkExec(c.path, c.argv, &syscall.ProcAttr{
		Dir: c.dir, Env: c.env, Files: c.files[:],
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		if errors.Is(err, syscall.ENOEXEC) {
			return nil, errors.New("not a program that the kernel can execute (a script needs a #! line, or use --shell)")
		}
		return nil, err
	}
	return &process{pid: pid}, nil
}

// kill ends the process's whole group, unless it has been reaped.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		_ = unix.Kill(-p.pid, unix.SIGKILL)
		_ = unix.Kill(p.pid, unix.SIGKILL)
	}
}

// An ending is how a process ended.
type ending struct {
	at     time.Time // as close to its end as this process could see
	status unix.WaitStatus
	usage  unix.Rusage // of the process and the children it waited for
	timed  bool        // killed by the time limit
}

// wait blocks until the process ends, kills its group when ctx ends or timeout
// passes, and reaps it. Members of its group that outlive it are not killed
// here: they may still be working for the run.
func (p *process) wait(ctx context.Context, timeout time.Duration) (ending, error) {
	stop := context.AfterFunc(ctx, p.kill)
	defer stop()
	if timeout > 0 {
		timer := time.AfterFunc(timeout, func() {
			p.mu.Lock()
			p.timed = !p.ended
			p.mu.Unlock()
			p.kill()
		})
		defer timer.Stop()
	}
	// Look without reaping first: until it is reaped nobody else can get the pid.
	var e ending
	for {
		err := unix.Waitid(unix.P_PID, p.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return e, err
		}
		break
	}
	e.at = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	e.timed = p.timed
	for {
		_, err := unix.Wait4(p.pid, &e.status, 0, &e.usage)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return e, err
	}
}
