package guest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"microcost/perfctr"
	"microcost/workload"
	"microcost/workload/machine"
	"microcost/workload/recording"
)

// IsInit says whether this process is the first one of a guest that this package
// booted.
func IsInit(pid int, args []string) bool {
	return pid == 1 && len(args) > 0 && args[0] == "/init"
}

// Init is what the first process of a guest does: it carries out the plan and ends
// the machine. It does not return while the machine runs.
func Init() {
	mount()
	quiet()
	i := &initProcess{out: os.Stdout}
	rawConsole(os.Stdout)
	i.try()
	drainConsole(os.Stdout)
	// Not power-off: that needs ACPI or the like, while the reset that QEMU turns
	// into its end (-no-reboot) works on every kernel.
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_RESTART)
	select {} // the first process must not end
}

// fileSystems are mounted where the kernel has them, in this order. Which are
// missing shows where something needs them.
var fileSystems = []struct{ kind, at string }{
	{"proc", "/proc"},
	{"sysfs", "/sys"},
	{"devtmpfs", "/dev"},
	{"tmpfs", "/dev/shm"},
	{"tmpfs", "/tmp"},
	{"debugfs", "/sys/kernel/debug"},
	{"tracefs", "/sys/kernel/tracing"},
	{"cgroup2", "/sys/fs/cgroup"},
}

func mount() {
	for _, fs := range fileSystems {
		_ = os.MkdirAll(fs.at, 0o755) // in sysfs the directory is there or cannot be made
		_ = unix.Mount(fs.kind, fs.at, fs.kind, 0, "")
	}
}

// quiet lets only the kernel's last words through to the console, so that its
// messages neither cost time in a run nor tear records.
func quiet() {
	const consoleLevel = 8 // SYSLOG_ACTION_CONSOLE_LEVEL; the level goes where a length would
	_, _ = unix.Klogctl(consoleLevel, make([]byte, 1))
}

// rawConsole stops the console from changing what is written to it.
func rawConsole(f *os.File) {
	t, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		return
	}
	t.Oflag &^= unix.OPOST
	t.Lflag &^= unix.ECHO | unix.ICANON | unix.ISIG
	_ = unix.IoctlSetTermios(int(f.Fd()), unix.TCSETS, t)
}

// drainConsole waits until everything has been sent: tcdrain(3).
func drainConsole(f *os.File) { _ = unix.IoctlSetInt(int(f.Fd()), unix.TCSBRK, 1) }

// An initProcess is the guest's side of the channel.
type initProcess struct {
	mu   sync.Mutex
	out  io.Writer
	sent uint64
	kept [][]byte // samples, to be said again
}

// say sends one message.
func (i *initProcess) say(m message) {
	payload, err := json.Marshal(m)
	if err != nil {
		payload, _ = json.Marshal(message{Kind: sayFailed, Text: err.Error()})
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	frame := appendFrame(nil, i.sent, payload)
	i.sent++
	if m.Kind == saySample {
		i.kept = append(i.kept, frame)
	}
	_, _ = i.out.Write(frame)
}

// again repeats the samples, with the numbers that they had: a kernel message may
// have torn one, and the host cannot ask.
func (i *initProcess) again() {
	for _, f := range i.kept {
		_, _ = i.out.Write(f)
	}
}

// try carries the plan out and says how that ended.
func (i *initProcess) try() {
	defer func() {
		if r := recover(); r != nil {
			i.say(message{Kind: sayFailed, Text: fmt.Sprintf("panic in the guest: %v", r)})
		}
	}()
	err := i.run()
	i.again()
	if err != nil {
		i.say(message{Kind: sayFailed, Text: err.Error()})
		return
	}
	i.say(message{Kind: sayEnd, Samples: len(i.kept)})
}

func (i *initProcess) run() error {
	var plan bootPlan
	data, err := os.ReadFile(planFile)
	if err == nil {
		err = json.Unmarshal(data, &plan)
	}
	if err != nil {
		return fmt.Errorf("reading the plan: %w", err)
	}
	if plan.Protocol != protocol {
		return fmt.Errorf("the guest's program speaks version %d, the host's %d: build both from the same source", protocol, plan.Protocol)
	}
	packing, events, err := prepare(plan.Plan)
	if err != nil {
		return err
	}
	version, _ := os.ReadFile("/proc/version")
	hello := &Hello{
		Protocol: protocol, Version: strings.TrimSpace(string(version)),
		Env: machine.Fingerprint(os.DirFS("/")), Events: events,
	}
	rng := rand.New(rand.NewPCG(plan.Seed, 0x70617573)) // another stream than the schedule's
	left := plan.Repeats
	started := time.Now()
	runner, err := workload.NewRunner(workload.Config{
		Variants: []workload.Variant{plan.Variant},
		Schedule: workload.Schedule{Seed: plan.Seed, Variants: 1},
		WarmUp:   plan.WarmUp, Counters: packing,
		Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin:/sbin:/usr/sbin", "HOME=/", "LANG=C"}, Dir: "/",
		CPUs: plan.CPUs, Timeout: plan.Timeout, Origin: started,
		Next: func(int) int { n := left; left = 0; return n },
		Sample: func(s recording.Sample) error {
			i.say(message{Kind: saySample, Sample: &s})
			return nil
		},
		Between: func(workload.Slot) { time.Sleep(time.Duration(rng.Int64N(int64(maxPause)))) },
		Notice:  func(text string) { i.say(message{Kind: sayNote, Text: text}) },
	})
	if err != nil {
		return err
	}
	i.say(message{Kind: sayHello, Hello: hello})
	for _, advice := range packing.Advice(perfctr.Host(), 0) {
		i.say(message{Kind: sayNote, Text: advice})
	}
	if n := packing.Turns; n > plan.Repeats {
		i.say(message{Kind: sayNote, Text: fmt.Sprintf("of %d turns %d get no run in a boot, and their events no value: --repeats %d or more gives each one", n, n-plan.Repeats, n)})
	}
	time.Sleep(plan.Delay)
	err = runner.Run(context.Background())
	var run *workload.RunError
	if errors.As(err, &run) && run.Stderr != "" {
		return fmt.Errorf("%w\nthe end of its stderr:\n%s", err, run.Stderr)
	}
	return err
}

// prepare finds out what this kernel can count.
func prepare(plan Plan) (*perfctr.Packing, []recording.Event, error) {
	asked := workload.OwnEvents([]workload.Variant{plan.Variant})
	for _, list := range plan.Events {
		events, err := perfctr.Parse(list)
		if err != nil {
			return nil, nil, err
		}
		asked = append(asked, events...)
	}
	supports := perfctr.Probe(asked, perfctr.Command())
	packing, err := perfctr.Pack(supports, perfctr.PackOptions{})
	if err != nil {
		return nil, nil, fmt.Errorf("preparing the counters: %w", err)
	}
	return packing, workload.Events(supports), nil
}
