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

	"microcost/perfctr"
	"microcost/workload"
	"microcost/workload/recording"
)

const recordDescription = `Measures one command (or a built-in workload, or a running system over a window)
and keeps every run in a file, to be compared later: after a reboot, with another
kernel, on another machine. microcost compare does that.

   microcost record -o base.json -- ./pipe-test      on the first kernel
   microcost record -o patched.json -- ./pipe-test   after the reboot
   microcost compare base.json patched.json

--append adds a session to a file, for example the next boot of the same kernel:
three boots of each kernel and more are what a verdict needs.`

// recordRuns is how many runs a recording has when nothing was said.
const recordRuns = 20

// A recordPlan is what record asks for beside what ab asks for.
type recordPlan struct {
	add      bool // to a file that exists
	force    bool
	private  bool
	labelled bool // by the user
	target   perfctr.Target
}

func (w *World) recordCommand() *ucli.Command {
	accept := &acceptFlag{}
	return &ucli.Command{
		Name:        "record",
		Usage:       "measure one command now, to be compared later",
		UsageText:   "microcost record [flags] -o FILE 'CMD'\nmicrocost record [flags] -o FILE -- CMD args",
		Description: recordDescription,
		Flags:       recordFlags(accept),
		Action: func(c *ucli.Context) error {
			o, err := w.recordOptions(c, accept)
			return w.carryOut(c.Context, o, err)
		},
	}
}

// recordFlags are those of ab that make sense for one variant, and record's own.
func recordFlags(accept *acceptFlag) []ucli.Flag {
	not := []string{"aa", "label", "env-a", "env-b", "until", "alpha", "primary", "threshold", "fail-on", "require-decision"}
	not = append(not, schedOnlyAB...)
	for _, h := range hookNames {
		not = append(not, h.name+"-a", h.name+"-b")
	}
	own := []ucli.Flag{
		&ucli.StringFlag{Name: "label", Category: catRun, Usage: "call the variant `NAME` in comparisons (default: the name of the file)"},
		&ucli.BoolFlag{Name: "append", Category: catShow, Usage: "add a session to the file, such as the next boot", DisableDefaultText: true},
		&ucli.BoolFlag{Name: "force", Category: catShow, Usage: "append even though something that spoils a comparison differs", DisableDefaultText: true},
		&ucli.BoolFlag{Name: "private", Category: catShow, Usage: "keep host name, user and the whole environment too", DisableDefaultText: true},
		&ucli.StringFlag{Name: "window", Category: catCount, Usage: "run nothing, count for `D` (with --pid, --system-wide, --cpu-target or --cgroup)"},
		&ucli.IntFlag{Name: "pid", Category: catCount, Usage: "count the running process `PID`, all its threads and what they start"},
		&ucli.BoolFlag{Name: "system-wide", Category: catCount, Usage: "count everything on all CPUs", DisableDefaultText: true},
		&ucli.StringFlag{Name: "cpu-target", Category: catCount, Usage: "count everything on the CPUs of `LIST`"},
		&ucli.StringFlag{Name: "cgroup", Category: catCount, Usage: "count the tasks of the control group `NAME`"},
	}
	for _, f := range abFlags(accept) {
		if !slices.Contains(not, f.Names()[0]) {
			own = append(own, f)
		}
	}
	return own
}

func (w *World) recordOptions(c *ucli.Context, accept *acceptFlag) (*abOptions, error) {
	o := &abOptions{accept: accept.accept, warmup: c.Int("warmup"), output: c.String("output"), quiet: c.Bool("quiet")}
	o.record = &recordPlan{add: c.Bool("append"), force: c.Bool("force"), private: c.Bool("private")}
	if o.output == "" {
		return nil, usagef("microcost record -o base.json -- CMD", "record needs a file: -o FILE")
	}
	if err := o.readTarget(c); err != nil {
		return nil, err
	}
	v, err := o.recordVariant(w, c)
	if err != nil {
		return nil, err
	}
	if t := o.record.target; t.Kind != perfctr.OnExec && v.Window == 0 {
		v.Text = fmt.Sprintf("%s during %s", t, v.Text)
	}
	if v.Label = c.String("label"); v.Label != "" {
		o.record.labelled = true
	} else {
		v.Label = strings.TrimSuffix(filepath.Base(o.output), filepath.Ext(o.output))
	}
	o.variants = []workload.Variant{v}
	if err := o.readCommon(c); err != nil {
		return nil, err
	}
	if o.show, err = readShow(c); err != nil {
		return nil, err
	}
	// Nothing is compared yet, so there is no floor to wait for.
	if o.stop.quick {
		o.stop = stopRule{runs: recordRuns}
		if v.Window > 0 {
			o.stop = stopRule{runs: 1, eachTurn: true}
		}
	}
	if v.Window > 0 {
		o.warmup = 0
	}
	return o, nil
}

