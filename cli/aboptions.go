package cli

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	ucli "github.com/urfave/cli/v2"

	"microcost/compare"
	"microcost/perfctr"
	"microcost/workload"
)

// abOptions are what one ab command line asks for, checked as far as it can be
// without opening or running anything.
type abOptions struct {
	variants []workload.Variant
	hooks    bool

	background   []string
	sweepMetrics []string // what a sweep compares; nil: there is none
	events       []perfctr.Event
	pack         perfctr.PackOptions

	cpus    []int
	cpuText string
	dir     string
	stdin   string
	stdout  string // path; "" is /dev/null
	inherit bool   // stdout is this program's own
	timeout time.Duration
	accept  func(exit int, signal string) bool
	warmup  int
	seed    uint64

	stop stopRule

	judge     compare.Options
	threshold map[string]string // as written
	failOn    []compare.Condition
	decide    bool

	record *recordPlan // nil: ab
	aa     bool        // the variants are one command, against itself

	output string // "" is the default place
	show   showOptions
	quiet  bool
}

// maxRuns and maxWarmUps only catch slips of the finger.
const (
	maxRuns    = 10_000_000
	maxWarmUps = 1_000_000
)

func (w *World) abOptions(c *ucli.Context, accept *acceptFlag) (*abOptions, error) {
	o := &abOptions{accept: accept.accept, warmup: c.Int("warmup"), output: c.String("output"), quiet: c.Bool("quiet"), decide: c.Bool("require-decision")}
	var err error
	if o.variants, err = builtinVariants(c); err != nil {
		return nil, err
	}
	switch o.aa = c.Bool("aa"); {
	case o.variants != nil && o.aa:
		if len(c.StringSlice("workload")) > 1 {
			return nil, usagef("--aa takes one workload", "--aa sets a workload against itself, but %d are given", len(o.variants))
		}
		o.variants = againstItself(o.variants)
	case o.aa:
		list, err := commands(w.Args, c.Args().Slice(), c.Bool("shell"), "microcost ab --aa 'CMD'")
		if err != nil {
			return nil, err
		}
		if len(list) != 1 {
			return nil, usagef("microcost ab --aa 'CMD'", "--aa sets one command against itself, but %d are given", len(list))
		}
		o.variants = againstItself(list)
	case o.variants == nil:
		if o.variants, err = positional(w.Args, c.Args().Slice(), c.Bool("shell")); err != nil {
			return nil, err
		}
	}
	if err := o.readCommon(c); err != nil {
		return nil, err
	}
	if err := o.readLabels(c); err != nil {
		return nil, err
	}
	if err := o.readJudge(c); err != nil {
		return nil, err
	}
	if err := o.readSweep(c); err != nil {
		return nil, err
	}
	if o.show, err = readShow(c); err != nil {
		return nil, err
	}
	if c.IsSet("output") && o.output == "" {
		return nil, usagef("-o FILE", "--output names no file")
	}
	return o, nil
}

// readCommon reads what ab and record have in common.
func (o *abOptions) readCommon(c *ucli.Context) error {
	if o.warmup < 0 || o.warmup > maxWarmUps {
		return usagef("--warmup 0 makes none", "--warmup %d is not a number of runs", o.warmup)
	}
	o.pack.Multiplex = c.Bool("multiplex")
	if o.seed = c.Uint64("seed"); !c.IsSet("seed") {
		o.seed = uint64(rand.Uint32()) // short enough to type again
	}
	for _, step := range []func(*ucli.Context) error{o.readEvents, o.readEnv, o.readHooks, o.readSched, o.readFiles, o.readTimes} {
		if err := step(c); err != nil {
			return err
		}
	}
	return nil
}

func (o *abOptions) readEvents(c *ucli.Context) error {
	lists := append(c.StringSlice("event"), c.StringSlice("e")...)
	if len(lists) == 0 {
		target := perfctr.Command()
		if o.record != nil {
			target = o.record.target
		}
		o.events = builtinEvents(perfctr.DefaultEvents(target), o.variants, false)
		return nil
	}
	seen := map[string]bool{}
	for _, list := range lists {
		events, err := perfctr.Parse(list)
		if err != nil {
			return eventError(err)
		}
		// Groups are numbered within each list; keep them apart across lists.
		base := 0
		for _, e := range o.events {
			base = max(base, e.Group)
		}
		for _, e := range events {
			if e.Group > 0 {
				e.Group += base
			}
			if seen[e.Name] && !e.Part {
				return usagef("name each event once", "the event %s is asked for twice", e.Name)
			}
			seen[e.Name] = true
			o.events = append(o.events, e)
		}
	}
	o.events = builtinEvents(o.events, o.variants, true)
	return nil
}

// eventError words a mistake in an event list.
func eventError(err error) error {
	var p *perfctr.ParseError
	if errors.As(err, &p) {
		return &UsageError{Msg: p.Error(), Hint: p.Hint()}
	}
	return &UsageError{Msg: err.Error()}
}

func (o *abOptions) readLabels(c *ucli.Context) error {
	labels := c.StringSlice("label")
	if len(labels) > len(o.variants) {
		return usagef("give at most one --label for each command", "%d labels for %d commands", len(labels), len(o.variants))
	}
	for i, l := range labels {
		if strings.TrimSpace(l) == "" {
			return usagef("--label NAME", "label %d is empty", i+1)
		}
		o.variants[i].Label = l
	}
	for i := range o.variants {
		for j := range i {
			if o.variants[i].Label == o.variants[j].Label {
				return usagef("give every command its own", "two commands are labelled %q", o.variants[i].Label)
			}
		}
	}
	return nil
}

