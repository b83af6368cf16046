package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
			&ucli.BoolFlag{Name: "force", Usage: "compare even though something that spoils the comparison differs", DisableDefaultText: true},
			&ucli.BoolFlag{Name: "merge", Usage: "files of the same label are one variant (several boots, each in its file)", DisableDefaultText: true},
			&ucli.StringFlag{Name: "split-by", Usage: "take variants from inside the files, by `KEY`: label"},
			&ucli.StringSliceFlag{Name: "filter", Usage: "use only sessions for which `KEY=TEXT` holds: label, kernel, host, boot, cpu or workload (repeatable)"},
			&ucli.StringFlag{Name: "by", Usage: "give a verdict for each value of `KEY` and one for all together: host"},
			&ucli.IntFlag{Name: "runs-of", Usage: "take a mean for that of `N` runs where the file does not tell (perf stat -r with -x or -j)"},
		}, judgeFlags(), showFlags()),
		Action: w.compareAction,
	}
}

// A side is one variant on its way to a comparison.
type side struct {
	label string
	rec   *recording.Recording
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
	sides, notes, err := w.sides(c, keep)
	if err != nil {
		return err
	}
	diffs, err := differences(sides, c.Bool("force"))
	if err != nil {
		return err
	}
	var parts []*recording.Recording
	for _, s := range sides {
		parts = append(parts, s.rec)
	}
	all := recording.Merge(parts...)
	all.Sessions[0].Judge = recording.Judge{Alpha: o.judge.Alpha, Primary: o.judge.Primary, Thresholds: o.threshold}
	return w.compareAll(c, o, all, diffs, notes)
}

// compareAll judges everything together, and before that each host by itself
// where that was asked for.
func (w *World) compareAll(c *ucli.Context, o *abOptions, all *recording.Recording, diffs []recording.Difference, notes []string) error {
	if c.IsSet("by") && o.show.format == "text" {
		for _, part := range recording.SplitBy(all, recording.ByHost) {
			name := part.Key
			if name == "" {
				name = "a machine that is not known"
			}
			fmt.Fprintf(w.Stdout, "== host %s ==\n", report.Printable(name))
			if len(part.Recording.Sessions) > 0 {
				part.Recording.Sessions[0].Judge = all.Sessions[0].Judge
			}
			if _, err := w.presentWith(part.Recording, nil, nil, o.show); err != nil {
				fmt.Fprintf(w.Stdout, "%s\n", report.Printable(err.Error()))
			}
			fmt.Fprintln(w.Stdout)
		}
		fmt.Fprintln(w.Stdout, "== all hosts ==")
	}
	cmp, err := w.presentWith(all, diffs, notes, o.show)
	if err != nil {
		return &UsageError{Msg: err.Error()}
	}
	for _, cond := range o.failOn {
		if cmp != nil && !slices.ContainsFunc(cmp.Metrics, func(m compare.MetricResult) bool { return m.Metric.Name == cond.Metric && m.Metric.Absent == "" }) {
			return &MeasureError{Msg: fmt.Sprintf("--fail-on: %s was not measured on both sides", cond.Metric)}
		}
	}
	return decide(cmp, o.failOn, o.decide)
}

// sides reads the files and makes variants of them.
func (w *World) sides(c *ucli.Context, keep func(*recording.Session) bool) (list []side, notes []string, err error) {
	byLabel := c.IsSet("split-by")
	for _, path := range c.Args().Slice() {
		rec, err := w.importFile(path, c.Int("runs-of"))
		if err != nil {
			return nil, nil, err
		}
		notes = append(notes, damage(path, rec)...)
		if keep != nil {
			rec = recording.Filter(rec, keep, nil)
		}
		if len(rec.Sessions) == 0 {
			return nil, nil, usagef("--filter keeps nothing of it", "%s has no session left", path)
		}
		parts := recording.SplitBy(rec, recording.ByLabel)
		if len(parts) > 1 && !byLabel && c.NArg() > 1 {
			return nil, nil, usagef("--split-by label takes the variants from inside the files", "%s holds %d variants, and each file is to be one", path, len(parts))
		}
		if c.NArg() == 1 || byLabel {
			// Interleaved variants stay in their session: their blocks are what judges them.
			for _, p := range parts {
				list = append(list, side{label: p.Key})
			}
			list[len(list)-len(parts)].rec = rec
			for i := 1; i < len(parts); i++ {
				list[len(list)-len(parts)+i].rec = &recording.Recording{}
			}
			continue
		}
		list = append(list, side{label: parts[0].Key, rec: rec})
	}
	if !c.Bool("merge") && !byLabel && c.NArg() > 1 {
		rename(list, c.Args().Slice())
	}
	labels := map[string]bool{}
	for _, s := range list {
		labels[s.label] = true
	}
	if len(labels) < 2 {
		return nil, nil, usagef("give the base and what it is compared with", "only one variant: %q", list[0].label)
	}
	return list, notes, nil
}

// rename gives every file's variant a name of its own: its label, the file's
// name where labels are equal, the path where those are equal too.
func rename(list []side, paths []string) {
	unique := func() bool {
		seen := map[string]bool{}
		for _, s := range list {
			if s.label == "" || seen[s.label] {
				return false
			}
			seen[s.label] = true
		}
		return true
	}
	for _, name := range []func(i int) string{
		func(i int) string { return list[i].label },
		func(i int) string {
			return strings.TrimSuffix(filepath.Base(paths[i]), filepath.Ext(paths[i]))
		},
		func(i int) string { return paths[i] },
		func(i int) string { return fmt.Sprintf("%s (%d)", paths[i], i+1) },
	} {
		for i := range list {
			list[i].label = name(i)
		}
		if unique() {
			break
		}
	}
	for i := range list {
		for s := range list[i].rec.Sessions {
			variants := slices.Clone(list[i].rec.Sessions[s].Variants)
			for v := range variants {
				variants[v].Label = list[i].label
			}
			list[i].rec.Sessions[s].Variants = variants
		}
	}
}

// importFile reads a recording or another tool's file.
func (w *World) importFile(path string, runs int) (*recording.Recording, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("microcost record -o FILE -- CMD makes one", "%s does not exist", path)
	}
	if err != nil {
		return nil, &UsageError{Msg: fmt.Sprintf("%s: %v", path, reason(err))}
	}
	defer f.Close()
	rec, err := importer.Import(f, importer.Options{Runs: runs})
	if err != nil {
		return nil, &UsageError{Msg: fmt.Sprintf("%s: %v", path, err)}
	}
	return rec, nil
}

// differences lists what differs between the base and the others. What spoils
// the comparison is an error unless it is forced.
func differences(sides []side, force bool) ([]recording.Difference, error) {
	var all []recording.Difference
	base := sides[0].rec
	if len(base.Sessions) == 0 {
		return nil, nil
	}
	for _, s := range sides[1:] {
		if s.label == sides[0].label || len(s.rec.Sessions) == 0 {
			continue
		}
		for _, d := range recording.Differences(&base.Sessions[0], &s.rec.Sessions[0]) {
			if d.Class == recording.Spoiling && !force {
				return nil, usagef("--force compares all the same", "%s and %s cannot be compared: %s is %s there and %s here",
					sides[0].label, s.label, d.Field, known(d.A), known(d.B))
			}
			if !slices.Contains(all, d) {
				all = append(all, d)
			}
		}
	}
	return all, nil
}

func known(s string) string {
	if s == "" {
		return "absent"
	}
	return s
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
