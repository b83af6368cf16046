package cli

import (
	ucli "github.com/urfave/cli/v2"

	"microcost/perfctr"
	"microcost/report"
)

func (w *World) listCommand() *ucli.Command {
	return &ucli.Command{
		Name:      "list",
		Usage:     "list what can be counted here",
		UsageText: "microcost list [flags] [TEXT]",
		Description: "Lists events by kind, those whose names hold TEXT or that the pattern TEXT matches\n" +
			"('sched:*wake*'), and tries each of them: whether this machine has it and this user may\n" +
			"count it. Any of them can be given to --event.",
		Flags:  showFlags(),
		Action: w.listAction,
	}
}

func (w *World) listAction(c *ucli.Context) error {
	show, err := readShow(c)
	if err != nil {
		return err
	}
	if c.NArg() > 1 {
		return usagef("microcost list sched", "one text to look for, not %d", c.NArg())
	}
	match := c.Args().First()
	list, listErr := perfctr.List(match, perfctr.Command())
	var pmus []perfctr.PMU
	if match == "" {
		pmus = perfctr.PMUs()
	}
	if len(list) == 0 {
		// What was not searched may be where it is.
		hint := "microcost list shows all events"
		if listErr != nil {
			hint = listErr.Error()
		}
		return usagef(hint, "no event holds %q in its name", match)
	}
	if show.format == "json" {
		err = report.EventListJSON(w.Stdout, list, pmus)
	} else {
		err = report.EventList(w.Stdout, list, pmus, w.textOptions(show))
	}
	if listErr != nil {
		w.say("warning", listErr.Error())
	}
	return err
}
