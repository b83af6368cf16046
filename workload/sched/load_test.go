package sched

import (
	"testing"
	"time"
)

// Loads run until they are stopped, and leave nothing.
func TestLoads(t *testing.T) {
	for _, text := range []string{"cpu:2", "rt:cpus=0,period=5ms,run=1ms"} {
		s, _, err := ParseLoad(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(); err != nil {
			if s.Busy == 0 && !canRealtime() {
				t.Logf("not tried: %v", err)
				continue
			}
			t.Fatal(err)
		}
		l, err := StartLoad(s)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(childPIDs(t)); n != max(s.Busy, len(s.CPUs)) {
			t.Errorf("%s: %d tasks", text, n)
		}
		time.Sleep(50 * time.Millisecond) // for the load to work
		select {
		case <-l.Ended():
			t.Errorf("%s ended by itself", text)
		default:
		}
		_, periods, err := l.Stop()
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if s.Busy == 0 && (periods < 1 || periods > 50) {
			t.Errorf("%s: %d periods of 5 ms in some 50 ms", text, periods)
		}
		noTaskLeft(t)
	}
}

// The death of a load is told.
func TestDeadLoad(t *testing.T) {
	l, err := StartLoad(LoadSpec{Busy: 1})
	if err != nil {
		t.Fatal(err)
	}
	killAll(t)
	select {
	case <-l.Ended():
	case <-time.After(within):
		t.Fatal("its death goes unnoticed")
	}
	if _, _, err := l.Stop(); err == nil {
		t.Error("no error tells of its death")
	}
	noTaskLeft(t)
}
