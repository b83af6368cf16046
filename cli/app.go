package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fatih/color"
	ucli "github.com/urfave/cli/v2"

	"microcost/report"
	"microcost/workload/sched"
)

// Version is the version of the tool, as recordings keep it.
const Version = "0.1.0"

// Run carries out one command line and returns the exit status.
func Run(ctx context.Context, w World) int {
	app := newApp(&w)
	err := app.RunContext(ctx, w.Args)
	return w.conclude(err)
}

func newApp(w *World) *ucli.App {
	app := &ucli.App{
		Name:      "microcost",
		Usage:     "perf stat, A against B, with a verdict",
		UsageText: "microcost COMMAND [flags] ...",
		Description: "Counts commands with the kernel's performance counters in random blocks,\n" +
			"and says which deltas exceed the noise floor, at a stated error rate.",
		Version:                   Version,
		Writer:                    w.Stdout,
		ErrWriter:                 w.Stderr,
		Reader:                    w.Stdin,
		DisableSliceFlagSeparator: true, // cpu/event=0xc0,umask=1/ is one event
		HideHelpCommand:           true, // "ab -- help" would not be run otherwise
		UseShortOptionHandling:    false,
		Commands:                  w.commands(),
		OnUsageError:              onUsageError,
		ExitErrHandler:            func(*ucli.Context, error) {}, // main decides
		CommandNotFound:           nil,
		Action: func(c *ucli.Context) error {
			if c.NArg() > 0 {
				return usagef("microcost --help lists the commands", "unknown command %q", c.Args().First())
			}
			return ucli.ShowAppHelp(c)
		},
	}
	ucli.VersionFlag = &ucli.BoolFlag{Name: "version", Aliases: []string{"V"}, Usage: "print the version", DisableDefaultText: true}
	return app
}

// commands are all there are, each from its own file.
func (w *World) commands() []*ucli.Command {
	list := []*ucli.Command{w.abCommand(), w.recordCommand(), w.compareCommand(), w.reportCommand(), w.convertCommand(), w.listCommand(), w.sizeCommand(), w.kernelCommand(), w.workloadCommand()}
	for _, c := range list {
		c.OnUsageError = onUsageError
		c.HideHelpCommand = true
	}
	return list
}

// onUsageError words what the flag parser says in the way of this program.
func onUsageError(c *ucli.Context, err error, _ bool) error {
	name := "microcost"
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != name {
		name = c.Command.HelpName // "microcost workload pipe"
	}
	msg := err.Error()
	if flag, ok := strings.CutPrefix(msg, "flag provided but not defined: "); ok {
		msg = "unknown flag " + flag
		if near := nearestFlag(c, strings.TrimLeft(flag, "-")); near != "" {
			return usagef(fmt.Sprintf("did you mean --%s? %s --help lists the flags", near, name), "%s", msg)
		}
	}
	return usagef(name+" --help lists the flags", "%s", msg)
}

// conclude says what there is to say about err and picks the exit status.
func (w *World) conclude(err error) int {
	if err == nil {
		return ExitMeasured
	}
	var exit *ExitError
	if errors.As(err, &exit) {
		return exit.Code
	}
	msg, hint, code := err.Error(), "", ExitFailed
	var usage *UsageError
	var measure *MeasureError
	var unfit *sched.CheckError // found before the first run
	switch {
	case errors.As(err, &usage):
		msg, hint, code = usage.Msg, usage.Hint, ExitUsage
	case errors.As(err, &unfit):
		msg, hint, code = unfit.Msg, unfit.Hint, ExitUsage
	case errors.As(err, &measure):
		msg, hint = measure.Msg, measure.Hint
	}
	w.say("error", msg)
	if hint != "" {
		w.say("hint", hint)
	}
	return code
}

// say writes one message for the user to stderr.
func (w *World) say(kind, msg string) {
	attr := map[string]color.Attribute{"error": color.FgRed, "hint": color.FgCyan, "warning": color.FgYellow}[kind]
	head := kind + ":"
	if attr != 0 && w.coloured("auto", w.Stderr) {
		c := color.New(attr, color.Bold)
		c.EnableColor()
		head = c.Sprint(head)
	}
	lines := strings.Split(strings.TrimRight(msg, "\n"), "\n")
	for i, l := range lines {
		lines[i] = report.Printable(l)
	}
	fmt.Fprintf(w.Stderr, "microcost: %s %s\n", head, strings.Join(lines, "\n    "))
}
