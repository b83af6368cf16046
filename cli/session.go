package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"microcost/compare"
	"microcost/perfctr"
	"microcost/workload"
	"microcost/workload/machine"
	"microcost/workload/recording"
)

// A session is one ab command on its way: options, what is recorded, and what its
// runs were so far. The samples themselves are in the file alone.
type session struct {
	w        *World
	o        *abOptions
	supports []perfctr.Support
	packing  *perfctr.Packing
	rec      recording.Session
	so       *gathering
	early    []recording.Sample // until the recording holds the session
	counts   []int              // finished runs of each variant
	writer   *recording.Writer
	runner   *workload.Runner
	progress *progress
	judge    compare.Options

	target   perfctr.Target
	abandon  chan struct{} // closed when not even cleaning up is to be waited for
	started  bool          // the recording holds the session
	warned   bool          // of a floor that is out of reach
	looked   time.Time     // for the progress line
	began    time.Time     // of the first judged run
	why      string        // a recording.End reason
	counted  int           // runs of each, asked for so far
	deadline time.Time
}

// carryOut makes a session of options, unless reading them failed, and runs it.
func (w *World) carryOut(ctx context.Context, o *abOptions, err error) error {
	if err != nil {
		return err
	}
	s, err := w.newSession(o)
	if err != nil {
		return err
	}
	return s.run(ctx)
}

// newSession does everything that can fail before the first run: probing the
// counters, finding the programs, opening the recording.
func (w *World) newSession(o *abOptions) (*session, error) {
	s := &session{w: w, o: o, judge: o.judge, why: recording.EndComplete}
	if o.record != nil {
		s.target = o.record.target
	}
	s.supports = perfctr.Probe(perfctr.Narrow(o.events, o.cpus), s.target)
	env := machine.Fingerprint(os.DirFS("/"))
	if v := env.Virtualisation; v != "" && v != "none" {
		// Only a hypervisor steals; elsewhere the reading would be for nothing.
		s.supports = append(s.supports, perfctr.Support{Event: workload.Steal(), Status: perfctr.Yes})
	}
	var err error
	if s.packing, err = perfctr.Pack(s.supports, o.pack); err != nil {
		return nil, &MeasureError{Msg: fmt.Sprintf("preparing the counters: %v", err), Err: err}
	}
	if o.stop.eachTurn {
		o.stop.runs = max(o.stop.runs, s.packing.Turns)
	}
	for _, advice := range s.packing.Advice(perfctr.Host(), o.stop.runs) {
		w.say("warning", advice)
	}
	s.rec = s.describe(env)
	if err := s.checkMetrics(); err != nil {
		return nil, err
	}
	if err := s.newRunner(); err != nil {
		return nil, err
	}
	if err := s.openRecording(); err != nil {
		return nil, err
	}
	s.so, s.counts = newGathering(), make([]int, len(o.variants))
	s.so.session(s.rec)
	return s, nil
}

func (s *session) newRunner() error {
	o := s.o
	cfg := workload.Config{
		Variants: o.variants, Schedule: workload.Schedule{Seed: o.seed, Variants: len(o.variants)}, WarmUp: o.warmup,
		Counters: s.packing, Target: s.target, Env: s.w.Env, Dir: o.dir, CPUs: o.cpus, Stdin: o.stdin, StdoutPath: o.stdout,
		Background: o.background,
		Timeout:    o.timeout, Accept: o.accept, Origin: s.rec.Started,
		Next: s.next, Sample: s.sample, BlockDone: s.blockDone, Between: s.between,
		Notice: func(text string) { s.progress.clear(); s.w.say("warning", text) },
		Over:   func() bool { return !s.deadline.IsZero() && !time.Now().Before(s.deadline) },
	}
	if o.inherit {
		f, ok := s.w.Stdout.(*os.File)
		if !ok {
			return usagef("null or a file", "--stdout inherit needs a real file as standard output")
		}
		cfg.Stdout = f
	}
	stop := make(chan struct{})
	cfg.Stop = stop
	s.abandon = make(chan struct{})
	cfg.Abandon = s.abandon
	s.progress = newProgress(s.w, o)
	s.progress.turns = s.packing.Turns
	var err error
	s.runner, err = workload.NewRunner(cfg)
	if err != nil {
		var nf *workload.NotFoundError
		if errors.As(err, &nf) {
			return notFound(nf, o)
		}
		return err
	}
	s.progress.stop = sync.OnceFunc(func() { close(stop) })
	return nil
}

