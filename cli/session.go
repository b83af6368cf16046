package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"microcost/compare"
	"microcost/perfctr"
	"microcost/workload"
	"microcost/workload/machine"
	"microcost/workload/recording"
)

// syncEvery is how often, at most, the recording is forced to the disk. A
// crash of this program loses nothing; one of the machine loses this much.
const syncEvery = time.Second

// A session is one ab command on its way: options, what is recorded, and the
// samples so far.
type session struct {
	w        *World
	o        *abOptions
	supports []perfctr.Support
	packing  *perfctr.Packing
	rec      recording.Recording
	writer   *recording.Writer
	runner   *workload.Runner
	progress *progress
	judge    compare.Options

	target   perfctr.Target
	targets  []compare.Target
	began    time.Time // of the first judged run
	synced   time.Time
	why      string // a recording.End reason
	counted  int    // runs of each, asked for so far
	deadline time.Time
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
	for _, advice := range s.packing.Advice(perfctr.Host()) {
		w.say("warning", advice)
	}
	s.rec.Sessions = []recording.Session{s.describe(env)}
	if err := s.checkMetrics(); err != nil {
		return nil, err
	}
	if err := s.newRunner(); err != nil {
		return nil, err
	}
	if err := s.openRecording(); err != nil {
		return nil, err
	}
	return s, nil
}

// describe is the session as the recording keeps it.
func (s *session) describe(env recording.Env) recording.Session {
	o := s.o
	rs := recording.Session{
		Started: time.Now(), Tool: "microcost " + Version, Events: workload.Events(s.supports),
		Plan: recording.Plan{
			Schedule: recording.RandomBlocks, Seed: o.seed, BlockSize: workload.BlockSize, WarmUp: o.warmup,
			Runs: o.stop.runs, MaxTime: o.stop.maxTime, Until: o.stop.until, CPUs: o.cpuText,
		},
		Judge: recording.Judge{Alpha: o.judge.Alpha, Primary: o.judge.Primary, Thresholds: o.threshold},
		Env:   env,
	}
	rs.Env.Variables = machine.Variables(s.w.Env)
	for _, v := range o.variants {
		rv := v.Record()
		if v.Builtin == nil && v.Window == 0 && !v.Shell {
			rv.Binary = identify(workload.Program(v, s.w.Env, o.dir))
		}
		rs.Variants = append(rs.Variants, rv)
	}
	rs.Plan.AA = o.aa
	if o.record == nil && !o.aa {
		rs.AA = s.w.recallAA(&rs)
	}
	if o.record != nil {
		rs.Plan.Schedule, rs.Judge = recording.Sequential, recording.Judge{}
		if o.record.private {
			user := s.w.getenv("USER")
			rs.Env.Private = machine.Private(os.DirFS("/"), user, s.w.Env)
		}
	}
	return rs
}

// identify tells one build of a program from another; nil where it cannot be
// read, which is no reason not to run it.
func identify(path string) *recording.Binary {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return nil
	}
	b, err := machine.Identify(f, st.Size())
	if err != nil {
		return nil
	}
	return b
}

// checkMetrics finds out before the first run whether everything that is asked
// about will be measured.
func (s *session) checkMetrics() error {
	t, err := s.dry()
	if err != nil {
		return err
	}
	names := make([]string, 0, len(t.Metrics))
	absent := map[string]string{}
	for _, m := range t.Metrics {
		names = append(names, m.Name)
		if m.Absent == "<not supported>" {
			absent[m.Name] = m.Reason
		}
	}
	check := func(flag, name string) error {
		if !slices.Contains(names, name) {
			return unknownMetric(flag, name, names)
		}
		if reason, missing := absent[name]; missing {
			return &MeasureError{Msg: fmt.Sprintf("%s: %s cannot be counted here", flag, name), Hint: reason}
		}
		return nil
	}
	for name := range s.o.stop.until {
		if err := check("--until", name); err != nil {
			return err
		}
	}
	for name := range s.o.judge.Thresholds {
		if err := check("--threshold", name); err != nil {
			return err
		}
	}
	for _, c := range s.o.failOn {
		if err := check("--fail-on", c.Metric); err != nil {
			return err
		}
	}
	if p := s.o.judge.Primary; p != "" {
		if err := check("--primary", p); err != nil {
			return err
		}
	}
	for _, m := range t.Metrics {
		if m.Absent != "<not supported>" {
			return nil
		}
	}
	return &MeasureError{Msg: "none of the events can be counted here", Hint: firstReason(s.supports)}
}

