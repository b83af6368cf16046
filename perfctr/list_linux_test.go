package perfctr

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestList checks the list of a fixture on which everything opens.
func TestList(t *testing.T) {
	check := func(sys, match string, wantErr string, want ...string) {
		t.Helper()
		s := fixture(t, sys)
		opens := 0
		m := machine{s, refusing(func(k *kattr) unix.Errno { opens++; return 0 })}
		got, err := m.list(match, Command())
		if (err == nil) != (wantErr == "") || err != nil && !strings.Contains(err.Error(), wantErr) {
			t.Errorf("%s, %q: error %v", sys, match, err)
		}
		var lines []string
		for _, l := range got {
			if strings.Contains(l.Support.Reason, "=VALUE beside it") && l.Support.Status == CannotTell {
				lines = append(lines, l.Name+" needs a value")
				continue
			}
			if l.Support.Status != Yes || l.Support.Event.Spec != l.Name {
				t.Errorf("%s: %+v", l.Name, l.Support)
			}
			if events, err := s.Parse(l.Name); err != nil || events[0].Name != l.Name {
				t.Errorf("%s does not parse: %v, %v", l.Name, events, err)
			}
			lines = append(lines, string(l.Kind)+" "+l.Name)
		}
		for _, w := range want {
			if !strings.Contains(strings.Join(lines, "\n"), w) {
				t.Errorf("%s, %q: no %q among\n%s", sys, match, w, strings.Join(lines, "\n"))
			}
		}
		if strings.Contains(match, ":") && opens != 1 {
			t.Errorf("%d tracepoints were opened to list them", opens)
		}
	}
	check("trace", "", "", "measured around the run elapsed", "hardware event cycles", "software event context-switches",
		"hardware cache event LLC-load-misses", "PMU event msr/tsc/", "tracepoint sched:sched_wakeup")
	check("trace", "sched:", "", "tracepoint sched:sched_switch")
	check("trace", "CPU-CYCLES", "", "hardware event cycles")
	check("trace", "s*:*WAKEUP", "", "tracepoint sched:sched_wakeup")
	check("trace", "*-faults", "", "software event page-faults")
	check("intel-hybrid", "", "tracefs is not mounted", "hardware event cycles", "PMU event cpu_core/mem-loads/", "PMU event power/energy-pkg/")
	check("powerpc", "", "tracefs is not mounted", "hardware event cycles", "hv_24x7/PM_CYC/ needs a value")
}

// TestListHere checks that the list of this machine agrees with the probe.
func TestListHere(t *testing.T) {
	got, _ := List("", Command())
	for _, l := range got {
		if l.Support.Status == CannotTell || l.Support.Status != Yes && l.Support.Reason == "" {
			t.Errorf("%s: %v, %q", l.Name, l.Support.Status, l.Support.Reason)
		}
	}
	for _, p := range PMUs() {
		t.Logf("%+v", p)
		if p.Counters > 0 && (p.Width < 0 || p.Width > 64) {
			t.Errorf("counters of %d bits", p.Width)
		}
	}
}