// notFound words a program that is not there.
func notFound(nf *workload.NotFoundError, o *abOptions) error {
	hint := "check the spelling, or give the path to the program"
	switch {
	case errors.Is(nf.Err, fs.ErrPermission):
		hint = "chmod +x makes a file executable"
	case strings.Contains(nf.Name, " "):
		hint = "behind -- the program and its arguments are separate words"
	case strings.Contains(nf.Name, "/") && o.dir != "":
		hint = "relative paths start at --cwd " + o.dir
	}
	return &UsageError{Msg: nf.Error(), Hint: hint}
}

// openRecording opens the file that keeps the runs. One that the user named
// must be writable; the default one is given up with a warning.
func (s *session) openRecording() error {
	path := s.o.output
	if err := plainName(path); err != nil {
		return err
	}
	if path == "" {
		path = s.w.lastRecording()
		err := errors.New("neither XDG_STATE_HOME nor HOME is set")
		if path != "" {
			if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
				s.writer, err = recording.Create(path)
			}
		}
		if err != nil {
			s.w.say("warning", fmt.Sprintf("the runs are not recorded: %v (-o FILE names a place)", err))
			s.writer = nil
			return nil
		}
	} else {
		var err error
		if s.o.record != nil && s.o.record.add {
			s.writer, err = s.appendTo(path)
		} else {
			s.writer, err = recording.Create(path)
		}
		var usage *UsageError
		if errors.As(err, &usage) {
			return err
		}
		if err != nil {
			return &UsageError{Msg: err.Error(), Hint: "nothing was run; -o FILE needs a place that can be written"}
		}
	}
	return nil
}

// plainName refuses the name of a compressed file. A recording is written line by
// line, each whole on the disk when the next run starts, and compressed data is
// not whole until its end.
func plainName(path string) error {
	tool, compressed := map[string]string{".gz": "gzip", ".zst": "zstd"}[strings.ToLower(filepath.Ext(path))]
	if !compressed {
		return nil
	}
	plain := strings.TrimSuffix(path, filepath.Ext(path))
	return usagef(fmt.Sprintf("write %s, and %s %s afterwards: compressed recordings are read", plain, tool, plain),
		"%s: files are not compressed while they are written", path)
}

// run carries the session out and shows what came of it.
func (s *session) run(parent context.Context) error {
	defer s.w.catch()()
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { s.watch(cancel, done) })
	runErr := s.runner.Run(ctx)
	close(done)
	watch.Wait()
	s.progress.clear()
	if cause := context.Cause(ctx); cause != nil && runErr == nil && errors.Is(cause, errStopped) {
		runErr = cause
	}
	end := s.end(runErr)
	shown := end
	shown.Session = 0
	s.so.rec.Ends = []recording.End{shown}
	if s.writer != nil {
		var err error
		if s.started {
			err = s.writer.End(end)
		}
		err = errors.Join(err, s.writer.Close())
		if runErr == nil && err != nil {
			runErr = &MeasureError{Msg: err.Error(), Err: err}
		}
	}
	return s.conclude(runErr)
}

// sample receives a run as it ends: it is on its way to the disk before the
// next one starts.
func (s *session) sample(smp recording.Sample) error {
	here := smp
	here.Session = 0
	if err := s.so.sample(&here); err != nil {
		return err
	}
	good := !smp.WarmUp && !smp.Failed
	if good {
		s.counts[smp.Variant]++
	}
	if s.writer == nil {
		return nil
	}
	smp.Session = s.rec.ID
	if s.started {
		return s.writer.Sample(smp)
	}
	// Until there is a run to keep, the file of that name stays what it was: a
	// command that fails at once must not cost yesterday's recording.
	s.early = append(s.early, smp)
	if !good {
		return nil
	}
	s.started = true
	if err := s.writer.Session(s.rec); err != nil {
		return err
	}
	for _, early := range s.early {
		if err := s.writer.Sample(early); err != nil {
			return err
		}
	}
	s.early = nil
	return nil
}

func (s *session) blockDone(int) error {
	if !s.o.stop.adaptive() {
		s.lookAtChosen()
	}
	if s.writer == nil || !s.started {
		return nil
	}
	// No run is in progress that the disk could disturb.
	return s.writer.Sync()
}

// between shows progress; nothing runs at this moment.
func (s *session) between(slot workload.Slot) { s.progress.draw(slot) }
