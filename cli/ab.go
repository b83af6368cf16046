package cli

import (
	"slices"
	"strings"

	ucli "github.com/urfave/cli/v2"
)

const abDescription = `Runs A and B in turn, in random blocks of five runs of each, counts every run,
and prints each counter's delta with its interval and noise floor, and a verdict.
The first command is the base; more than two may follow.

A command given as one string is split into words without a shell. Behind --
commands are given as separate arguments: microcost ab -- A args -- B args

By default at least 10 runs of each are made, then more until the noise floors
are low or about 10 seconds have passed. ^C ends with a report of what there is.

EXIT STATUS
   0  measured; no --fail-on condition holds
   1  a --fail-on condition holds
   2  the command line is wrong; nothing was run
   3  could not measure, or a run failed
   4  --require-decision, and a verdict is undecided

EXAMPLES
   microcost ab 'gzip -1 -c LICENSE' 'gzip -9 -c LICENSE'
   microcost ab --runs 30 --cpu 1 --event instructions,cycles ./pipe-old ./pipe-new
   microcost ab --until instructions=0.01% --fail-on 'instructions>+0.1%' ./old ./new`

func (w *World) abCommand() *ucli.Command {
	accept := &acceptFlag{}
	return &ucli.Command{
		Name:        "ab",
		Usage:       "count two or more commands in turn and compare them",
		UsageText:   "microcost ab [flags] 'CMD A' 'CMD B' ...\nmicrocost ab [flags] -- A args -- B args ...\nmicrocost ab [flags] --aa 'CMD'",
		Description: abDescription,
		Flags:       abFlags(accept),
		Action: func(c *ucli.Context) error {
			o, err := w.abOptions(c, accept)
			return w.carryOut(c.Context, o, err)
		},
	}
}

// Categories of flags in --help.
const (
	catCount = "Counting"
	catRun   = "Running"
	catStop  = "Stopping"
	catHooks = "Hooks (shell commands, never counted)"
	catJudge = "Judging"
	catShow  = "Showing and keeping"
)

