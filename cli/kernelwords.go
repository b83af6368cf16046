package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"microcost/compare"
	"microcost/workload/guest"
	"microcost/workload/recording"
)

// What is said of counts that an emulator made.
const (
	emulatedX86 = "task-clock of an emulated x86-64 processor, whose clock advances by one nanosecond for each instruction: " +
		"exact, user and kernel mode together. It is not time: the emulated processor has no caches, no branch predictor and no pipeline, " +
		"so what a cycle is on a real one it cannot say"
	emulatedARM = "counted by the PMU of an emulated arm64 processor: exact for instructions. Its cycles are a clock, not a processor's: " +
		"it has no caches, no branch predictor and no pipeline"
	emulatedARMs = "counted by the PMU of an emulated arm64 machine with several processors, which has one count for all of them: what the " +
		"others carry out meanwhile is counted too. With --smp 1 it is exact"
	noPMU = "QEMU emulates no PMU on x86-64; task-clock is the number of instructions there"
)

// emulatedName is the name of task-clock where it counts instructions.
const emulatedName = "instructions (emulated)"

// events are those of a guest as the recording keeps them: under emulation a
// clock's nanoseconds are instructions and are called so.
func (s *kernelSession) events(list []recording.Event) []recording.Event {
	list = slices.Clone(list)
	if s.o.machine.Engine != guest.Emulate {
		return list
	}
	x86 := s.o.kernels[0].Image.Arch == guest.AMD64
	for i := range list {
		e := &list[i]
		base, _, _ := strings.Cut(e.Name, ":")
		switch {
		case x86 && base == "task-clock":
			e.Name = emulatedName + strings.TrimPrefix(e.Name, base)
			e.Unit, e.Reason = "", emulatedX86
		case x86 && e.Support == recording.NotSupported && (base == "instructions" || base == "cycles"):
			e.Reason = noPMU
		case !x86 && (base == "instructions" || base == "cycles") && e.Support == recording.Supported:
			if e.Reason = emulatedARM; s.o.machine.CPUs > 1 {
				e.Reason = emulatedARMs
			}
		}
	}
	return list
}

// checkCounters says whether a guest under KVM has the counters that it was booted
// for: its kernel is the one that knows. The error is a *MeasureError.
func checkCounters(list []recording.Event) error {
	for _, e := range list {
		if e.Support == recording.Supported && (e.Name == "instructions" || e.Name == "cycles") {
			return nil
		}
	}
	return &MeasureError{
		Msg: "engine kvm: the guest shows no PMU: this machine's KVM has none for its guests, or the kernel no driver for it " +
			"(CONFIG_HW_PERF_EVENTS, on arm64 CONFIG_ARM_PMU, too)",
		Hint: "-e " + withoutPMU + " measures time on the real processor; --engine emulate counts instructions",
	}
}

// withoutPMU are those of the default events that need no PMU.
const withoutPMU = "task-clock,sched:sched_wakeup,sched:sched_switch"

// kernelDifferences lists what differs between the kernels: the first boots of each
// against the first of the base.
func kernelDifferences(g *gathering) []recording.Difference {
	at, ok := g.sampled[g.rec.Sessions[0].Variants[0].Label]
	if !ok {
		return nil
	}
	base := &g.rec.Sessions[at]
	var list []recording.Difference
	for i := range g.rec.Sessions {
		s := &g.rec.Sessions[i]
		if s == base || !slices.ContainsFunc(s.Variants, func(v recording.Variant) bool { return g.hasRun(v.Label) && g.sampled[v.Label] == i }) {
			continue
		}
		if a, b := base.Guest, s.Guest; a != nil && b != nil && a.Version != b.Version {
			list = append(list, recording.Difference{Field: "linux_version", A: a.Version, B: b.Version, Class: recording.Intended})
		}
		for _, d := range recording.Differences(base, s) {
			// The version's parts stand in the line above.
			if d.Field != "kernel" && d.Field != "kernel_version" && !slices.Contains(list, d) {
				list = append(list, d)
			}
		}
	}
	return list
}

// absolute words the deltas per operation and per wakeup in instructions: "what
// does it cost" is answered with a number of them, not with per cent.
func absolute(c *compare.Comparison) []string {
	var lines []string
	for _, m := range c.Metrics {
		if m.Metric.Name != "instructions/op" && m.Metric.Name != "instructions/wakeup" {
			continue
		}
		for _, d := range m.Deltas {
			if d.Scale != compare.LogScale || math.IsNaN(d.Estimate) || d.Verdict == compare.NotCompared {
				continue
			}
			// The delta is a ratio; it is applied to the base's median.
			base := m.Summaries[0].Median
			at := func(x float64) string { return fmt.Sprintf("%+.1f", base*math.Expm1(x)) }
			line := fmt.Sprintf("%s, %s against %s: %s", m.Metric.Name, c.Variants[d.Variant], c.Variants[0], at(d.Estimate))
			if !math.IsInf(d.Floor, 1) {
				line += fmt.Sprintf(" [%s, %s] of %.1f", at(d.Lo), at(d.Hi), base)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// kernelError words what went wrong with a boot or before it.
func kernelError(err error, kept string) error {
	var (
		boot    *guest.BootError
		missing *guest.MissingError
		program *guest.ProgramError
		engine  *guest.EngineError
		measure *MeasureError
		usage   *UsageError
	)
	with := func(hint string) string { return strings.TrimPrefix(strings.TrimSuffix(hint+"; "+kept, "; "), "; ") }
	switch {
	case errors.As(err, &usage):
		return usage
	case errors.As(err, &measure):
		return measure
	case errors.As(err, &boot):
		msg := boot.Error()
		if len(boot.Console) > 0 {
			msg += "\nthe last lines on its console:\n" + strings.Join(boot.Console, "\n")
		}
		return &MeasureError{Msg: msg, Hint: with(boot.Hint), Err: err}
	case errors.As(err, &missing):
		return &MeasureError{Msg: missing.Error(), Hint: "apt-get install " + missing.Package, Err: err}
	case errors.As(err, &program):
		return &MeasureError{Msg: program.Error(), Hint: program.Hint, Err: err}
	case errors.As(err, &engine):
		return &MeasureError{Msg: engine.Error(), Hint: engine.Hint, Err: err}
	case errors.Is(err, errStopped), errors.Is(err, context.Canceled):
		return &MeasureError{Msg: "stopped at once", Hint: kept, Err: err}
	}
	return &MeasureError{Msg: err.Error(), Hint: kept, Err: err}
}
