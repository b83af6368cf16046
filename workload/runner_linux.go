package workload

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"microcost/perfctr"
	"microcost/workload/recording"
	"microcost/workload/sched"
)

// padVariable is the environment variable that pads a block's environment. It
// means nothing to anybody: only its length does, which moves the stack.
const padVariable = "MICROCOST_PAD"

// A Runner carries out one session.
type Runner struct {
	cfg     Config
	paths   []string // of each variant's program
	hidden  []bool   // variants that the kernel does not let this user count
	envs    [][]string
	streams *streams
	runs    []int              // done, by variant
	known   map[processID]bool // children that are not a run's: background processes of hooks
	noticed map[string]bool
	steal   *stealClock // nil: not asked for

	backgrounds []*background
	pads        string
}

// NewRunner checks everything that can be checked before the first run: that
// the programs and files are there. Nothing has been started when it fails.
func NewRunner(cfg Config) (*Runner, error) {
	if len(cfg.Variants) == 0 {
		panic("workload: a Runner needs at least one variant")
	}
	r := &Runner{cfg: cfg, runs: make([]int, len(cfg.Variants)), noticed: map[string]bool{}, pads: strings.Repeat("x", MaxPad)}
	for _, v := range cfg.Variants {
		env := make([]string, 0, len(cfg.Env)+len(v.Env)+1)
		env = append(append(env, cfg.Env...), v.Env...)
		var path string
		var err error
		switch {
		case v.Builtin != nil:
			err = sched.Check(*v.Builtin)
		case v.Window == 0:
			path, err = LookPath(v.Argv[0], cfg.Dir, pathOf(env))
		}
		if err != nil {
			return nil, err
		}
		r.paths = append(r.paths, path)
		r.hidden = append(r.hidden, path != "" && os.Geteuid() != 0 && privileged(path))
		r.envs = append(r.envs, env)
	}
	return r, nil
}

// privileged says whether executing the file gives more rights, or shows what
// may not be read: the kernel then takes the counters of an ordinary user away
// (perf_event_exit_task at exec, fs/exec.c: would_dump).
func privileged(path string) bool {
	st, err := os.Stat(path)
	if err != nil || st.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
		return err == nil
	}
	return unix.Access(path, unix.R_OK) != nil
}

// Run carries the session out and returns when no process of it is left. It
// returns nil when Next, Over or Stop ended it, ctx's error when ctx did,
// and a *RunError when a run or hook failed. Cancelling ctx kills the run in
// progress.
func (r *Runner) Run(ctx context.Context) error {
	var err error
	if r.streams, err = openStreams(&r.cfg); err != nil {
		return err
	}
	defer r.streams.close()
	r.steal = openSteal(r.cfg.Counters)
	defer r.steal.close()
	// A kernel that must patch its code for each run's counters would take longer
	// for that than for the run. Where it cannot be helped, it is only slower.
	if hold, err := perfctr.KeepReady(r.cfg.Counters); err == nil {
		defer hold.Close()
	}
	restore, err := becomeSubreaper()
	if err != nil {
		return fmt.Errorf("becoming the reaper of orphans: prctl: %w", err)
	}
	defer restore()
	if err := r.startBackgrounds(); err != nil {
		return err
	}
	defer r.stopBackgrounds()
	foreign := asSet(children()) // children that were there before this session
	r.known = foreign

	done := make(chan error, 1)
	go func() {
		// Never unlocked: the thread is pinned and ends with this goroutine.
		runtime.LockOSThread()
		if len(r.cfg.CPUs) > 0 {
			if err := pin(r.cfg.CPUs); err != nil {
				done <- err
				return
			}
		}
		done <- r.session(ctx)
	}()
	err = <-done
	if n := drain(foreign, 0); n > 0 {
		r.notice("left", "%d %s that hooks left running %s ended", n, plural(n, "process", "processes"), plural(n, "was", "were"))
	}
	return err
}