// recordVariant is what is measured.
func (o *abOptions) recordVariant(w *World, c *ucli.Context) (workload.Variant, error) {
	const usage = "microcost record -o FILE -- CMD args"
	if c.IsSet("window") {
		d, err := parseDuration(c.String("window"))
		switch {
		case err != nil || d <= 0:
			return workload.Variant{}, usagef("--window 10s", "--window %s is not a length of time", c.String("window"))
		case o.record.target.Kind == perfctr.OnExec:
			return workload.Variant{}, usagef("--pid, --system-wide, --cpu-target or --cgroup", "--window does not say what to count")
		case c.NArg() > 0 || len(c.StringSlice("workload")) > 0:
			return workload.Variant{}, usagef("leave one of them out", "--window runs nothing, but a command is given too")
		}
		return workload.Variant{Text: fmt.Sprintf("%s for %v", o.record.target, d), Window: d}, nil
	}
	builtin, err := builtinVariants(c)
	if err != nil {
		return workload.Variant{}, err
	}
	if builtin != nil {
		if len(c.StringSlice("workload")) > 1 {
			return workload.Variant{}, usagef("microcost ab compares two", "record measures one workload")
		}
		return builtin[0], nil
	}
	list, err := commands(w.Args, c.Args().Slice(), c.Bool("shell"), usage)
	if err != nil {
		return workload.Variant{}, err
	}
	if len(list) != 1 {
		return workload.Variant{}, usagef("behind -- a command and its arguments are separate words: "+usage, "record measures one command, not %d", len(list))
	}
	return list[0], nil
}

// readTarget reads what is counted instead of the command itself.
func (o *abOptions) readTarget(c *ucli.Context) error {
	o.record.target = perfctr.Command()
	var given []string
	if c.IsSet("pid") {
		given = append(given, "--pid")
		if c.Int("pid") < 1 {
			return usagef("--pid 1234", "--pid %d is not a process", c.Int("pid"))
		}
		o.record.target = perfctr.Process(c.Int("pid"))
	}
	if c.Bool("system-wide") {
		given = append(given, "--system-wide")
		o.record.target = perfctr.CPUs()
	}
	var cpus []int
	if c.IsSet("cpu-target") {
		var err error
		if cpus, err = parseCPUs(c.String("cpu-target")); err != nil {
			return usagef("--cpu-target 0,2-3", "--cpu-target: %v", err)
		}
		if !c.IsSet("cgroup") {
			given = append(given, "--cpu-target")
		}
		o.record.target = perfctr.CPUs(cpus...)
	}
	if c.IsSet("cgroup") {
		given = append(given, "--cgroup")
		if c.String("cgroup") == "" {
			return usagef("--cgroup NAME", "--cgroup is empty")
		}
		o.record.target = perfctr.Cgroup(c.String("cgroup"), cpus...)
	}
	if len(given) > 1 {
		return usagef("give one of them", "%s contradict each other", strings.Join(given, " and "))
	}
	if len(given) == 1 && len(c.StringSlice("workload")) > 0 {
		return usagef("leave one of them out", "a built-in workload counts itself: %s does not go with --workload", given[0])
	}
	return nil
}

// appendTo opens a file that a session is to be added to; one that is not there
// yet is made.
func (s *session) appendTo(path string) (*recording.Writer, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return recording.Create(path)
	}
	var last *recording.Session
	if err == nil {
		defer f.Close()
		err = recording.Scan(f, recording.Visitor{Session: func(s recording.Session) error { last = &s; return nil }})
	}
	if err != nil {
		return nil, usagef("--append adds to a recording", "reading %s: %v", path, reason(err))
	}
	if err := s.checkAppend(last); err != nil {
		return nil, err
	}
	w, err := recording.OpenAppend(path)
	if err == nil {
		s.rec.ID = w.NextSession()
	}
	return w, err
}

// checkAppend compares the new session with the last one of the file.
func (s *session) checkAppend(last *recording.Session) error {
	if last == nil {
		return nil
	}
	if len(last.Variants) != 1 {
		return usagef("record makes files of one variant; ab files are complete", "%s holds %d variants", s.o.output, len(last.Variants))
	}
	if !s.o.record.labelled {
		s.rec.Variants[0].Label = last.Variants[0].Label
	}
	if s.o.record.force {
		return nil
	}
	for _, d := range recording.Differences(last, &s.rec) {
		if d.Class == recording.Spoiling {
			return usagef("--force appends all the same", "%s was recorded differently: %s was %s, is %s", s.o.output, d.Field, d.A, d.B)
		}
	}
	return nil
}
