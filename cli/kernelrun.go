package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"microcost/compare"
	"microcost/workload/guest"
	"microcost/workload/machine"
	"microcost/workload/recording"
)

// A kernelSession is one kernel command on its way: every boot becomes a session
// of the recording.
type kernelSession struct {
	w       *World
	o       *kernelOptions
	program string // the guest's /init
	qemu    string
	version string              // of QEMU
	images  []*recording.Binary // by kernel
	rec     recording.Recording
	writer  *recording.Writer
	session map[int]int // by the boot's number: its session in the recording
	line    *bootLine
	why     string
	checked bool
	notes   []string
	told    map[string]bool

	stop     chan struct{}
	stopping atomic.Bool
}

// newKernelSession does what can fail before the first boot.
func (w *World) newKernelSession(ctx context.Context, o *kernelOptions) (*kernelSession, error) {
	s := &kernelSession{w: w, o: o, session: map[int]int{}, why: recording.EndComplete, told: map[string]bool{}, stop: make(chan struct{})}
	s.line = newBootLine(w, o)
	arch := o.kernels[0].Image.Arch
	var err error
	if s.qemu, err = guest.FindQEMU(arch); err != nil {
		return nil, kernelError(err, "")
	}
	s.version = guest.QEMUVersion(s.qemu)
	if o.machine.Engine == guest.Emulate && arch == guest.AMD64 && o.machine.CPUs > 1 && strings.HasPrefix(s.version, "7.") {
		// Seen with 7.2.22: "Booting SMP configuration" is the last line, whatever
		// processor, board and clock.
		return nil, &MeasureError{Msg: "this QEMU (" + s.version + ") does not start a second x86-64 processor when it counts instructions",
			Hint: "--smp 1; arm64 kernels can have several, and so can --engine kvm"}
	}
	if o.machine.Engine == guest.KVM {
		s.line.say("trying KVM")
		err := guest.ProbeKVM(ctx, arch, s.qemu, guest.ProbeTime)
		s.line.clear()
		if err != nil {
			return nil, kernelError(err, "")
		}
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s.program, err = guest.ProgramSource{Executable: self, Cache: w.cacheDir(), Env: w.Env}.Program(ctx, arch)
	if err != nil {
		return nil, kernelError(err, "")
	}
	for _, k := range o.kernels {
		s.images = append(s.images, imageBinary(k.Image))
	}
	return s, s.openRecording()
}

// cacheDir is where things are kept that can be made again: $MICROCOST_CACHE, or
// microcost below $XDG_CACHE_HOME or ~/.cache.
func (w *World) cacheDir() string {
	if dir := w.getenv("MICROCOST_CACHE"); filepath.IsAbs(dir) {
		return dir
	}
	if dir := w.getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "microcost")
	}
	if home := w.getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".cache", "microcost")
	}
	return filepath.Join(os.TempDir(), "microcost")
}

// openRecording opens the file that keeps the runs; the default one is given up
// with a warning.
func (s *kernelSession) openRecording() error {
	if s.o.output != "" {
		err := plainName(s.o.output)
		if err != nil {
			return err
		}
		if s.writer, err = recording.Create(s.o.output); err != nil {
			return &UsageError{Msg: err.Error(), Hint: "nothing was booted; -o FILE needs a place that can be written"}
		}
		return nil
	}
	path := s.w.lastRecording()
	err := errors.New("neither XDG_STATE_HOME nor HOME is set")
	if path != "" {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			s.writer, err = recording.Create(path)
		}
	}
	if err != nil {
		s.writer = nil
		s.w.say("warning", fmt.Sprintf("the runs are not recorded: %v (-o FILE names a place)", err))
	}
	return nil
}

