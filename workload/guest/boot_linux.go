package guest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"microcost/workload/recording"
)

// Timeouts end boots that do not come to an end. The time in which the host did not
// let QEMU run does not count.
type Timeouts struct {
	Boot time.Duration // without a sign of life before the guest begins
	Run  time.Duration // without a sample after that
}

// DefaultTimeouts are generous: emulation on a loaded host is slow.
var DefaultTimeouts = Timeouts{Boot: 60 * time.Second, Run: 5 * time.Minute}

// chatter is how many times Timeouts.Boot a boot may take in all when its
// console never falls silent.
const chatter = 10

// A running is one boot in progress: what its console has said so far.
type running struct {
	mu      sync.Mutex
	boot    Boot
	label   string
	console console
	decoder Decoder
	began   time.Time
	clock   time.Duration // passed, as far as QEMU was let run
	life    time.Duration // the clock at the last sign of it
	heard   time.Duration // the clock at the last byte from its console
	any     bool          // the console has said something
	hello   *Hello
	seen    map[uint64]bool // samples
	failed  string
	ended   bool
	lost    int
	err     error // of a callback: the series is over
	stderr  []byte
	account Account

	onHello  func(*Hello) error
	onSample func(recording.Sample) error
	onNote   func(string)
}

// An Account is what a boot took, and what was lost on its console.
type Account struct {
	FirstSign time.Duration // from the start of QEMU to the first byte
	Ready     time.Duration // to the guest's first words
	Total     time.Duration // to the end of QEMU
	Torn      int           // records that something was written into
	Lost      int           // records that did not arrive in the end
}

// A machineStart is what it takes to start QEMU once.
type machineStart struct {
	qemu string
	args []string
	env  []string
}

// Write takes output of the console.
func (r *running) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.any {
		r.any, r.account.FirstSign = true, time.Since(r.began)
	}
	r.heard = r.clock
	if r.hello == nil {
		r.life = r.clock
	}
	return r.decoder.Write(p)
}

// tail is an io.Writer that keeps what QEMU says on its standard error.
type tail struct{ r *running }

func (t tail) Write(p []byte) (int, error) {
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	if len(t.r.stderr) < 4096 {
		t.r.stderr = append(t.r.stderr, p...)
	}
	return len(p), nil
}

// record receives a whole record; r.mu is held.
func (r *running) record(sequence uint64, payload []byte) {
	m, err := readMessage(payload)
	if err != nil {
		r.failed = err.Error()
		return
	}
	r.life = r.clock
	if r.err != nil {
		return
	}
	switch m.Kind {
	case sayHello:
		if r.hello != nil {
			return
		}
		if m.Hello.Protocol != protocol {
			r.failed = fmt.Sprintf("the guest's program speaks version %d, this one %d: build both from the same source", m.Hello.Protocol, protocol)
			return
		}
		r.hello, r.account.Ready = m.Hello, time.Since(r.began)
		r.err = r.onHello(m.Hello)
	case saySample:
		if r.hello == nil || r.seen[sequence] {
			return
		}
		r.seen[sequence] = true
		r.err = r.onSample(*m.Sample)
	case sayNote:
		r.onNote(m.Text)
	case sayFailed:
		r.failed = m.Text
	case sayEnd:
		r.lost = m.Samples - len(r.seen)
		r.ended = true
	}
}

// afterEnd is how long a machine may take to reset after the guest has ended.
const afterEnd = 2 * time.Second

// verdict says whether the boot is over, judged from outside, and why.
func (r *running) verdict(t Timeouts, clock time.Duration) (over bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clock = clock
	silent := clock - r.life
	switch {
	case r.err != nil:
		return true, r.err
	case r.failed != "":
		return silent > afterEnd/4, nil
	case r.ended:
		return silent > afterEnd, nil
	case r.console.panic != "" && clock-r.heard > afterEnd:
		return true, nil
	case !r.any && silent > t.Boot:
		return true, r.fail(Silent, fmt.Sprintf("no sign of life on the serial console within %v", t.Boot),
			noConsole+"; --boot-timeout waits longer")
	case r.hello == nil && silent > t.Boot:
		return true, r.fail(Hung, fmt.Sprintf("the kernel went silent for %v before the guest began", t.Boot),
			"its /dev/console must be the serial console; --boot-timeout waits longer")
	case r.hello == nil && clock > chatter*t.Boot:
		return true, r.fail(Hung, fmt.Sprintf("the guest had not begun after %v", chatter*t.Boot), "--boot-timeout waits longer")
	case r.hello != nil && silent > t.Run:
		return true, r.fail(Stalled, fmt.Sprintf("the guest sent nothing for %v: a run does not end", t.Run),
			"fewer operations, or a longer --timeout")
	}
	return false, nil
}

// fail makes the error of this boot; r.mu is held.
func (r *running) fail(f Failure, msg, hint string) error {
	return &BootError{Boot: r.boot, Label: r.label, Failure: f, Msg: msg, Hint: hint, Console: append([]string(nil), r.console.lines...)}
}

// run starts QEMU, waits for its end or brings it about, and says what came of it.
// No process is left when it returns.
func (r *running) run(ctx context.Context, start machineStart, t Timeouts) error {
	// The child dies with the thread that started it (PR_SET_PDEATHSIG), so that
	// killing this process leaves no QEMU. So the thread must stay.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	r.seen = map[uint64]bool{}
	r.decoder = Decoder{Record: r.record, Line: r.console.line}
	c := exec.Command(start.qemu, start.args...)
	c.Env, c.Stdout, c.Stderr = start.env, r, tail{r}
	c.Dir = os.TempDir()
	// Not in our process group: ^C is for this program, which lets a boot end.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	c.WaitDelay = time.Second
	r.began = time.Now()
	if err := c.Start(); err != nil {
		return r.fail(Ended, fmt.Sprintf("starting QEMU: %v", err), "")
	}
	done := make(chan struct{})
	var outside error // why it was ended
	var watch sync.WaitGroup
	watch.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		clock := newPatience(c.Process.Pid)
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				outside = ctx.Err()
			case now := <-tick.C:
				over, err := r.verdict(t, clock.tick(now))
				if !over {
					continue
				}
				outside = err
			}
			_ = c.Process.Kill()
			<-done
			return
		}
	})
	waitErr := c.Wait()
	close(done)
	watch.Wait()

	r.mu.Lock()
	defer r.mu.Unlock()
	r.decoder.Close()
	r.account.Total = time.Since(r.began)
	r.account.Torn, r.account.Lost = r.decoder.Torn, max(0, r.lost)
	return r.outcome(outside, waitErr)
}

// outcome is the error of a boot whose QEMU has ended.
func (r *running) outcome(outside, waitErr error) error {
	switch {
	case r.err != nil:
		return r.err
	case outside != nil:
		return outside
	case r.failed != "":
		return r.fail(Refused, "the guest cannot go on: "+r.failed, "")
	case r.ended && r.lost > 0:
		return r.fail(Lost, fmt.Sprintf("%d samples did not arrive: kernel messages were written into them", r.lost), "--append loglevel=1 keeps the kernel quiet")
	case r.ended:
		return nil
	}
	qemu := strings.TrimSpace(string(r.stderr))
	var exit *exec.ExitError
	if qemu == "" && errors.As(waitErr, &exit) {
		qemu = exit.Error()
	}
	if r.hello != nil && r.console.panic == "" {
		return r.fail(Ended, "the machine ended while the guest was measuring", "")
	}
	f, msg, hint := r.console.died(qemu)
	return r.fail(f, msg, hint)
}