func (o *abOptions) readEnv(c *ucli.Context) error {
	for name, variants := range map[string][]int{"env": nil, "env-a": {0}, "env-b": {1}} {
		if err := checkEnv(c.StringSlice(name)); err != nil {
			return usagef("--"+name+" NAME=VALUE", "--%s: %v", name, err)
		}
		for _, v := range variants {
			if v < len(o.variants) {
				o.variants[v].Env = c.StringSlice(name)
			}
		}
	}
	all := c.StringSlice("env")
	for i := range o.variants {
		o.variants[i].Env = slices.Concat(all, o.variants[i].Env)
	}
	return nil
}

func (o *abOptions) readHooks(c *ucli.Context) error {
	get := func(name string, variant int) string {
		if variant < 2 {
			own := name + "-" + string(rune('a'+variant))
			if c.IsSet(own) {
				return c.String(own)
			}
		}
		return c.String(name)
	}
	for i := range o.variants {
		h := workload.Hooks{Setup: get("setup", i), Prepare: get("prepare", i), Conclude: get("conclude", i), Cleanup: get("cleanup", i)}
		o.variants[i].Hooks = h
		o.hooks = o.hooks || h != workload.Hooks{}
	}
	return nil
}

func (o *abOptions) readFiles(c *ucli.Context) error {
	if o.dir = c.String("cwd"); o.dir != "" {
		st, err := os.Stat(o.dir)
		if err == nil && !st.IsDir() {
			err = errors.New("not a directory")
		}
		if err != nil {
			return usagef("--cwd DIR", "--cwd %s: %v", o.dir, reason(err))
		}
		if o.dir, err = filepath.Abs(o.dir); err != nil {
			return err
		}
	}
	if o.stdin = c.String("stdin"); o.stdin != "" {
		f, err := os.Open(o.stdin)
		if err != nil {
			return usagef("--stdin FILE", "--stdin %s: %v", o.stdin, reason(err))
		}
		f.Close()
	}
	switch out := c.String("stdout"); out {
	case "null":
	case "inherit":
		o.inherit = true
	case "":
		return usagef("null, inherit or a file", "--stdout is empty")
	default:
		f, err := os.OpenFile(out, os.O_WRONLY|os.O_CREATE, 0o666)
		if err != nil {
			return usagef("null, inherit or a file", "--stdout %s: %v", out, reason(err))
		}
		f.Close()
		o.stdout = out
	}
	if o.cpuText = c.String("cpu"); c.IsSet("cpu") {
		var err error
		if o.cpus, err = parseCPUs(o.cpuText); err != nil {
			return usagef("--cpu 0 or --cpu 0,2-3", "--cpu: %v", err)
		}
		allowed, err := workload.AllowedCPUs()
		if err != nil {
			return err
		}
		for _, cpu := range o.cpus {
			if !slices.Contains(allowed, cpu) {
				return usagef(fmt.Sprintf("usable here: %s", cpuList(allowed)), "--cpu %s: CPU %d is not there or may not be used", o.cpuText, cpu)
			}
		}
		o.cpuText = cpuList(o.cpus)
	}
	return nil
}

// reason is an error without the path that the message has already named.
func reason(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// cpuList writes CPUs as a list of ranges.
func cpuList(cpus []int) string {
	var parts []string
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, fmt.Sprint(cpus[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", cpus[i], cpus[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

func (o *abOptions) readTimes(c *ucli.Context) error {
	var err error
	if c.IsSet("timeout") {
		if o.timeout, err = parseDuration(c.String("timeout")); err != nil || o.timeout <= 0 {
			return usagef("--timeout 30s", "--timeout %s is not a time limit", c.String("timeout"))
		}
	}
	o.stop, err = readStop(c)
	return err
}

func (o *abOptions) readJudge(c *ucli.Context) error {
	o.judge = compare.DefaultOptions
	o.judge.Alpha = c.Float64("alpha")
	if !(o.judge.Alpha > 0 && o.judge.Alpha < 1) {
		return usagef("--alpha 0.05", "--alpha %v is not between 0 and 1", o.judge.Alpha)
	}
	o.judge.Primary = c.String("primary")
	var err error
	if o.threshold, o.judge.Thresholds, err = readThresholds(c.StringSlice("threshold")); err != nil {
		return err
	}
	for _, text := range c.StringSlice("fail-on") {
		cond, err := compare.ParseCondition(text)
		if err != nil {
			return usagef("--fail-on 'instructions>+0.1%' or 'elapsed<-2ms'", "--fail-on: %v", err)
		}
		o.failOn = append(o.failOn, cond)
	}
	return nil
}

// readThresholds reads METRIC=X pairs.
func readThresholds(list []string) (map[string]string, map[string]compare.Threshold, error) {
	texts, amounts := map[string]string{}, map[string]compare.Threshold{}
	for _, text := range list {
		name, value, err := pair(text)
		if err == nil {
			var t compare.Threshold
			t.Amount, t.Absolute, err = compare.ParseAmount(value)
			if err == nil && t.Amount <= 0 {
				err = fmt.Errorf("%q is not above zero", value)
			}
			texts[name], amounts[name] = value, t
		}
		if err != nil {
			return nil, nil, usagef("--threshold instructions=0.1%", "--threshold %s: %v", text, err)
		}
	}
	return texts, amounts, nil
}

// pair splits METRIC=VALUE at the last "=": names of events may hold some.
func pair(s string) (name, value string, err error) {
	i := strings.LastIndexByte(s, '=')
	if i <= 0 || i == len(s)-1 {
		return "", "", errors.New("not of the form METRIC=VALUE")
	}
	return strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+1:]), nil
}
