package cli

import (
	"errors"
	"strings"
	"testing"

	"microcost/workload/recording"
)

func TestCheckCounters(t *testing.T) {
	event := func(name, s string) recording.Event { return recording.Event{Name: name, Support: s} }
	clock := event("task-clock", recording.Supported)
	if err := checkCounters([]recording.Event{event("instructions", recording.NotSupported), event("cycles", recording.Supported), clock}); err != nil {
		t.Errorf("a guest with cycles: %v", err)
	}
	err := checkCounters([]recording.Event{event("instructions", recording.NotSupported), event("cycles", recording.NotSupported), clock})
	var measure *MeasureError
	if !errors.As(err, &measure) || !strings.Contains(measure.Msg, "no PMU") || !strings.Contains(measure.Hint, withoutPMU) {
		t.Errorf("a guest without a PMU: %v, want that it has none and what is left", err)
	}
}
