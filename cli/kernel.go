package cli

import (
	"slices"

	ucli "github.com/urfave/cli/v2"

	"microcost/workload/guest"
)

const kernelDescription = `Boots the kernels in QEMU, several times each in random order, runs the workload
inside, and compares what it cost: per operation and per wakeup, with the boot as
the unit. The first kernel is the base.

A kernel is a bzImage, an arm64 Image (also gzipped or in an EFI zboot wrapper) or
a vmlinux; the right QEMU is looked up. The engine "emulate" counts instructions
exactly on any machine, without a PMU and whatever else the machine does; there are
no caches and no branch predictor in it. The engine "kvm" has the processor's
counters, where the host has a PMU for its guests.

The guest is this program as the first process of an initramfs. --add puts further
files into it. A command behind -- is taken from this machine, with its libraries.

EXIT STATUS
   0  measured; no --fail-on condition holds
   1  a --fail-on condition holds
   2  the command line or an image is wrong; nothing was booted
   3  a kernel did not boot, or a run failed; finished runs are kept
   4  --require-decision, and a verdict is undecided

EXAMPLES
   microcost kernel --workload pipe base/bzImage patched/bzImage
   microcost kernel --boots 10 --primary instructions/wakeup --workload pipe A/Image B/Image
   microcost kernel --workload messaging --append-b preempt=full bzImage bzImage
   microcost kernel --smp 4 A/bzImage B/bzImage -- ./my-benchmark --short`

func (w *World) kernelCommand() *ucli.Command {
	return &ucli.Command{
		Name:        "kernel",
		Usage:       "boot two kernels in QEMU and compare them exactly",
		UsageText:   "microcost kernel [flags] --workload NAME A B\nmicrocost kernel [flags] A B -- CMD args",
		Description: kernelDescription,
		Flags:       kernelFlags(),
		Action: func(c *ucli.Context) error {
			o, err := w.kernelOptions(c)
			if err != nil {
				return err
			}
			defer w.catch()()
			s, err := w.newKernelSession(c.Context, o)
			if err != nil {
				return err
			}
			return s.run(c.Context)
		},
	}
}

const catBoot = "Booting"

func kernelFlags() []ucli.Flag {
	return slices.Concat([]ucli.Flag{
		&ucli.StringSliceFlag{Name: "event", Category: catCount, Usage: "count the events of `LIST` in the guest instead of the default ones, as perf stat -e takes them (repeatable, also -e)"},
		&ucli.StringSliceFlag{Name: "e", Category: catCount, Hidden: true},

		&ucli.StringFlag{Name: "workload", Category: catRun, Usage: "run the built-in workload `NAME[,KEY=VALUE...]`, such as pipe or messaging,groups=4"},
		&ucli.StringSliceFlag{Name: "add", Category: catRun, Usage: "put `FILE[:PATH]` into the guest: a program into /bin, anything else into /, or where PATH says (repeatable)"},
		&ucli.StringSliceFlag{Name: "env", Category: catRun, Usage: "set the environment variable `K=V` for the command (repeatable)"},
		&ucli.IntFlag{Name: "repeats", Aliases: []string{"r"}, Category: catRun, Value: 5, Usage: "make `N` runs in each boot"},
		&ucli.IntFlag{Name: "warmup", Aliases: []string{"w"}, Category: catRun, Value: 1, Usage: "make `N` runs before them, not judged"},
		&ucli.StringFlag{Name: "cpu", Category: catRun, Usage: "pin the runs to the guest's CPUs of `LIST`"},
		&ucli.Uint64Flag{Name: "seed", Category: catRun, Usage: "draw order and perturbations from seed `N`; a random one is shown and kept", DefaultText: "random"},
		&ucli.StringSliceFlag{Name: "label", Category: catRun, Usage: "call a kernel `NAME` instead of A, B, ...: the first is for the first (repeatable)"},
		&ucli.StringFlag{Name: "timeout", Category: catRun, Value: "5m", Usage: "give up a guest whose run takes longer than `D`"},

		&ucli.StringFlag{Name: "engine", Category: catBoot, Value: string(guest.Emulate), Usage: "`ENGINE` is emulate or kvm"},
		&ucli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Category: catBoot, Usage: "boot `N` guests at a time (default: one for each CPU of this machine, at most 8; with kvm 1)", DefaultText: "by CPUs"},
		&ucli.IntFlag{Name: "smp", Category: catBoot, Value: 1, Usage: "give the guest `N` CPUs"},
		&ucli.StringFlag{Name: "memory", Category: catBoot, Value: "512M", Usage: "give the guest this much memory: `SIZE` such as 512M or 2G"},
		&ucli.StringFlag{Name: "append", Category: catBoot, Usage: "add `WORDS` to the kernels' command line"},
		&ucli.StringFlag{Name: "append-a", Category: catBoot, Usage: "add `WORDS` to that of A alone"},
		&ucli.StringFlag{Name: "append-b", Category: catBoot, Usage: "add `WORDS` to that of B alone"},
		&ucli.StringFlag{Name: "config-a", Category: catBoot, Usage: "the configuration of A is `FILE` (default: what the kernel holds, or a config beside the image)"},
		&ucli.StringFlag{Name: "config-b", Category: catBoot, Usage: "the configuration of B is `FILE`"},
		&ucli.StringFlag{Name: "boot-timeout", Category: catBoot, Value: "60s", Usage: "give up a kernel that shows no sign of life for `D`"},

		&ucli.IntFlag{Name: "boots", Category: catStop, Value: defaultBoots, Usage: "boot each kernel `N` times"},
		&ucli.StringSliceFlag{Name: "until", Category: catStop, Usage: "boot until a noise floor is low enough: `METRIC=FLOOR`, such as instructions/op=0.01% (repeatable)"},
		&ucli.IntFlag{Name: "max-boots", Category: catStop, Value: 40, Usage: "with --until, at most `N` times each"},

		&ucli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: catShow, Usage: "record every run in this `FILE` (default: last.jsonl under $XDG_STATE_HOME/microcost)"},
		&ucli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Category: catShow, Usage: "show no progress", DisableDefaultText: true},
	}, judgeFlags(), showFlags())
}

// defaultBoots is how often each kernel is booted: three is the least that a
// verdict needs, five halve the floor.
const defaultBoots = 5
