package workload

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"microcost/perfctr"
	"microcost/workload/recording"
)

// StealEvent is the name of the event that says for how long the hypervisor
// ran something else on this machine's CPUs during a run, all CPUs added up.
const StealEvent = "steal"

// Steal is the event that the runner fills in from /proc/stat. Its clock ticks
// every 10 ms, so that short runs read 0 most of the time.
func Steal() perfctr.Event {
	return perfctr.Event{Name: StealEvent, Spec: StealEvent, Source: perfctr.SourceRun, Unit: perfctr.UnitNanoseconds}
}

// A stealClock reads the machine's steal time.
type stealClock struct {
	file  *os.File
	event int // index into the packing's events
	buf   [512]byte
}

// openSteal returns nil when the packing does not ask for it, or it cannot be
// read.
func openSteal(p *perfctr.Packing) *stealClock {
	for i, e := range p.Events {
		if e.Source == perfctr.SourceRun && e.Name == StealEvent {
			if f, err := os.Open("/proc/stat"); err == nil {
				return &stealClock{file: f, event: i}
			}
		}
	}
	return nil
}

func (c *stealClock) close() {
	if c != nil {
		c.file.Close()
	}
}

// now is the steal time since boot; ok is false where there is none.
func (c *stealClock) now() (d time.Duration, ok bool) {
	if c == nil {
		return 0, false
	}
	n, _ := c.file.ReadAt(c.buf[:], 0)
	return parseSteal(c.buf[:n])
}

// add puts what was stolen during a run into its sample.
func (c *stealClock) add(s *recording.Sample, d time.Duration) {
	raw := uint64(max(d, 0))
	s.Counts[c.event] = &recording.Count{Raw: raw, Enabled: time.Nanosecond, Running: time.Nanosecond}
}

// parseSteal takes the eighth number of the first line of /proc/stat, in units
// of 1/100 s (USER_HZ, which is 100 on every architecture that matters here;
// Documentation/filesystems/proc.rst).
func parseSteal(stat []byte) (time.Duration, bool) {
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	f := bytes.Fields(line)
	if len(f) < 9 || string(f[0]) != "cpu" {
		return 0, false
	}
	ticks, err := strconv.ParseUint(string(f[8]), 10, 63)
	if err != nil {
		return 0, false
	}
	return time.Duration(ticks) * (time.Second / 100), true
}