// session runs hooks, warm-ups and blocks.
func (r *Runner) session(ctx context.Context) (err error) {
	began := 0
	defer func() {
		// Cleaning up is owed however the session ends, a kill excepted.
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		if r.cfg.Abandon != nil {
			go func() {
				select {
				case <-r.cfg.Abandon:
					cancel()
				case <-ctx.Done():
				}
			}()
		}
		for i := range began {
			cleanup := r.cfg.Variants[i].Hooks.Cleanup
			if herr := r.runHook(ctx, i, "cleanup", cleanup, 0); err == nil {
				err = herr
			}
		}
	}()
	for i := range r.cfg.Variants {
		if r.over() {
			return nil
		}
		began++
		if err := r.runHook(ctx, i, "setup", r.cfg.Variants[i].Hooks.Setup, 0); err != nil {
			return err
		}
	}
	for _, slot := range r.cfg.Schedule.WarmUp(r.cfg.WarmUp) {
		if r.over() {
			return nil
		}
		if err := r.once(ctx, slot); err != nil {
			return err
		}
	}
	block, count := 0, 0
	for {
		more := r.cfg.Next(count)
		if more <= 0 {
			return nil
		}
		for _, size := range Blocks(more, r.cfg.Counters.Turns-block) {
			for _, slot := range r.cfg.Schedule.Block(block, size) {
				if r.over() {
					return nil
				}
				if err := r.once(ctx, slot); err != nil {
					return err
				}
			}
			if r.cfg.BlockDone != nil {
				if err := r.cfg.BlockDone(block); err != nil {
					return err
				}
			}
			block++
			count += size
		}
	}
}

// over says whether no further run is to be started.
func (r *Runner) over() bool {
	if r.cfg.Over != nil && r.cfg.Over() {
		return true
	}
	select {
	case <-r.cfg.Stop:
		return true
	default:
		return false
	}
}

// once makes one run with its hooks and hands over its sample.
func (r *Runner) once(ctx context.Context, slot Slot) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	v := &r.cfg.Variants[slot.Variant]
	number := 0
	if slot.Block >= 0 {
		number = r.runs[slot.Variant] + 1
	}
	if r.cfg.Between != nil {
		r.cfg.Between(slot)
	}
	if err := r.runHook(ctx, slot.Variant, "prepare", v.Hooks.Prepare, number); err != nil {
		return err
	}
	if v.Hooks.Setup != "" || v.Hooks.Prepare != "" || v.Hooks.Conclude != "" {
		r.known = asSet(children())
	}
	measure := r.measure
	switch {
	case v.Builtin != nil:
		measure = r.measureBuiltin
	case v.Window > 0:
		measure = r.measureWindow
	}
	stolen, known := r.steal.now()
	sample, runErr := measure(ctx, v, slot, number)
	if now, ok := r.steal.now(); ok && known && sample != nil {
		r.steal.add(sample, now-stolen)
	}
	if ctx.Err() != nil {
		return ctx.Err() // killed half way: no sample
	}
	if err := r.checkBackgrounds(); err != nil {
		return err
	}
	if sample != nil {
		if slot.Block >= 0 {
			r.runs[slot.Variant]++
		}
		if err := r.cfg.Sample(*sample); err != nil {
			return err
		}
	}
	if runErr != nil {
		return runErr
	}
	return r.runHook(ctx, slot.Variant, "conclude", v.Hooks.Conclude, number)
}

