package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	ucli "github.com/urfave/cli/v2"

	"microcost/compare"
	"microcost/perfctr"
	"microcost/report"
	"microcost/workload"
	"microcost/workload/recording"
	"microcost/workload/sched"
)

const workloadDescription = `Runs a built-in workload of the scheduler once and prints what it did: totals and
what one operation costs. Counted is the steady region: after every task is ready
and warmed, until the last operation, without fork, exec and exit.

Tasks are forked without an exec and never enter the Go runtime. To compare two
settings, kernels or sizes: microcost ab --workload, microcost kernel --workload.`

func (w *World) workloadCommand() *ucli.Command {
	cmd := &ucli.Command{
		Name:        "workload",
		Usage:       "run a built-in workload of the scheduler by itself",
		UsageText:   "microcost workload NAME [flags]",
		Description: workloadDescription,
		Action: func(c *ucli.Context) error {
			if c.NArg() == 0 {
				return usagef("one of "+strings.Join(sched.Names(), ", "), "no workload named")
			}
			_, err := sched.Parse(c.Args().First())
			if err == nil {
				return usagef("microcost workload NAME [flags]", "the workload's name comes first")
			}
			return workloadError("", err)
		},
	}
	for _, name := range sched.Names() {
		cmd.Subcommands = append(cmd.Subcommands, w.oneWorkload(name))
	}
	return cmd
}

// oneWorkload is the command of one workload, with its parameters as flags.
func (w *World) oneWorkload(name string) *ucli.Command {
	params, defaults := sched.Params(name)
	var flags []ucli.Flag
	for i, p := range params {
		if p.Switch {
			flags = append(flags, &ucli.BoolFlag{Name: p.Name, Usage: p.Usage, DisableDefaultText: true})
			continue
		}
		usage := p.Usage
		if defaults[i] != "" {
			usage += " (default: " + defaults[i] + ")"
		}
		flags = append(flags, &ucli.StringFlag{Name: p.Name, Usage: usage})
	}
	flags = append(flags,
		&ucli.StringSliceFlag{Name: "event", Usage: "count these events instead of the default ones, as perf stat -e takes them (repeatable)"},
		&ucli.StringFlag{Name: "timeout", Usage: "end it when it takes longer than `D`"},
		&ucli.StringFlag{Name: "format", Value: "text", Usage: "text or json"},
	)
	return &ucli.Command{
		Name: name, Usage: sched.Usage(name), UsageText: "microcost workload " + name + " [flags]",
		Flags: flags, OnUsageError: onUsageError, HideHelpCommand: true,
		Action: func(c *ucli.Context) error { return w.runWorkload(c, name, params) },
	}
}

// runWorkload makes one run and shows it.
func (w *World) runWorkload(c *ucli.Context, name string, params []sched.Param) error {
	if c.NArg() > 0 {
		return usagef("parameters are flags: microcost workload "+name+" --help", "%q is not expected", c.Args().First())
	}
	var given []string
	for _, p := range params {
		switch {
		case !c.IsSet(p.Name):
		case p.Switch:
			given = append(given, fmt.Sprintf("%s=%t", p.Name, c.Bool(p.Name)))
		default:
			given = append(given, p.Name+"="+c.String(p.Name))
		}
	}
	spec, err := sched.Parse(name, given...)
	if err != nil {
		return workloadError("--", err)
	}
	o := &abOptions{variants: []workload.Variant{workload.Builtin(spec)}}
	if err := o.readEvents(c); err != nil {
		return err
	}
	if o.show.format = c.String("format"); o.show.format != "text" && o.show.format != "json" {
		return usagef("text or json", "unknown format %q", o.show.format)
	}
	ctx := c.Context
	if c.IsSet("timeout") {
		d, err := parseDuration(c.String("timeout"))
		if err != nil || d <= 0 {
			return usagef("--timeout 30s", "--timeout %s is not a time limit", c.String("timeout"))
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, d, fmt.Errorf("it took longer than %v and was ended", d))
		defer cancel()
	}
	if err := sched.Check(spec); err != nil {
		return err
	}
	run, err := w.measureWorkload(ctx, o, spec)
	if err != nil {
		return err
	}
	if o.show.format == "json" {
		return report.WorkloadJSON(w.Stdout, run)
	}
	return report.WorkloadText(w.Stdout, run)
}

// measureWorkload counts one run.
func (w *World) measureWorkload(ctx context.Context, o *abOptions, spec sched.Spec) (*report.WorkloadRun, error) {
	supports := perfctr.Probe(o.events, perfctr.Thread())
	packing, err := perfctr.Pack(supports, o.pack)
	if err != nil {
		return nil, &MeasureError{Msg: fmt.Sprintf("preparing the counters: %v", err), Err: err}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	defer close(done)
	defer w.catch()()
	interrupts := w.interrupts
	go func() {
		select {
		case <-interrupts:
			cancel(errStopped)
		case <-done:
		}
	}()
	type outcome struct {
		run *workload.BuiltinRun
		err error
	}
	result := make(chan outcome, 1)
	go func() {
		// Never unlocked: the thread ends with this goroutine.
		runtime.LockOSThread()
		run, err := workload.CountBuiltin(ctx, spec, packing, 0)
		result <- outcome{run, err}
	}()
	got := <-result
	if got.err != nil {
		if errors.Is(got.err, errStopped) {
			return nil, &MeasureError{Msg: "stopped", Err: got.err}
		}
		return nil, &MeasureError{Msg: fmt.Sprintf("running %s: %v", spec, got.err), Err: got.err}
	}
	v := o.variants[0]
	t, err := compare.FromRecording(&recording.Recording{
		Sessions: []recording.Session{{Variants: []recording.Variant{v.Record()}, Events: workload.Events(supports)}},
		Samples:  []recording.Sample{{Run: 1, Counts: got.run.Counts}},
	})
	if err != nil {
		return nil, err
	}
	r := &report.WorkloadRun{Text: v.Text, Command: v.Argv, Operation: spec.Operation(), Table: t}
	for _, s := range got.run.Result.Shares {
		r.Shares = append(r.Shares, report.WorkloadShare{Nice: s.Nice, CPU: int64(s.CPU), Share: s.Share, Weight: s.Weight})
	}
	return r, nil
}
