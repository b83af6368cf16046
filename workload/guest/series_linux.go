package guest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"microcost/workload/recording"
)

// A Kernel is one of the kernels compared. The first of a series is the base.
type Kernel struct {
	Label  string
	Image  *Image
	Append string // added to the command line, after Series.Append
}

// A Series is a comparison of kernels by boots.
type Series struct {
	Kernels []Kernel // all of one architecture
	Machine Machine
	Append  string // added to all kernels' command lines
	Plan    Plan
	Files   []File   // what goes into the guest
	Runs    []string // files on this machine that the plan runs: they must be fit for the guest
	Program string   // the guest's /init, for the architecture
	Seed    uint64   // of the order and of all perturbations
	Jobs    int      // boots at a time; 0 is 1
	Limits  Timeouts // zero is DefaultTimeouts
	Env     []string // QEMU's environment
	Dir     string   // for files of the boots; empty is a temporary one

	// Next is asked before the first boot and when those asked for are done: how
	// many more rounds, after done? A round boots each kernel once. 0 ends the
	// series.
	Next func(done int) int
	// The others are called one at a time. An error ends the series.
	Started func(Boot)
	Hello   func(Boot, *Hello) error
	Sample  func(Boot, recording.Sample) error
	Done    func(Boot, Account, error) error
	Note    func(Boot, string)
	// Stop, once closed, lets the boots in progress end and starts no other.
	Stop <-chan struct{}
}

// A runner is a series on its way.
type runner struct {
	Series
	arch    Arch
	qemu    string
	kernels []string // files to boot
	fs      initramfs
	mu      sync.Mutex // of the callbacks
}

// Run carries the series out. When it returns no QEMU is left. It returns nil when
// Next or Stop ended it, ctx's error when ctx did, and a *BootError when a boot
// went wrong: then no further ones are started, and those in progress end as
// planned.
func (s Series) Run(ctx context.Context) error {
	r := &runner{Series: s, arch: s.Kernels[0].Image.Arch}
	if r.Limits == (Timeouts{}) {
		r.Limits = DefaultTimeouts
	}
	if r.Dir == "" {
		dir, err := os.MkdirTemp("", "microcost-guest-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		r.Dir = dir
	}
	if err := r.prepare(); err != nil {
		return err
	}
	for done := 0; ; {
		more := r.Next(done)
		if more <= 0 || r.stopped() {
			return nil
		}
		var boots []Boot
		for i := range more {
			boots = append(boots, round(r.Seed, done+i, len(r.Kernels))...)
		}
		if err := r.batch(ctx, boots); err != nil {
			return err
		}
		done += more
	}
}

func (r *runner) stopped() bool {
	select {
	case <-r.Stop:
		return true
	default:
		return false
	}
}

// prepare makes what all boots have in common.
func (r *runner) prepare() error {
	if r.qemu = r.Machine.QEMU; r.qemu == "" {
		var err error
		if r.qemu, err = FindQEMU(r.arch); err != nil {
			return err
		}
	}
	for _, k := range r.Kernels {
		path, err := k.Image.Bootable(r.Dir)
		if err != nil {
			return err
		}
		r.kernels = append(r.kernels, path)
	}
	fs, libraries, err := newInitramfs(r.Program, r.arch, r.Files, r.Runs)
	if err != nil {
		return err
	}
	r.fs = fs
	if len(libraries) > 0 {
		// The guest has neither /etc/ld.so.cache nor the program's place.
		r.Plan.Variant.Env = append(slices.Clone(r.Plan.Variant.Env), "LD_LIBRARY_PATH="+strings.Join(libraries, ":"))
	}
	return nil
}

// batch starts boots in order, Jobs at a time, and waits for all.
func (r *runner) batch(ctx context.Context, boots []Boot) error {
	var (
		wait  sync.WaitGroup
		mu    sync.Mutex
		first error
	)
	slots := make(chan struct{}, max(1, r.Jobs))
	failed := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return first != nil
	}
	for _, b := range boots {
		slots <- struct{}{}
		if ctx.Err() != nil || r.stopped() || failed() {
			break
		}
		wait.Go(func() {
			defer func() { <-slots }()
			if err := r.once(ctx, b); err != nil {
				mu.Lock()
				// That others were cancelled says less than why.
				if first == nil || errors.Is(first, context.Canceled) {
					first = err
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return first
}

// once makes one boot.
func (r *runner) once(ctx context.Context, b Boot) error {
	initrd, err := r.fs.withPlan(bootPlan{Protocol: protocol, Plan: r.Plan, Perturbation: b.Perturbation})
	if err != nil {
		return err
	}
	path := filepath.Join(r.Dir, "initrd-"+strconv.Itoa(b.Number))
	if err := os.WriteFile(path, initrd, 0o600); err != nil {
		return err
	}
	defer os.Remove(path)
	k := r.Kernels[b.Kernel]
	run := &running{
		boot: b, label: k.Label,
		onHello:  func(h *Hello) error { return r.call(func() error { return r.Hello(b, h) }) },
		onSample: func(s recording.Sample) error { return r.call(func() error { return r.Sample(b, s) }) },
		onNote: func(text string) {
			_ = r.call(func() error {
				if r.Note != nil {
					r.Note(b, text)
				}
				return nil
			})
		},
	}
	if r.Started != nil {
		_ = r.call(func() error { r.Started(b); return nil })
	}
	line := r.Machine.commandLine(r.arch, strings.TrimSpace(r.Append+" "+k.Append))
	err = run.run(ctx, machineStart{
		qemu: r.qemu, env: r.Env,
		args: r.Machine.arguments(r.arch, r.kernels[b.Kernel], path, line, b.Seed),
	}, r.Limits)
	if r.Done != nil {
		if derr := r.call(func() error { return r.Done(b, run.account, err) }); err == nil {
			err = derr
		}
	}
	return err
}

// call makes callbacks one at a time.
func (r *runner) call(f func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return f()
}
