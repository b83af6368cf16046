package cli

import (
	"strings"

	ucli "github.com/urfave/cli/v2"

	"microcost/workload"
	"microcost/workload/sched"
)

const catSched = "Built-in workloads, settings and load"

// schedFlags are the flags of ab for people who work on the scheduler.
func schedFlags() []ucli.Flag {
	return []ucli.Flag{
		&ucli.StringSliceFlag{Name: "workload", Category: catSched, Usage: "run the built-in workload `NAME[,KEY=VALUE...]` instead of commands, such as pipe or messaging,groups=4; given twice they are A and B"},
		&ucli.StringFlag{Name: "do-a", Category: catSched, Usage: "run `CMD` before each run of A: what makes the machine A (a sysctl, a sched feature)"},
		&ucli.StringFlag{Name: "do-b", Category: catSched, Usage: "run `CMD` before each run of B"},
		&ucli.StringFlag{Name: "undo", Category: catSched, Usage: "run `CMD` at the end, however it ends: what makes the machine as it was"},
		&ucli.StringSliceFlag{Name: "background", Category: catSched, Usage: "keep `LOAD` beside all runs: cpu:N, rt:cpus=LIST,period=D,run=D, or a command (repeatable)"},
		&ucli.StringSliceFlag{Name: "sweep", Category: catSched, Usage: "compare at each value of the workload's parameter: `KEY=V1,V2,...`; several make the product (repeatable)"},
		&ucli.StringSliceFlag{Name: "sweep-metric", Category: catSched, Usage: "compare `METRIC` in a sweep (default: elapsed; repeatable)"},
		&ucli.StringFlag{Name: "policy", Category: catSched, Usage: "run the workload's tasks under `POLICY`: fifo:N, rr:N, batch, idle or nice:N"},
		&ucli.StringFlag{Name: "cgroup", Category: catSched, Usage: "put the workload's tasks into the cgroup `DIR`"},
		&ucli.StringFlag{Name: "uclamp", Category: catSched, Usage: "let the scheduler assume a utilization of the workload's tasks within `MIN:MAX`"},
	}
}

// schedOnlyAB are those of them that need two variants, or mean something else
// to record.
var schedOnlyAB = []string{"do-a", "do-b", "undo", "sweep", "sweep-metric", "cgroup"}

// readSched reads what schedFlags offers, but for --workload and --sweep.
func (o *abOptions) readSched(c *ucli.Context) error {
	if err := o.readPlacement(c); err != nil {
		return err
	}
	for i, name := range []string{"do-a", "do-b"} {
		if !c.IsSet(name) {
			continue
		}
		if strings.TrimSpace(c.String(name)) == "" {
			return usagef("--"+name+" 'sysctl -q kernel.x=1'", "--%s is empty", name)
		}
		h := &o.variants[i].Hooks
		h.Prepare = then(c.String(name), h.Prepare)
		o.variants[i].Text += " after: " + c.String(name)
		o.hooks = true
	}
	if c.IsSet("undo") {
		h := &o.variants[len(o.variants)-1].Hooks
		h.Cleanup = then(h.Cleanup, c.String("undo"))
		o.hooks = true
	}
	for _, text := range c.StringSlice("background") {
		if strings.TrimSpace(text) == "" {
			return usagef("--background cpu:2, --background rt:cpus=0,period=100ms,run=20ms, or --background 'CMD'", "--background is empty")
		}
		load, isLoad, err := sched.ParseLoad(text)
		if err != nil {
			return usagef("--background cpu:2, --background rt:cpus=0,period=100ms,run=20ms, or --background 'CMD'", "--background %v", err)
		}
		if isLoad {
			if err := load.Check(); err != nil {
				return err
			}
		}
		o.background = append(o.background, text)
	}
	return nil
}

// then runs one script after the other; neither needs to be there. A failure of
// the first is one of both.
func then(first, second string) string {
	switch {
	case first == "":
		return second
	case second == "":
		return first
	}
	return "(" + first + "\n) && (" + second + "\n)"
}

// readPlacement gives all workloads the policy, cgroup and clamps asked for.
func (o *abOptions) readPlacement(c *ucli.Context) error {
	names := []string{"cpu", "policy", "uclamp"}
	if o.record == nil {
		names = append(names, "cgroup")
	}
	for _, name := range names {
		if !c.IsSet(name) {
			continue
		}
		for i, v := range o.variants {
			if name == "cpu" && (v.Builtin == nil || len(v.Builtin.Place.CPUs) > 0) {
				continue // commands are pinned by whoever starts them
			}
			if v.Builtin == nil {
				return usagef("--workload NAME, or chrt, nice and the like before a command", "--%s is for built-in workloads, and %s is a command", name, v.Label)
			}
			s, err := v.Builtin.With(name + "=" + c.String(name))
			if err != nil {
				return workloadError("--", err)
			}
			b := workload.Builtin(s)
			o.variants[i].Builtin, o.variants[i].Argv, o.variants[i].Text = b.Builtin, b.Argv, b.Text
		}
	}
	return nil
}