// measure makes one run. A run that ended has a sample, also when it failed.
func (r *Runner) measure(ctx context.Context, v *Variant, slot Slot, number int) (*recording.Sample, error) {
	fail := &RunError{Variant: v.Label, Run: number, Exit: -1}
	couldNot := func(err error) (*recording.Sample, error) {
		fail.Err = err
		return nil, fail
	}
	fds, closeFiles, err := r.streams.files()
	if err != nil {
		return couldNot(err)
	}
	defer closeFiles()
	c := command{path: r.paths[slot.Variant], argv: v.Argv, env: r.env(slot.Variant, slot.Pad), dir: r.cfg.Dir, files: fds}

	packing := r.cfg.Counters
	set, err := perfctr.Open(packing, turnOf(packing, slot.Block), r.cfg.Target)
	if err != nil {
		return couldNot(err)
	}
	defer set.Close()
	byExec := r.cfg.Target.Kind == perfctr.OnExec
	if !byExec {
		if err := set.Enable(); err != nil {
			return couldNot(err)
		}
	}
	began := time.Now()
	p, err := c.start()
	if err != nil {
		return couldNot(err)
	}
	e, err := p.wait(ctx, r.cfg.Timeout)
	if err != nil {
		return couldNot(err)
	}
	grace := leftoverGrace
	if e.timed || ctx.Err() != nil {
		grace = 0
	}
	if n := r.drainRun(grace); n > 0 && !e.timed {
		r.notice("leftover "+v.Label, "%s leaves %s running when it exits; what they do within %v is counted, then they are ended",
			v.Label, plural(n, "a process", "processes"), leftoverGrace)
	}
	sample := &recording.Sample{
		Variant: slot.Variant, Run: number, Block: slot.Block, Position: slot.Position,
		WarmUp: slot.Block < 0, Pad: slot.Pad, Start: began.Sub(r.cfg.Origin),
	}
	if !byExec {
		if err := set.Disable(); err != nil {
			return couldNot(err)
		}
	}
	readings, err := set.Read()
	if err != nil {
		return couldNot(fmt.Errorf("reading the counters: %w", err))
	}
	if r.hidden[slot.Variant] {
		for i := range readings {
			if readings[i].State == perfctr.Counted {
				readings[i].Running = 0 // what was counted ended at the exec
			}
		}
	}
	sample.Counts = counts(packing, readings, outside{
		elapsed: e.at.Sub(began),
		user:    time.Duration(e.usage.Utime.Nano()),
		system:  time.Duration(e.usage.Stime.Nano()),
		maxRSS:  aboveFloor(e.usage.Maxrss, ownPeak()),
	})
	switch {
	case e.status.Signaled():
		sample.Exit, sample.Signal = -1, unix.SignalName(e.status.Signal())
	default:
		sample.Exit = e.status.ExitStatus()
	}
	good := sample.Exit == 0 || (r.cfg.Accept != nil && r.cfg.Accept(sample.Exit, sample.Signal))
	if good && !e.timed {
		return sample, nil
	}
	sample.Failed = true
	fail.Exit, fail.Signal, fail.Stderr = sample.Exit, sample.Signal, r.streams.tail()
	if e.timed {
		fail.Timeout = r.cfg.Timeout
	}
	return sample, fail
}

// drainRun collects what a run left behind, waiting for it for up to grace.
func (r *Runner) drainRun(grace time.Duration) (killed int) {
	if !hasChildren() {
		return 0 // the usual case costs one system call
	}
	return drain(r.known, grace)
}

// env is the environment of one run of a variant.
func (r *Runner) env(variant int, pad int) []string {
	base := r.envs[variant]
	return append(base[:len(base):len(base)], padVariable+"="+r.pads[:pad])
}

// notice says something once.
func (r *Runner) notice(key, format string, args ...any) {
	if r.noticed[key] || r.cfg.Notice == nil {
		return
	}
	r.noticed[key] = true
	r.cfg.Notice(fmt.Sprintf(format, args...))
}

// ownPeak is this process's peak resident set in KiB: a child's ru_maxrss
// starts from it (kernel/fork.c, fs/exec.c: setmax_mm_hiwater_rss), so a value
// at or below it says nothing about the child.
func ownPeak() int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Maxrss
}

// aboveFloor is a peak in bytes, or 0 when it is not the child's own.
func aboveFloor(peak, floor int64) uint64 {
	if peak <= floor {
		return 0
	}
	return uint64(peak) * 1024
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// IsStop says whether err is the user's or the context's doing.
func IsStop(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