// unknownMetric words a name that no metric has.
func unknownMetric(flag, name string, names []string) error {
	hint := "metrics of this comparison: " + strings.Join(names, ", ")
	if near := nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %s? %s", near, hint)
	}
	return usagef(hint, "%s: no metric is called %q", flag, name)
}

// dry is the table of a recording in which every event that can be counted has
// a count: the metrics, derived ones too, that this session is going to have.
func (s *session) dry() (*compare.Table, error) {
	var smp recording.Sample
	for _, e := range s.rec.Sessions[0].Events {
		var c *recording.Count
		if e.Support == recording.Supported {
			c = &recording.Count{Raw: 1, Enabled: 1, Running: 1}
		}
		smp.Counts = append(smp.Counts, c)
	}
	return compare.FromRecording(&recording.Recording{Sessions: s.rec.Sessions, Samples: []recording.Sample{smp}})
}

func firstReason(list []perfctr.Support) string {
	for _, s := range list {
		if s.Reason != "" {
			return s.Reason
		}
	}
	return ""
}

func (s *session) newRunner() error {
	o := s.o
	cfg := workload.Config{
		Variants: o.variants, Schedule: workload.Schedule{Seed: o.seed, Variants: len(o.variants)}, WarmUp: o.warmup,
		Counters: s.packing, Target: s.target, Env: s.w.Env, Dir: o.dir, CPUs: o.cpus, Stdin: o.stdin, StdoutPath: o.stdout,
		Background: o.background,
		Timeout:    o.timeout, Accept: o.accept, Origin: s.rec.Sessions[0].Started,
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
	s.progress = newProgress(s.w, o)
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
	if err := s.writer.Session(s.rec.Sessions[0]); err != nil {
		s.writer.Close()
		return &MeasureError{Msg: err.Error(), Hint: "nothing was run", Err: err}
	}
	return nil
}

// run carries the session out and shows what came of it.
func (s *session) run(parent context.Context) error {
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
	s.rec.Ends = []recording.End{end}
	if s.writer != nil {
		err := errors.Join(s.writer.End(end), s.writer.Close())
		if runErr == nil && err != nil {
			runErr = &MeasureError{Msg: err.Error(), Err: err}
		}
	}
	return s.conclude(runErr)
}

var errStopped = errors.New("stopped at once")

// watch turns the user's interrupts into an orderly end, and the second into
// one at once.
func (s *session) watch(cancel context.CancelCauseFunc, done <-chan struct{}) {
	select {
	case <-s.w.Interrupts:
	case <-done:
		return
	}
	s.progress.interrupt()
	select {
	case <-s.w.Interrupts:
		cancel(errStopped)
	case <-done:
	}
}

// end says how the session ended, for the recording.
func (s *session) end(err error) recording.End {
	e := recording.End{Session: s.rec.Sessions[0].ID, Reason: s.why}
	var run *workload.RunError
	switch {
	case errors.As(err, &run):
		e.Reason, e.Detail = recording.EndFailed, run.Error()
	case workload.IsStop(err) || errors.Is(err, errStopped):
		e.Reason = recording.EndInterrupted
	case err != nil:
		e.Reason, e.Detail = recording.EndFailed, err.Error()
	case s.progress.interrupted():
		e.Reason = recording.EndInterrupted
	case s.o.stop.maxTime > 0 && s.why == recording.EndComplete:
		e.Reason = recording.EndTime
	}
	return e
}

// conclude shows the report, if there is one, and picks the exit status.
func (s *session) conclude(runErr error) error {
	var run *workload.RunError
	switch {
	case errors.As(runErr, &run):
		return runFailed(run, s.kept())
	case workload.IsStop(runErr) || errors.Is(runErr, errStopped):
		return &MeasureError{Msg: "stopped at once", Hint: s.kept(), Err: runErr}
	case runErr != nil:
		var m *MeasureError
		if errors.As(runErr, &m) {
			return m
		}
		return &MeasureError{Msg: runErr.Error(), Hint: s.kept(), Err: runErr}
	}
	counts := make([]int, len(s.o.variants))
	for i := range s.rec.Samples {
		if smp := &s.rec.Samples[i]; !smp.WarmUp && !smp.Failed {
			counts[smp.Variant]++
		}
	}
	for i, n := range counts {
		if n == 0 {
			return &MeasureError{Msg: fmt.Sprintf("stopped before %s had a run: there is nothing to compare", s.o.variants[i].Label)}
		}
	}
	if s.o.aa {
		if err := s.w.keepAA(&s.rec); err != nil {
			s.w.say("warning", fmt.Sprintf("the floors are not kept for later comparisons: %v", err))
		}
	}
	c, err := s.w.present(&s.rec, nil, s.o.show)
	if err != nil {
		return err
	}
	return decide(c, s.o.failOn, s.o.decide)
}

// kept says where the finished runs are.
func (s *session) kept() string {
	n := 0
	for i := range s.rec.Samples {
		if smp := &s.rec.Samples[i]; !smp.WarmUp && !smp.Failed {
			n++
		}
	}
	if s.writer == nil || n == 0 {
		return ""
	}
	path := s.o.output
	if path == "" {
		path = s.w.lastRecording()
	}
	what := "finished runs are"
	if n == 1 {
		what = "finished run is"
	}
	return fmt.Sprintf("%d %s kept: microcost report %s", n, what, path)
}

// runFailed words a run that failed, with the end of what it wrote to stderr.
func runFailed(e *workload.RunError, kept string) error {
	msg := e.Error()
	if e.Stderr != "" {
		msg += "\nthe end of its stderr:\n" + e.Stderr
	}
	hint := kept
	var open *perfctr.OpenError
	if errors.As(e.Err, &open) {
		hint = strings.TrimPrefix(hint+"; "+open.Hint(), "; ")
	}
	if e.Hook == "" && e.Err == nil && e.Timeout == 0 {
		hint = strings.TrimPrefix(hint+"; --ignore-failure accepts runs that end so", "; ")
	}
	return &MeasureError{Msg: msg, Hint: hint, Err: e}
}

// sample receives a run as it ends: it is on its way to the disk before the
// next one starts.
func (s *session) sample(smp recording.Sample) error {
	smp.Session = s.rec.Sessions[0].ID
	s.rec.Samples = append(s.rec.Samples, smp)
	if s.writer == nil {
		return nil
	}
	return s.writer.Sample(smp)
}

func (s *session) blockDone(int) error {
	if s.writer == nil || time.Since(s.synced) < syncEvery {
		return nil
	}
	s.synced = time.Now()
	return s.writer.Sync()
}

// next says how many more runs of each variant to make.
func (s *session) next(done int) int {
	now := time.Now()
	if s.began.IsZero() {
		s.began = now
		if r := s.o.stop; r.maxTime > 0 && !r.quick {
			s.deadline = now.Add(r.maxTime)
		}
	}
	more := s.more(done, now.Sub(s.began))
	s.counted = done + more
	s.progress.plan(done, s.counted, s.began, s.o.stop)
	return more
}

func (s *session) more(done int, elapsed time.Duration) int {
	r := s.o.stop
	adaptive := r.quick || r.until != nil
	switch {
	case r.runs > 0:
		return r.runs - done
	case !adaptive:
		return workload.BlockSize // until the deadline
	case done == 0:
		return firstLook
	}
	p, err := s.look()
	if err == nil {
		s.progress.floors(p)
		if reached(p) {
			s.why = recording.EndPrecise
			return 0
		}
	}
	if elapsed >= r.maxTime {
		s.why = recording.EndTime
		return 0
	}
	more := compare.NextLook(done) - done
	// No more than what fits into the time, in whole blocks.
	each := elapsed / time.Duration(done)
	if each > 0 {
		fits := int((r.maxTime - elapsed) / each)
		more = min(more, max(workload.BlockSize, fits/workload.BlockSize*workload.BlockSize))
	}
	return more
}

// look computes the present floors of what is to become precise.
func (s *session) look() (compare.Progress, error) {
	t, err := compare.FromRecording(&s.rec)
	if err != nil {
		return compare.Progress{}, err
	}
	if s.targets == nil {
		for _, m := range t.Metrics {
			floor := quickFloor
			if s.o.stop.until != nil {
				want, ok := s.o.stop.until[m.Name]
				if !ok {
					continue
				}
				floor = want
			}
			if m.Absent == "" {
				s.targets = append(s.targets, compare.Target{Metric: m.Name, Floor: floor})
			}
		}
	}
	return compare.Precise(t, s.targets, s.judge)
}

// reached says whether every floor is low enough, or as low as it can get.
func reached(p compare.Progress) bool {
	for _, f := range p.Floors {
		if !f.Reached && !f.OutOfReach {
			return false
		}
	}
	return true
}

// between shows progress; nothing runs at this moment.
func (s *session) between(slot workload.Slot) { s.progress.draw(slot) }
