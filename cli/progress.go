package cli

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"microcost/compare"
	"microcost/report"
	"microcost/workload"
)

// drawEvery is how often, at most, the progress line is drawn.
const drawEvery = 100 * time.Millisecond

// A progress is the one line on a terminal's stderr that says how far things
// are. It is drawn only between runs, by the goroutine that starts them: a
// library with a ticker of its own would draw into the measurement.
type progress struct {
	w     *World
	on    bool
	shown bool
	last  time.Time
	stop  func() // ends the session after the run in progress

	stopping atomic.Bool

	done, planned int
	turns         int // of the counters
	began         time.Time
	rule          stopRule
	floor         string
}

func newProgress(w *World, o *abOptions) *progress {
	_, tty := terminal(w.Stderr)
	return &progress{w: w, on: tty && !o.quiet && !o.inherit && w.getenv("TERM") != "dumb"}
}

// plan takes over what the session knows: runs of each that are done and asked
// for.
func (p *progress) plan(done, planned int, began time.Time, rule stopRule) {
	p.done, p.planned, p.began, p.rule = done, planned, began, rule
}

// floors takes over the present floor that is farthest from its target.
func (p *progress) floors(now compare.Progress) {
	p.floor = ""
	if f := worst(now); f != nil {
		p.floor = floorText(*f)
		switch {
		case p.floor == "":
		case f.Scale == compare.LogScale:
			p.floor += fmt.Sprintf(" (wanted %.2g %%)", 100*math.Expm1(f.Target))
		default:
			p.floor += fmt.Sprintf(" (wanted %.2g)", f.Target)
		}
	}
}

// chosen takes over the present floor of one metric, which nothing waits for.
func (p *progress) chosen(now compare.Progress) {
	if len(now.Floors) > 0 {
		p.floor = floorText(now.Floors[0])
	}
}

// floorText is a floor behind a comma, or nothing while there is none.
func floorText(f compare.FloorNow) string {
	switch {
	case math.IsInf(f.Floor, 1):
		return ""
	case f.Scale == compare.LogScale:
		return fmt.Sprintf(", floor of %s %.2g %%", report.Printable(f.Metric), 100*math.Expm1(f.Floor))
	}
	return fmt.Sprintf(", floor of %s %.2g", report.Printable(f.Metric), f.Floor)
}

// worst is the floor farthest from its target that can still be reached.
func worst(p compare.Progress) *compare.FloorNow {
	var w *compare.FloorNow
	for i := range p.Floors {
		f := &p.Floors[i]
		if !f.Reached && !f.OutOfReach && (w == nil || f.Floor/f.Target > w.Floor/w.Target) {
			w = f
		}
	}
	return w
}

// draw shows the line, if it is time to.
func (p *progress) draw(slot workload.Slot) {
	if !p.on || time.Since(p.last) < drawEvery {
		return
	}
	p.last = time.Now()
	line := "warming up"
	if slot.Block >= 0 {
		line = fmt.Sprintf("block %d, %d of %d runs of each%s%s", slot.Block+1, p.done, p.planned, p.left(), p.floor)
		if p.rule.runs > 0 {
			blocks := len(workload.Blocks(p.rule.runs, p.turns))
			line = fmt.Sprintf("block %d of %d%s%s", slot.Block+1, blocks, p.leftOf(slot.Block, blocks), p.floor)
		}
	}
	if limit := width(p.w.Stderr) - 1; len(line) > limit {
		line = line[:max(0, limit)]
	}
	fmt.Fprintf(p.w.Stderr, "\r\x1b[K%s", line)
	p.shown = true
}

// left is how long it will still take, where that is known.
func (p *progress) left() string {
	if p.began.IsZero() {
		return ""
	}
	since := time.Since(p.began)
	if p.rule.maxTime > 0 {
		return ", at most " + report.Duration(max(0, p.rule.maxTime-since)) + " left"
	}
	return ""
}

// leftOf is how long it will still take when done of all blocks are made.
func (p *progress) leftOf(done, all int) string {
	if done == 0 || p.rule.maxTime > 0 {
		return p.left()
	}
	each := time.Since(p.began) / time.Duration(done)
	return ", about " + report.Duration(each*time.Duration(all-done)) + " left"
}

// clear takes the line away.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w.Stderr, "\r\x1b[K")
		p.shown = false
	}
}

// interrupt ends the session after the run in progress. It is called from
// another goroutine than the rest, and does not touch the line.
func (p *progress) interrupt() {
	p.stopping.Store(true)
	p.stop()
	nl := ""
	if p.on {
		nl = "\r\x1b[K"
	}
	fmt.Fprint(p.w.Stderr, nl+"microcost: finishing the run in progress; once more stops at once\n")
}

func (p *progress) interrupted() bool { return p.stopping.Load() }
