package cli

import (
	"errors"
	"fmt"
	"slices"

	ucli "github.com/urfave/cli/v2"

	"microcost/compare"
	"microcost/report"
	"microcost/workload/recording"
)

func (w *World) reportCommand() *ucli.Command {
	return &ucli.Command{
		Name:      "report",
		Usage:     "show a recording again",
		UsageText: "microcost report [flags] [FILE]",
		Description: "Shows the comparison that a recording holds, as ab showed it. Without FILE it is\n" +
			"the last one that was recorded.",
		Flags: slices.Concat([]ucli.Flag{
			&ucli.StringSliceFlag{Name: "explain", Usage: "tell step by step how the verdict on `METRIC` came about (repeatable)"},
		}, conditionFlags(), showFlags()),
		Action: w.reportAction,
	}
}

func (w *World) reportAction(c *ucli.Context) error {
	show, err := readShow(c)
	if err != nil {
		return err
	}
	path := c.Args().First()
	switch {
	case c.NArg() > 1:
		return usagef("microcost report FILE; flags go before the file", "more than one file given")
	case path == "":
		if path = w.lastRecording(); path == "" {
			return usagef("microcost report FILE", "no file given, and neither XDG_STATE_HOME nor HOME is set")
		}
	}
	var conditions []compare.Condition
	for _, text := range c.StringSlice("fail-on") {
		cond, err := compare.ParseCondition(text)
		if err != nil {
			return usagef("--fail-on 'instructions>+0.1%' or 'elapsed<-2ms'", "--fail-on: %v", err)
		}
		conditions = append(conditions, cond)
	}
	g, err := readRecording(path)
	if err != nil {
		return err
	}
	if names := c.StringSlice("explain"); len(names) > 0 {
		return w.explain(g, names, show)
	}
	notes := damage(path, g.rec.Damage)
	if g.twice > 0 {
		notes = append(notes, fmt.Sprintf("%s: sessions that are in it twice are counted once", path))
	}
	cmp, err := w.presentGathered(g, nil, notes, show)
	if err != nil {
		return err
	}
	return w.decide(cmp, conditions, c.Bool("require-decision"))
}

// damage says what of a file could not be used.
func damage(path string, list []recording.Damage) []string {
	var notes []string
	for _, d := range list {
		notes = append(notes, fmt.Sprintf("%s: %s", path, d))
	}
	return notes
}

// explain shows how the verdicts on some metrics came about.
func (w *World) explain(g *gathering, metrics []string, o showOptions) error {
	t, err := g.table.Table()
	if err != nil {
		return err
	}
	asked, err := asked(&g.rec)
	if err != nil {
		return err
	}
	names := make([]string, len(t.Metrics))
	for i, m := range t.Metrics {
		names[i] = m.Name
	}
	for i, name := range metrics {
		if !slices.Contains(names, name) {
			return unknownMetric("--explain", name, names)
		}
		list, err := compare.Explain(t, asked, name)
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(w.Stdout)
		}
		if err := report.Explain(w.Stdout, list, t.Variants, w.textOptions(o)); err != nil {
			return err
		}
	}
	return nil
}

// readRecording reads a file and words what is wrong with it.
func readRecording(path string) (*gathering, error) {
	f, err := open(path, "microcost ab -o FILE makes one")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	g := newGathering()
	seen := map[string]bool{}
	once := func(s *recording.Session) bool { // a file that was joined with itself
		id := s.Identity()
		again := id != "" && seen[id]
		if seen[id] = true; again {
			g.twice++
		}
		return !again
	}
	if err := recording.Scan(f, g.into(once, nil)); err != nil {
		hint := ""
		var format *recording.FormatError
		var usage *UsageError
		switch {
		case errors.As(err, &usage):
			return nil, err
		case errors.As(err, &format):
			hint = "microcost compare reads the files of other tools too"
		}
		return nil, usagef(hint, "%s: %v", path, reason(err))
	}
	if g.runs == 0 && len(g.rec.Summaries) == 0 {
		what := "no finished run"
		if len(g.rec.Damage) > 0 {
			what += ": " + g.rec.Damage[0].String()
		}
		return nil, usagef("", "%s holds %s", path, what)
	}
	return g, nil
}
