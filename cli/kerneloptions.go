package cli

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	ucli "github.com/urfave/cli/v2"

	"microcost/workload"
	"microcost/workload/guest"
	"microcost/workload/sched"
)

// kernelOptions are what one kernel command line asks for, checked as far as it
// can be without booting.
type kernelOptions struct {
	kernels  []guest.Kernel
	configs  [][]byte // by kernel; nil: what the guest says
	machine  guest.Machine
	append   string
	plan     guest.Plan
	counters bool // a PMU's are asked for by default: a guest without one cannot give what the engine is for
	files    []guest.File
	runs     []string // programs on this machine that the guest runs
	jobs     int
	limits   guest.Timeouts
	seed     uint64
	cpuText  string
	boots    int
	maxBoots int
	until    map[string]float64

	judging abOptions // judge, threshold, failOn, decide
	output  string
	show    showOptions
	quiet   bool
}

const kernelUsage = "microcost kernel [flags] --workload pipe A/bzImage B/bzImage, or microcost kernel [flags] A/bzImage B/bzImage -- CMD args"

func (w *World) kernelOptions(c *ucli.Context) (*kernelOptions, error) {
	o := &kernelOptions{output: c.String("output"), quiet: c.Bool("quiet"), append: c.String("append")}
	if o.seed = c.Uint64("seed"); !c.IsSet("seed") {
		o.seed = uint64(rand.Uint32())
	}
	parts := split(c.Args().Slice(), "--")
	images := parts[0]
	var argv []string
	if len(parts) > 1 {
		argv = c.Args().Slice()[len(images)+1:] // a later -- is the command's own
	}
	for _, step := range []func() error{
		func() error { return o.readImages(c, images) },
		func() error { return o.readMachine(c) },
		func() error { return o.readWork(w, c, argv) },
		func() error { return o.readKernelStop(c) },
		func() error { return o.judging.readJudge(c) },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	o.judging.decide = c.Bool("require-decision")
	var err error
	if o.show, err = readShow(c); err != nil {
		return nil, err
	}
	if c.IsSet("output") && o.output == "" {
		return nil, usagef("-o FILE", "--output names no file")
	}
	return o, nil
}

// readImages reads the kernels and what is said of each.
func (o *kernelOptions) readImages(c *ucli.Context, paths []string) error {
	if len(paths) < 2 {
		return usagef(kernelUsage+"; the same image twice shows the noise", "%d kernels given: a comparison needs at least two", len(paths))
	}
	labels := c.StringSlice("label")
	if len(labels) > len(paths) {
		return usagef("give at most one --label for each kernel", "%d labels for %d kernels", len(labels), len(paths))
	}
	for i, p := range paths {
		if strings.HasPrefix(p, "-") {
			return usagef("flags go before the kernels: "+kernelUsage, "%q stands where a kernel is expected", p)
		}
		im, err := guest.ReadImage(p)
		if err != nil {
			var ie *guest.ImageError
			if errors.As(err, &ie) {
				return &UsageError{Msg: ie.Error(), Hint: ie.Hint}
			}
			return err
		}
		k := guest.Kernel{Label: workload.Label(i), Image: im}
		if i < len(labels) {
			k.Label = labels[i]
		}
		for _, before := range o.kernels {
			if before.Image.Arch != im.Arch {
				return usagef("build both for one architecture", "%s is an %s kernel and %s an %s one: they cannot be compared", before.Image.Path, before.Image.Arch, p, im.Arch)
			}
			if before.Label == k.Label {
				return usagef("give every kernel its own", "two kernels are labelled %q", k.Label)
			}
		}
		config := ""
		if i < 2 {
			own := string(rune('a' + i))
			k.Append, config = c.String("append-"+own), c.String("config-"+own)
		}
		text, err := kernelConfig(p, config)
		if err != nil {
			return err
		}
		o.kernels, o.configs = append(o.kernels, k), append(o.configs, text)
	}
	return nil
}

// kernelConfig is the configuration given, or one that lies where kernels and
// their configurations lie together: config-VERSION beside vmlinuz-VERSION, and
// .config above arch/ARCH/boot. Nil when there is none.
func kernelConfig(image, given string) ([]byte, error) {
	if given != "" {
		text, err := os.ReadFile(given)
		if err != nil {
			return nil, usagef("--config-a FILE", "the configuration %s: %v", given, reason(err))
		}
		return text, nil
	}
	dir, base := filepath.Split(image)
	candidates := []string{image + ".config"}
	if _, version, ok := strings.Cut(base, "-"); ok {
		candidates = append(candidates, filepath.Join(dir, "config-"+version))
	}
	if boot := filepath.Clean(dir); filepath.Base(boot) == "boot" {
		candidates = append(candidates, filepath.Join(boot, "..", "..", "..", ".config"))
	}
	for _, name := range candidates {
		if text, err := os.ReadFile(name); err == nil && strings.Contains(string(text), "CONFIG_") {
			return text, nil
		}
	}
	return nil, nil
}

func (o *kernelOptions) readMachine(c *ucli.Context) error {
	o.machine = guest.Machine{Engine: guest.Engine(c.String("engine")), CPUs: c.Int("smp")}
	switch o.machine.Engine {
	case guest.Emulate, guest.KVM:
	default:
		return usagef("emulate or kvm", "--engine %q is none", o.machine.Engine)
	}
	if o.machine.CPUs < 1 || o.machine.CPUs > 255 {
		return usagef("--smp 4", "--smp %d is not a number of CPUs from 1 to 255", o.machine.CPUs)
	}
	var err error
	if o.machine.Memory, err = mebibytes(c.String("memory")); err != nil {
		return usagef("--memory 512M or --memory 2G", "--memory: %v", err)
	}
	o.jobs = c.Int("jobs")
	switch {
	case c.IsSet("jobs") && o.jobs < 1:
		return usagef("-j 2", "-j %d is not a number of guests", o.jobs)
	case !c.IsSet("jobs") && o.machine.Engine == guest.KVM:
		o.jobs = 1 // guests on real processors disturb each other
	case !c.IsSet("jobs"):
		o.jobs = min(runtime.NumCPU(), 8)
	}
	for name, to := range map[string]*time.Duration{"boot-timeout": &o.limits.Boot, "timeout": &o.limits.Run} {
		if *to, err = parseDuration(c.String(name)); err != nil || *to <= 0 {
			return usagef("--"+name+" 60s", "--%s %s is not a time limit", name, c.String(name))
		}
	}
	return nil
}

// mebibytes reads a size such as 512M or 2G, a plain number being MiB.
func mebibytes(s string) (int, error) {
	unit := 1
	number := s
	switch {
	case strings.HasSuffix(s, "G"):
		unit, number = 1024, s[:len(s)-1]
	case strings.HasSuffix(s, "M"):
		number = s[:len(s)-1]
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > 1<<24 {
		return 0, fmt.Errorf("%q is not a size such as 512M or 2G", s)
	}
	if n*unit < 64 {
		return 0, fmt.Errorf("%s is too small for a kernel and its initramfs", s)
	}
	return n * unit, nil
}

// readWork reads what runs in the guest.
func (o *kernelOptions) readWork(w *World, c *ucli.Context, argv []string) error {
	o.plan = guest.Plan{WarmUp: c.Int("warmup"), Repeats: c.Int("repeats"), Timeout: o.limits.Run}
	if o.plan.Repeats < 1 || o.plan.Repeats > maxRuns {
		return usagef("--repeats 5", "--repeats %d is not a number of runs", o.plan.Repeats)
	}
	if o.plan.WarmUp < 0 || o.plan.WarmUp > maxWarmUps {
		return usagef("--warmup 0 makes none", "--warmup %d is not a number of runs", o.plan.WarmUp)
	}
	if c.IsSet("cpu") {
		var err error
		if o.plan.CPUs, err = parseCPUs(c.String("cpu")); err != nil || o.plan.CPUs[len(o.plan.CPUs)-1] >= o.machine.CPUs {
			return usagef(fmt.Sprintf("the guest has the CPUs 0-%d; --smp gives it more", o.machine.CPUs-1), "--cpu %s is not a list of the guest's CPUs", c.String("cpu"))
		}
		o.cpuText = cpuList(o.plan.CPUs)
	}
	if err := checkEnv(c.StringSlice("env")); err != nil {
		return usagef("--env NAME=VALUE", "--env: %v", err)
	}
	if err := o.readAdd(c.StringSlice("add")); err != nil {
		return err
	}
	o.plan.Events = append(c.StringSlice("event"), c.StringSlice("e")...)
	if len(o.plan.Events) == 0 {
		o.plan.Events = []string{o.defaultEvents()}
		o.counters = o.machine.Engine == guest.KVM
	}
	text := c.String("workload")
	switch {
	case text != "" && len(argv) > 0:
		return usagef("leave one of them out", "both --workload and a command behind -- are given")
	case text != "":
		spec, err := sched.ParseText(text)
		if err != nil {
			return workloadError("--workload: ", err)
		}
		if o.machine.Engine == guest.Emulate {
			spec = shorter(spec, text)
		}
		o.plan.Variant = workload.Builtin(spec)
	case len(argv) > 0:
		if err := o.readCommand(w, argv); err != nil {
			return err
		}
	default:
		return usagef(kernelUsage, "nothing to run is given")
	}
	o.plan.Variant.Env = c.StringSlice("env")
	return nil
}

// defaultEvents are what is counted in a guest. They are few: each adds to the
// work of a context switch, and each takes its share of alpha.
func (o *kernelOptions) defaultEvents() string {
	wake := ",sched:sched_wakeup,sched:sched_switch"
	if o.machine.CPUs > 1 {
		wake += ",cpu-migrations"
	}
	switch {
	case o.machine.Engine == guest.KVM:
		return "instructions,cycles,branches,branch-misses,task-clock" + wake
	case o.kernels[0].Image.Arch == guest.ARM64:
		return "instructions" + wake
	}
	return "task-clock" + wake
}

// readAdd reads FILE[:PATH].
func (o *kernelOptions) readAdd(list []string) error {
	for _, text := range list {
		source, at, placed := strings.Cut(text, ":")
		st, err := os.Stat(source)
		if err != nil {
			return usagef("--add FILE or --add FILE:PATH", "--add %s: %v", text, reason(err))
		}
		switch {
		case placed && !strings.HasPrefix(at, "/"):
			return usagef("--add FILE:/PATH", "--add %s: the place in the guest must be absolute", text)
		case placed && strings.HasSuffix(at, "/") && !st.IsDir():
			at = path.Join(at, filepath.Base(source))
		case !placed && st.Mode().IsRegular() && st.Mode()&0o111 != 0:
			at = "/bin/" + filepath.Base(source)
		case !placed:
			at = "/" + filepath.Base(source)
		}
		at = path.Clean(at)
		if slices.Contains([]string{"/", "/init", "/dev", "/proc", "/sys"}, at) {
			return usagef("choose another place", "--add %s: %s is the guest's own", text, at)
		}
		o.files = append(o.files, guest.File{Source: source, Path: at})
	}
	return nil
}

// readCommand finds the command's program: among the files added, or on this
// machine, from where it is then added too.
func (o *kernelOptions) readCommand(w *World, argv []string) error {
	v := workload.Variant{Label: "A", Argv: slices.Clone(argv), Text: shellJoin(argv)}
	name := argv[0]
	for _, f := range o.files {
		if f.Path == name || !strings.Contains(name, "/") && slices.Contains([]string{"/bin", "/usr/bin", "/usr/local/bin"}, path.Dir(f.Path)) && path.Base(f.Path) == name {
			o.runs = append(o.runs, f.Source)
			o.plan.Variant = v
			return nil
		}
	}
	found, err := workload.LookPath(name, "", w.getenv("PATH"))
	if err != nil {
		var nf *workload.NotFoundError
		if errors.As(err, &nf) {
			return &UsageError{Msg: nf.Error(), Hint: "it is looked for among the files of --add, then on this machine"}
		}
		return err
	}
	v.Argv[0] = "/bin/" + filepath.Base(found)
	o.files = append(o.files, guest.File{Source: found, Path: v.Argv[0]})
	o.runs = append(o.runs, found)
	o.plan.Variant = v
	return nil
}

func (o *kernelOptions) readKernelStop(c *ucli.Context) error {
	o.boots, o.maxBoots = c.Int("boots"), c.Int("max-boots")
	if o.boots < 1 || o.boots > 10_000 {
		return usagef("--boots 5", "--boots %d is not a number of boots", o.boots)
	}
	var err error
	if o.until, err = readUntil(c.StringSlice("until"), "instructions/op"); err != nil {
		return err
	}
	if len(o.until) > 0 && o.maxBoots < o.boots {
		return usagef("--max-boots 40", "--max-boots %d is less than the first %d boots", o.maxBoots, o.boots)
	}
	return nil
}