func abFlags(accept *acceptFlag) []ucli.Flag {
	flags := []ucli.Flag{
		// -e is a flag of its own: the parser loses values when a repeatable
		// flag is used under two of its names.
		&ucli.StringSliceFlag{Name: "event", Category: catCount, Usage: "count the events of `LIST` instead of the default ones, as perf stat -e takes them (repeatable, also -e)"},
		&ucli.StringSliceFlag{Name: "e", Category: catCount, Hidden: true},
		&ucli.BoolFlag{Name: "multiplex", Category: catCount, Usage: "open all events in every run, though counts may then be extrapolated", DisableDefaultText: true},

		&ucli.BoolFlag{Name: "aa", Category: catRun, Usage: "set the one command given against itself: the noise floor of this machine, and what could be detected", DisableDefaultText: true},
		&ucli.BoolFlag{Name: "shell", Category: catRun, Usage: "run each command with /bin/sh -c (its start is counted too)", DisableDefaultText: true},
		&ucli.StringFlag{Name: "cpu", Category: catRun, Usage: "pin the commands to the CPUs of `LIST`, such as 0 or 0,2-3"},
		&ucli.StringSliceFlag{Name: "env", Category: catRun, Usage: "set the environment variable `K=V` for all commands (repeatable)"},
		&ucli.StringSliceFlag{Name: "env-a", Category: catRun, Usage: "set `K=V` for A alone"},
		&ucli.StringSliceFlag{Name: "env-b", Category: catRun, Usage: "set `K=V` for B alone"},
		&ucli.StringFlag{Name: "cwd", Category: catRun, Usage: "run commands and hooks in this `DIR`"},
		&ucli.StringFlag{Name: "stdin", Category: catRun, Usage: "give each run this `FILE` as its input (default: /dev/null)"},
		&ucli.StringFlag{Name: "stdout", Category: catRun, Value: "null", Usage: "where the commands' output goes: null, inherit, or a `FILE` that each run writes anew"},
		&ucli.StringFlag{Name: "timeout", Category: catRun, Usage: "end a run that takes longer than `D`, and the comparison with it"},
		&ucli.GenericFlag{Name: "ignore-failure", Aliases: []string{"i"}, Category: catRun, Value: accept, Usage: "accept runs that end unsuccessfully; with =`CODES` only these exit statuses"},
		&ucli.IntFlag{Name: "warmup", Aliases: []string{"w"}, Category: catRun, Value: 1, Usage: "make `N` runs of each before the first block, not judged"},
		&ucli.Uint64Flag{Name: "seed", Category: catRun, Usage: "draw the order of the runs from seed `N`; a random one is shown and kept", DefaultText: "random"},
		&ucli.StringSliceFlag{Name: "label", Category: catRun, Usage: "call a command `NAME` instead of A, B, ...: the first is for the first (repeatable)"},

		&ucli.IntFlag{Name: "runs", Aliases: []string{"r", "repeat"}, Category: catStop, DefaultText: "as many as it takes", Usage: "make exactly `N` runs of each"},
		&ucli.StringFlag{Name: "max-time", Category: catStop, Usage: "make runs for `D`, such as 30s or 5m"},
		&ucli.StringSliceFlag{Name: "until", Category: catStop, Usage: "make runs until a noise floor is low enough: `METRIC=FLOOR`, such as instructions=0.01% (repeatable)"},

		&ucli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: catShow, Usage: "record every run in this `FILE` (default: last.jsonl under $XDG_STATE_HOME/microcost)"},
		&ucli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Category: catShow, Usage: "show no progress", DisableDefaultText: true},
	}
	flags = slices.Concat(flags, judgeFlags(), showFlags())
	flags = append(flags, schedFlags()...)
	for _, h := range hookNames {
		flags = append(flags, &ucli.StringFlag{Name: h.name, Category: catHooks, Usage: "run `CMD` " + h.when})
		for _, v := range []string{"a", "b"} {
			flags = append(flags, &ucli.StringFlag{Name: h.name + "-" + v, Category: catHooks, Usage: "run `CMD` so for " + strings.ToUpper(v) + " alone"})
		}
	}
	return flags
}

// judgeFlags say how deltas are judged.
func judgeFlags() []ucli.Flag {
	return slices.Concat([]ucli.Flag{
		&ucli.Float64Flag{Name: "alpha", Category: catJudge, Value: 0.05, Usage: "call anything at all different with a chance of at most `ALPHA` when nothing is, over all metrics together"},
		&ucli.StringFlag{Name: "primary", Category: catJudge, Usage: "let `METRIC` decide alone, at the full alpha"},
		&ucli.StringSliceFlag{Name: "threshold", Category: catJudge, Usage: "the smallest delta that matters: `METRIC=X`, such as instructions=0.1% (repeatable)"},
	}, conditionFlags())
}

// conditionFlags set the exit status.
func conditionFlags() []ucli.Flag {
	return []ucli.Flag{
		&ucli.StringSliceFlag{Name: "fail-on", Category: catJudge, Usage: "exit 1 when a delta's whole interval is beyond `COND`, such as 'instructions>+0.1%' (repeatable)"},
		&ucli.BoolFlag{Name: "require-decision", Category: catJudge, Usage: "exit 4 when a verdict is undecided", DisableDefaultText: true},
	}
}

// showFlags say how a report is shown.
func showFlags() []ucli.Flag {
	return []ucli.Flag{
		&ucli.StringFlag{Name: "format", Category: catShow, Value: "text", Usage: "show the report as `FORM`: text or json"},
		&ucli.StringFlag{Name: "color", Category: catShow, Value: "auto", Usage: "colour the report: `WHEN` is auto, always or never"},
	}
}

// hookNames are the hooks in the order in which they run.
var hookNames = []struct{ name, when string }{
	{"setup", "once before the first run of each variant"},
	{"prepare", "before each run"},
	{"conclude", "after each run"},
	{"cleanup", "once after the last run of each variant, however it ends"},
}
