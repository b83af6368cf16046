package cli

import (
	"fmt"
	"slices"
	"strings"

	ucli "github.com/urfave/cli/v2"

	"microcost/compare"
	"microcost/report"
	"microcost/workload/recording"
	"microcost/workload/recording/importer"
)

const compareDescription = `Compares recordings, the base first. Besides those of microcost it reads what other
tools write, by content: perf stat (text of any age, -x, -j, -I), perf bench sched,
hackbench, hyperfine --export-json, the Go benchmark format, and CSV.

Each file is one variant, called by its label or by the file's name. What else differs
between the sides is listed; what spoils the comparison (another processor, governor,
workload, events) is refused unless --force.

One boot each decides nothing: the next boot of the same kernel may differ as much.
Three boots of each side and more are judged as docs/statistics.md says.`

func (w *World) compareCommand() *ucli.Command {
	return &ucli.Command{
		Name:        "compare",
		Usage:       "compare recordings, and other tools' results",
		UsageText:   "microcost compare [flags] BASE FILE ...",
		Description: compareDescription,
		Flags: slices.Concat([]ucli.Flag{
			&ucli.BoolFlag{Name: "force", Usage: "compare even though something that spoils the comparison differs, or a recording is there twice", DisableDefaultText: true},
			&ucli.BoolFlag{Name: "merge", Usage: "files of the same label are one variant (several boots, each in its file)", DisableDefaultText: true},
			&ucli.StringFlag{Name: "split-by", Usage: "take variants from inside the files, by `KEY`: label"},
			&ucli.StringSliceFlag{Name: "filter", Usage: "use only sessions for which `KEY=TEXT` holds: label, kernel, host, boot, cpu or workload (repeatable)"},
			&ucli.StringFlag{Name: "by", Usage: "give a verdict for each value of `KEY` and one for all together: host"},
			&ucli.IntFlag{Name: "runs-of", Usage: "take a mean for that of `N` runs where the file does not tell (perf stat -r with -x or -j)"},
		}, judgeFlags(), showFlags()),
		Action: w.compareAction,
	}
}

func (w *World) compareAction(c *ucli.Context) error {
	o := &abOptions{decide: c.Bool("require-decision")}
	var err error
	if o.show, err = readShow(c); err != nil {
		return err
	}
	if err := o.readJudge(c); err != nil {
		return err
	}
	if by := c.String("by"); c.IsSet("by") && by != "host" {
		return usagef("--by host", "--by %q is not something to group by", by)
	}
	if key := c.String("split-by"); c.IsSet("split-by") && key != "label" {
		return usagef("--split-by label", "--split-by %q is not something to split by", key)
	}
	keep, err := readFilters(c.StringSlice("filter"))
	if err != nil {
		return err
	}
	if c.NArg() == 0 {
		return usagef("microcost compare base.json patched.json", "no file given")
	}
	for _, a := range c.Args().Slice() {
		if strings.HasPrefix(a, "-") {
			return usagef("flags go before the files", "%q stands where a file is expected", a)
		}
	}
	in := &comparing{all: newGathering(), keep: keep, runs: c.Int("runs-of"), paths: c.Args().Slice()}
	in.inside = c.IsSet("split-by") || len(in.paths) == 1
	in.merge, in.force = c.Bool("merge"), c.Bool("force")
	if c.IsSet("by") {
		in.hosts = map[string]*gathering{}
	}
	if err := in.read(); err != nil {
		return err
	}
	judge := recording.Judge{Alpha: o.judge.Alpha, Primary: o.judge.Primary, Thresholds: o.threshold}
	if o.show.format == "text" {
		for _, host := range in.order {
			w.presentHost(host, in.hosts[host], judge, o.show)
		}
		if in.order != nil {
			fmt.Fprintln(w.Stdout, "== all hosts ==")
		}
	}
	in.all.rec.Sessions[0].Judge = judge
	cmp, err := w.presentGathered(in.all, in.differences, in.notes, o.show)
	if err != nil {
		return &UsageError{Msg: err.Error()}
	}
	for _, cond := range o.failOn {
		if cmp != nil && !slices.ContainsFunc(cmp.Metrics, func(m compare.MetricResult) bool { return m.Metric.Name == cond.Metric && m.Metric.Absent == "" }) {
			return &MeasureError{Msg: fmt.Sprintf("--fail-on: %s was not measured on both sides", cond.Metric)}
		}
	}
	return w.decide(cmp, o.failOn, o.decide)
}

// presentHost shows the verdict of one machine by itself.
func (w *World) presentHost(host string, g *gathering, judge recording.Judge, o showOptions) {
	if host == "" {
		host = "a machine that is not known"
	}
	fmt.Fprintf(w.Stdout, "== host %s ==\n", report.Printable(host))
	g.rec.Sessions[0].Judge = judge
	if _, err := w.presentGathered(g, nil, nil, o); err != nil {
		fmt.Fprintf(w.Stdout, "%s\n", report.Printable(err.Error()))
	}
	fmt.Fprintln(w.Stdout)
}

// importFile reads a recording or another tool's file.
func (w *World) importFile(path string, runs int) (*recording.Recording, error) {
	f, err := open(path, "microcost record -o FILE -- CMD makes one")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rec, err := importer.Import(f, importer.Options{Runs: runs})
	if err != nil {
		return nil, &UsageError{Msg: fmt.Sprintf("%s: %v", path, err)}
	}
	return rec, nil
}

// readFilters reads KEY=TEXT conditions on sessions; all must hold.
func readFilters(list []string) (func(*recording.Session) bool, error) {
	keys := map[string]func(*recording.Session) string{
		"label":    func(s *recording.Session) string { return s.Variants[0].Label },
		"kernel":   func(s *recording.Session) string { return s.Env.Kernel },
		"host":     func(s *recording.Session) string { return s.Env.Host },
		"boot":     func(s *recording.Session) string { return s.Env.BootID },
		"cpu":      func(s *recording.Session) string { return s.Env.CPU },
		"workload": func(s *recording.Session) string { return s.Variants[0].Text },
	}
	type condition struct {
		of   func(*recording.Session) string
		text string
	}
	var all []condition
	for _, f := range list {
		key, text, ok := strings.Cut(f, "=")
		of := keys[key]
		if !ok || of == nil {
			return nil, usagef("label, kernel, host, boot, cpu or workload", "--filter %s is not of the form KEY=TEXT with a key that is known", f)
		}
		all = append(all, condition{of, text})
	}
	if all == nil {
		return nil, nil
	}
	return func(s *recording.Session) bool {
		for _, c := range all {
			if len(s.Variants) == 0 || c.of(s) != c.text {
				return false
			}
		}
		return true
	}, nil
}
