package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"microcost/workload/recording"
)

// A madeSession is a session of a few runs, made without measuring.
type madeSession struct {
	label, boot string
	change      func(*recording.Session)
}

// made writes sessions to a file.
func made(t *testing.T, path string, list ...madeSession) string {
	t.Helper()
	rec := &recording.Recording{}
	for i, m := range list {
		s := recording.Session{
			ID: i, Started: time.Now().Add(time.Duration(i) * time.Hour), Tool: "microcost test",
			Variants: []recording.Variant{{Label: m.label, Command: []string{"/bin/true"}, Text: "true"}},
			Events: []recording.Event{
				{Name: "elapsed", Source: "run", Unit: "ns", Support: recording.Supported},
				{Name: "instructions", Source: "kernel", Support: recording.Supported},
			},
			Plan: recording.Plan{Schedule: recording.Sequential},
			Env: recording.Env{
				BootID: m.boot, Host: "h1", OS: "linux", Arch: "amd64", Kernel: "6.1", CPU: "One 1000", CPUs: 8, SMT: "on", Governor: "performance",
			},
		}
		if m.change != nil {
			m.change(&s)
		}
		rec.Sessions = append(rec.Sessions, s)
		for run := range 5 {
			smp := recording.Sample{Session: i, Run: run + 1, Block: 0, Position: run}
			for range s.Events {
				smp.Counts = append(smp.Counts, &recording.Count{Raw: uint64(1e6 + 1e3*((run*7+i*3)%5)), Enabled: 1e6, Running: 1e6})
			}
			rec.Samples = append(rec.Samples, smp)
		}
		rec.Ends = append(rec.Ends, recording.End{Session: i, Reason: recording.EndComplete})
	}
	var b bytes.Buffer
	if _, err := rec.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// called runs microcost and returns its exit status and streams.
func called(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	c := program(t, args...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String(), errs.String()
}

// Whatever spoils a comparison is refused, wherever it is, and shown when it is
// forced; what the comparison is made for stands first.
func TestComparisonsThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	spoils := map[string]func(*recording.Session){
		"cpu is One 1000 there and Two 2000 here":                            func(s *recording.Session) { s.Env.CPU = "Two 2000" },
		"cpus is 8 there and 4 here":                                         func(s *recording.Session) { s.Env.CPUs = 4 },
		"governor is performance there and powersave here":                   func(s *recording.Session) { s.Env.Governor = "powersave" },
		"smt is on there and off here":                                       func(s *recording.Session) { s.Env.SMT = "off" },
		"arch is amd64 there and arm64 here":                                 func(s *recording.Session) { s.Env.Arch = "arm64" },
		"workload is true there and false here":                              func(s *recording.Session) { s.Variants[0].Command, s.Variants[0].Text = []string{"false"}, "false" },
		"domain of instructions is kernel and user there and user only here": func(s *recording.Session) { s.Events[1].Domain = "u" },
		"events is instructions there and cycles here":                       func(s *recording.Session) { s.Events[1].Name = "cycles" },
		"events is absent there and cache-misses here": func(s *recording.Session) {
			s.Events = append(s.Events, recording.Event{Name: "cache-misses", Source: "kernel", Support: "yes"})
		},
	}
	base := made(t, file("base.json"), madeSession{"base", "b1", nil})
	for want, change := range spoils {
		kernel := func(s *recording.Session) { s.Env.Kernel = "6.2"; change(s) }
		other := made(t, file("other.json"), madeSession{"other", "b2", kernel})
		status, out, errs := called(t, "compare", base, other)
		if status != 2 || out != "" || !strings.Contains(errs, want) || !strings.Contains(errs, "--force") {
			t.Errorf("%s: exit status %d, %q, %q", want, status, out, errs)
		}
		status, out, errs = called(t, "compare", "--force", base, other)
		field, _, _ := strings.Cut(want, " is ")
		kernelAt, at := strings.Index(out, "6.1 -> 6.2"), strings.Index(out, field+":")
		if status != 0 || kernelAt < 0 || at < kernelAt {
			t.Errorf("%s, forced: exit status %d, %q\n%s", want, status, errs, out)
		}
		// A later session of either side is looked at as well.
		later := made(t, file("later.json"), madeSession{"later", "b3", nil}, madeSession{"later", "b4", change})
		for _, args := range [][]string{{base, later}, {later, base}} {
			if status, _, errs := called(t, slices.Concat([]string{"compare"}, args)...); status != 2 || !strings.Contains(errs, field+" is ") {
				t.Errorf("%s, in a later session: exit status %d, %q", want, status, errs)
			}
		}
	}
	// Only other: listed, not refused.
	other := made(t, file("other.json"), madeSession{"other", "b2", func(s *recording.Session) { s.Env.Kernel, s.Env.Microcode, s.Env.CgroupCPU = "6.2", "0x2", "max" }})
	micro := made(t, file("micro.json"), madeSession{"base", "b1", func(s *recording.Session) { s.Env.Microcode, s.Env.CgroupCPU = "0x1", "50000 100000" }})
	status, out, _ := called(t, "compare", micro, other)
	if status != 0 || !strings.Contains(out, "microcode: 0x1 -> 0x2") || !strings.Contains(out, "50000 100000") {
		t.Errorf("exit status %d\n%s", status, out)
	}
}

// Recordings of several machines, each with three boots of both kernels: a verdict
// for each and one for all.
func TestCompareByHost(t *testing.T) {
	dir := t.TempDir()
	var base, patched []madeSession
	for i, host := range []string{"h1", "h2"} {
		for boot := range 3 {
			machine := func(s *recording.Session) { s.Env.Host, s.Env.CPU = host, fmt.Sprintf("One %d", i) }
			base = append(base, madeSession{"base", fmt.Sprintf("%s-a%d", host, boot), machine})
			patched = append(patched, madeSession{"patched", fmt.Sprintf("%s-b%d", host, boot), machine})
		}
	}
	a, b := made(t, filepath.Join(dir, "a.json"), base...), made(t, filepath.Join(dir, "b.json"), patched...)
	status, out, errs := called(t, "compare", "--by", "host", a, b)
	for _, want := range []string{"== host h1 ==", "== host h2 ==", "== all hosts ==", "15 runs of base in 3 sessions", "30 runs of base in 6 sessions"} {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("exit status %d, %q; %q is missing in\n%s", status, errs, want, out)
		}
	}
	// Without it they are different machines.
	if status, _, errs := called(t, "compare", a, b); status != 2 || !strings.Contains(errs, "cpu is One 0") {
		t.Errorf("exit status %d, %q", status, errs)
	}
	status, out, errs = called(t, "compare", "--filter", "host=h2", a, b)
	if status != 0 || !strings.Contains(out, "15 runs of base in 3 sessions") {
		t.Errorf("exit status %d, %q\n%s", status, errs, out)
	}
}

