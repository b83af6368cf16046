package cli

import (
	"fmt"
	"time"

	"microcost/report"
	"microcost/workload/guest"
)

// A bootLine is the one line on a terminal's stderr that says how far the boots
// are. Boots take seconds, and guests do not notice what the host draws.
type bootLine struct {
	w       *World
	on      bool
	shown   bool
	began   time.Time
	planned int
	running int
	ended   int
}

func newBootLine(w *World, o *kernelOptions) *bootLine {
	_, tty := terminal(w.Stderr)
	return &bootLine{w: w, on: tty && !o.quiet && w.getenv("TERM") != "dumb", began: time.Now()}
}

func (l *bootLine) plan(boots int) { l.planned = boots }

func (l *bootLine) started(guest.Boot) {
	l.running++
	l.draw()
}

func (l *bootLine) done(guest.Boot) {
	l.running--
	l.ended++
	l.draw()
}

func (l *bootLine) draw() {
	left := ""
	if l.ended > 0 && l.planned > l.ended {
		each := time.Since(l.began) / time.Duration(l.ended)
		left = ", about " + report.Duration((each * time.Duration(l.planned-l.ended)).Round(time.Second)) + " left"
	}
	l.say(fmt.Sprintf("%d of %d boots done, %d running%s", l.ended, l.planned, l.running, left))
}

// say draws a line.
func (l *bootLine) say(text string) {
	if !l.on {
		return
	}
	if limit := width(l.w.Stderr) - 1; len(text) > limit {
		text = text[:max(0, limit)]
	}
	fmt.Fprintf(l.w.Stderr, "\r\x1b[K%s", text)
	l.shown = true
}

// erase is what takes the line away when it is written.
func (l *bootLine) erase() string {
	if l.on {
		return "\r\x1b[K"
	}
	return ""
}

// clear takes the line away.
func (l *bootLine) clear() {
	if l.shown {
		fmt.Fprint(l.w.Stderr, l.erase())
		l.shown = false
	}
}
