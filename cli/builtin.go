package cli

import (
	"errors"
	"strings"

	ucli "github.com/urfave/cli/v2"

	"microcost/perfctr"
	"microcost/workload"
	"microcost/workload/sched"
)

// builtinVariants are the variants that --workload asks for: one workload is
// both A and B, which then differ in what is done before their runs; several
// are one variant each. It is nil when the flag is not used.
func builtinVariants(c *ucli.Context) ([]workload.Variant, error) {
	texts := c.StringSlice("workload")
	if len(texts) == 0 {
		return nil, nil
	}
	if c.NArg() > 0 {
		return nil, usagef("give commands, or --workload, not both", "--workload measures a built-in workload, but the command %q is given too", c.Args().First())
	}
	if c.Bool("shell") {
		return nil, usagef("leave --shell out", "--shell does not go with --workload")
	}
	var list []workload.Variant
	for _, text := range texts {
		s, err := sched.ParseText(text)
		if err != nil {
			return nil, workloadError("--workload: ", err)
		}
		list = append(list, workload.Builtin(s))
	}
	if len(list) == 1 {
		list = append(list, list[0])
	}
	for i := range list {
		list[i].Label = workload.Label(i)
	}
	return list, nil
}

// workloadError words a mistake in a workload's text, behind the flag that held it.
func workloadError(flag string, err error) error {
	var p *sched.ParseError
	if !errors.As(err, &p) {
		return &UsageError{Msg: err.Error()}
	}
	hint := "microcost workload --help lists them"
	if len(p.Known) > 0 {
		hint = "known here: " + strings.Join(p.Known, ", ")
		key, _, _ := strings.Cut(p.Input, "=")
		if near := nearest(key, p.Known); near != "" {
			hint = "did you mean " + near + "? " + hint
		}
	}
	if flag == "--" { // the input is the flag
		return &UsageError{Msg: flag + p.Input + " " + p.Msg, Hint: hint}
	}
	return &UsageError{Msg: flag + p.Error(), Hint: hint}
}

// builtinEvents are the events of a comparison of built-in workloads: what they
// say of themselves, and wakeups where they can be counted. Their size in memory
// is that of this program, so it is left out.
func builtinEvents(events []perfctr.Event, variants []workload.Variant, asked bool) []perfctr.Event {
	own := workload.OwnEvents(variants)
	if len(own) == 0 {
		return events
	}
	var list []perfctr.Event
	for _, e := range events {
		if asked || e.Name != "max-rss" {
			list = append(list, e)
		}
	}
	if !asked {
		if wake, err := perfctr.Parse("sched:sched_wakeup"); err == nil && perfctr.Probe(wake, perfctr.Thread())[0].Status == perfctr.Yes {
			list = append(list, wake...)
		}
	}
	return append(list, own...)
}