// run boots, and shows what came of it.
func (s *kernelSession) run(parent context.Context) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { s.watch(cancel, done) })
	o := s.o
	series := guest.Series{
		Kernels: o.kernels, Machine: o.machine, Append: o.append, Plan: o.plan, Files: o.files, Runs: o.runs,
		Program: s.program, Seed: o.seed, Jobs: o.jobs, Limits: o.limits, Env: s.w.Env,
		Next: s.next, Started: s.line.started, Hello: s.hello, Sample: s.sample, Done: s.bootDone, Note: s.note, Stop: s.stop,
	}
	series.Machine.QEMU = s.qemu
	err := series.Run(ctx)
	close(done)
	watch.Wait()
	s.line.clear()
	if cause := context.Cause(ctx); cause != nil && errors.Is(cause, errStopped) {
		err = cause
	}
	if s.writer != nil {
		if werr := s.writer.Close(); err == nil && werr != nil {
			err = &MeasureError{Msg: werr.Error(), Err: werr}
		}
	}
	if err != nil {
		return kernelError(err, s.kept())
	}
	return s.conclude()
}

// watch turns the first interrupt into an orderly end and the second into one at
// once.
func (s *kernelSession) watch(cancel context.CancelCauseFunc, done <-chan struct{}) {
	select {
	case <-s.w.interrupts:
	case <-done:
		return
	}
	s.stopping.Store(true)
	close(s.stop)
	fmt.Fprint(s.w.Stderr, s.line.erase()+"microcost: finishing the boots in progress; once more stops at once\n")
	select {
	case <-s.w.interrupts:
		cancel(errStopped)
	case <-done:
	}
}

// hello begins the session of a boot.
func (s *kernelSession) hello(b guest.Boot, h *guest.Hello) error {
	o := s.o
	if o.counters {
		if err := checkCounters(h.Events); err != nil {
			return err
		}
	}
	k := o.kernels[b.Kernel]
	rs := recording.Session{
		ID: len(s.rec.Sessions), Started: time.Now(), Tool: "microcost " + Version, Events: s.events(h.Events),
		Plan: recording.Plan{
			Schedule: guest.RandomBoots, Seed: o.seed, WarmUp: o.plan.WarmUp, Runs: o.plan.Repeats, Until: o.until, CPUs: o.cpuText,
		},
		Judge: recording.Judge{Alpha: o.judging.judge.Alpha, Primary: o.judging.judge.Primary, Thresholds: o.judging.threshold},
		Env:   h.Env,
		Guest: &recording.Guest{
			Label: k.Label, Engine: string(o.machine.Engine), QEMU: s.version, Image: string(k.Image.Kind), SHA256: k.Image.SHA256, Version: h.Version,
			Boot: b.Number, Round: b.Round, Seed: b.Seed, Delay: b.Delay, Repeats: o.plan.Repeats,
			CPUs: o.machine.CPUs, Memory: uint64(o.machine.MemoryBytes()), Append: strings.TrimSpace(o.append + " " + k.Append),
		},
	}
	// An emulated kernel may well make up the same boot id twice: its random
	// numbers come from the seed.
	rs.Env.BootID = newBootID()
	if rs.Env.ConfigSHA256 == "" && o.configs[b.Kernel] != nil {
		machine.SetKernelConfig(&rs.Env, o.configs[b.Kernel])
	}
	for i, k := range o.kernels {
		rs.Variants = append(rs.Variants, recording.Variant{
			Label: k.Label, Command: o.plan.Variant.Argv, Env: o.plan.Variant.Env,
			Text:   fmt.Sprintf("%s (%s, %s): %s", k.Image.Path, k.Image.Arch, k.Image.Kind, o.plan.Variant.Text),
			Binary: s.images[i],
		})
	}
	s.rec.Sessions = append(s.rec.Sessions, rs)
	s.session[b.Number] = rs.ID
	if s.writer != nil {
		if err := s.writer.Session(rs); err != nil {
			return &MeasureError{Msg: err.Error(), Err: err}
		}
	}
	if !s.checked {
		s.checked = true
		return s.checkMetrics(rs)
	}
	return nil
}