// Files may come through pipes, which can be read once: recordings and others',
// compressed or not.
func TestCompareReadsPipes(t *testing.T) {
	dir := t.TempDir()
	a := made(t, filepath.Join(dir, "a.json"), madeSession{"a", "b1", nil})
	b := made(t, filepath.Join(dir, "b.json"), madeSession{"b", "b2", nil})
	perf := filepath.Join(dir, "perf.txt")
	const text = "\n Performance counter stats for 'true' (10 runs):\n\n   1,000,000 instructions   ( +- 1.0% )\n\n   0.5 seconds time elapsed ( +- 1.0% )\n\n"
	if err := os.WriteFile(perf, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ command, want string }{
		{`microcost compare "$1" /dev/stdin <"$2"`, "against a is undecided"},
		{`cat "$1" | microcost compare /dev/stdin "$2"`, "b against a is undecided"},
		{`gzip -c "$2" | microcost compare "$1" /dev/stdin`, "b against a is undecided"},
		{`gzip -c "$3" | microcost compare "$3" /dev/stdin`, "is undecided"},
		{`cat "$3" | microcost compare "$3" /dev/stdin`, "Means, as they were printed"},
		{`cat "$1" | microcost report /dev/stdin`, "5 runs"},
	} {
		out, err := exec.Command("sh", "-c", tt.command, "sh", a, b, perf).CombinedOutput()
		if err != nil || !strings.Contains(string(out), tt.want) {
			t.Errorf("%s: %v; want %q in\n%s", tt.command, err, tt.want, out)
		}
	}
}
