package perfctr

import (
	"os/exec"
	"runtime"
	"testing"
)

// count runs a command once and returns the readings by event name.
func count(t *testing.T, list string, argv ...string) map[string]Reading {
	t.Helper()
	events, err := Parse(list)
	if err != nil {
		t.Fatal(err)
	}
	supports := Probe(events, Command())
	p, err := Pack(supports, PackOptions{})
	if err != nil {
		t.Fatal(err)
	}
	readings := map[string]Reading{}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s, err := Open(p, 0, Command())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	all, err := s.Read()
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range all {
		readings[p.Events[i].Name] = r
	}
	return readings
}

func TestCountTrue(t *testing.T) {
	for _, s := range Probe(DefaultEvents(), Command()) {
		t.Logf("%-20s %-15v %s", s.Event.Name, s.Status, s.Reason)
	}
	r := count(t, "task-clock,context-switches,page-faults,cycles,elapsed", "true")
	t.Log(r)
	if pf := r["page-faults"]; pf.State != Counted || pf.Raw == 0 || pf.Share() != 1 {
		t.Errorf("page-faults of true: %+v", pf)
	}
	if r["elapsed"].State != ByRun {
		t.Errorf("elapsed: %+v", r["elapsed"])
	}
}