// newBootID is a random UUID, as /proc/sys/kernel/random/boot_id has one.
func newBootID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// sample keeps a run as it ends.
func (s *kernelSession) sample(b guest.Boot, smp recording.Sample) error {
	smp.Session, smp.Variant = s.session[b.Number], b.Kernel
	s.rec.Samples = append(s.rec.Samples, smp)
	if s.writer == nil {
		return nil
	}
	if err := s.writer.Sample(smp); err != nil {
		return &MeasureError{Msg: err.Error(), Err: err}
	}
	return nil
}

// bootDone ends the session of a boot.
func (s *kernelSession) bootDone(b guest.Boot, a guest.Account, err error) error {
	s.line.done(b)
	if a.Torn > 0 {
		s.notes = append(s.notes, fmt.Sprintf("boot %d of %s: kernel messages were written into %d records; all samples arrived but %d", b.Number+1, s.o.kernels[b.Kernel].Label, a.Torn, a.Lost))
	}
	id, ok := s.session[b.Number]
	if !ok {
		return nil
	}
	end := recording.End{Session: id, Reason: recording.EndComplete}
	if err != nil {
		end.Reason, end.Detail = recording.EndFailed, err.Error()
		if errors.Is(err, context.Canceled) {
			end.Reason, end.Detail = recording.EndInterrupted, ""
		}
	}
	s.rec.Ends = append(s.rec.Ends, end)
	if s.writer == nil {
		return nil
	}
	return errors.Join(s.writer.End(end), s.writer.Sync())
}

// note says once what a guest says in every boot.
func (s *kernelSession) note(_ guest.Boot, text string) {
	if !s.told[text] {
		s.told[text] = true
		s.notes = append(s.notes, "in the guest: "+text)
	}
}

// next says how many more rounds of boots to make.
func (s *kernelSession) next(done int) int {
	o := s.o
	if done == 0 {
		s.line.plan(o.boots * len(o.kernels))
		return o.boots
	}
	if len(o.until) == 0 {
		return 0
	}
	p, err := s.look()
	if err != nil || reached(p) || done >= o.maxBoots {
		return 0
	}
	more := min(o.maxBoots-done, max(2, done/4, o.jobs/len(o.kernels)))
	s.line.plan((done + more) * len(o.kernels))
	return more
}

// look computes the present floors of what is to become precise.
func (s *kernelSession) look() (compare.Progress, error) {
	t, err := compare.FromRecording(&s.rec)
	if err != nil {
		return compare.Progress{}, err
	}
	var targets []compare.Target
	for name, floor := range s.o.until {
		targets = append(targets, compare.Target{Metric: name, Floor: floor})
	}
	return compare.Precise(t, targets, s.o.judging.judge)
}

// checkMetrics finds out at the first boot whether everything that is asked about
// is measured.
func (s *kernelSession) checkMetrics(rs recording.Session) error {
	dry := session{rec: rs, o: &abOptions{judge: s.o.judging.judge, failOn: s.o.judging.failOn, stop: stopRule{until: s.o.until}}}
	return dry.checkMetrics()
}

// kept says where the finished runs are.
func (s *kernelSession) kept() string {
	n := 0
	for i := range s.rec.Samples {
		if !s.rec.Samples[i].WarmUp {
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
	return fmt.Sprintf("%d finished runs are kept: microcost report %s", n, path)
}

// conclude shows the report and picks the exit status.
func (s *kernelSession) conclude() error {
	counts := make([]int, len(s.o.kernels))
	for i := range s.rec.Samples {
		if !s.rec.Samples[i].WarmUp {
			counts[s.rec.Samples[i].Variant]++
		}
	}
	for i, n := range counts {
		if n == 0 {
			return &MeasureError{Msg: fmt.Sprintf("stopped before kernel %s had a run: there is nothing to compare", s.o.kernels[i].Label), Hint: s.kept()}
		}
	}
	if s.stopping.Load() {
		s.notes = append(s.notes, "stopped early")
	}
	c, err := s.w.present(&s.rec, s.notes, s.o.show)
	if err != nil {
		return err
	}
	return s.w.decide(c, s.o.judging.failOn, s.o.judging.decide)
}
