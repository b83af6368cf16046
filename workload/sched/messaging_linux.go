package sched

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sender sends loops messages to each receiver of its group, in turn.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) sender() {
	if !t.rehearse() || !t.arrive() || !t.send(t.loops) {
		return
	}
	t.finish()
}

// receiver takes all messages of its group's senders that are meant for it.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) receiver() {
	if !t.rehearse() || !t.arrive() || !t.receive(t.loops*t.nouts) {
		return
	}
	t.finish()
}

// rehearse sends the task some messages of its own, so that its memory is there
// and its code was run. To rehearse with the others would change the order in
// which the tasks come to the gate, and with it the whole run.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) rehearse() bool {
	const page = 4096 // a pipe holds more
	if _, e := call(unix.SYS_PIPE2, uintptr(unsafe.Pointer(&t.ends)), 0, 0); e != 0 {
		return t.fail(stepPipe, e)
	}
	buf, size := uintptr(unsafe.Pointer(t.buf)), min(t.size, page)
	for range 10 {
		if r, e := call(unix.SYS_WRITE, uintptr(t.ends[1]), buf, size); r != size {
			return t.fail(stepWrite, e)
		}
		if r, e := call(unix.SYS_READ, uintptr(t.ends[0]), buf, size); r != size {
			return t.fail(stepRead, e)
		}
	}
	call(unix.SYS_CLOSE, uintptr(t.ends[0]), 0, 0)
	call(unix.SYS_CLOSE, uintptr(t.ends[1]), 0, 0)
	return true
}

//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) send(n int64) bool {
	buf := uintptr(unsafe.Pointer(t.buf))
	for range n {
		out := t.outs
		for range t.nouts {
			// A blocking write of a pipe or a stream writes all there is.
			if r, e := call(unix.SYS_WRITE, uintptr(*out), buf, t.size); r != t.size {
				return t.fail(stepWrite, e)
			}
			out = (*int32)(unsafe.Add(unsafe.Pointer(out), 4))
		}
	}
	return true
}

//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) receive(n int64) bool {
	buf, in := uintptr(unsafe.Pointer(t.buf)), uintptr(t.in)
	for range n {
		for got := uintptr(0); got < t.size; {
			r, e := call(unix.SYS_READ, in, buf+got, t.size-got)
			if e != 0 || r == 0 {
				return t.fail(stepRead, e)
			}
			got += r
		}
	}
	return true
}

// setUpMessaging makes the groups. Processes are started group by group, so
// that each has the descriptors of its own group only; threads share them all.
func setUpMessaging(c *crew, s Spec) error {
	words, err := c.shared(uintptr(s.Groups*s.FDs) * 4)
	if err != nil {
		return err
	}
	// As in hackbench, all poll one pipe, and the last that came is the first to
	// be woken: the senders. Were it the receivers, as with a futex, each message
	// would find one that sleeps, and there would be a fourth more switches to
	// the end of the run.
	c.door = make([]int, 2)
	if err := unix.Pipe2(c.door, unix.O_CLOEXEC); err != nil {
		c.door = nil
		return fmt.Errorf("making a pipe: %w", err)
	}
	all := unsafe.Slice((*int32)(words), s.Groups*s.FDs)
	for g := range s.Groups {
		outs := all[g*s.FDs : (g+1)*s.FDs]
		for i := range outs {
			in, out, err := c.channel(s.Pipe)
			if err != nil {
				return fmt.Errorf("group %d of %d: %w", g+1, s.Groups, err)
			}
			outs[i] = int32(out)
			t := c.message(kindReceiver, s, outs)
			t.in = int32(in)
			if s.Threads {
				continue
			}
			t.shut = int32(out)
			if err := c.launch(); err != nil {
				return err
			}
			c.closeFile(in)
		}
		for range s.FDs {
			c.message(kindSender, s, outs)
		}
		if s.Threads {
			continue
		}
		if err := c.launch(); err != nil {
			return err
		}
		c.closeFiles()
	}
	c.operations = int64(s.Groups) * int64(s.FDs) * int64(s.FDs) * int64(s.Loops)
	return nil
}

// message adds a sender or a receiver.
func (c *crew) message(k kind, s Spec, outs []int32) *task {
	t := c.add(k)
	t.outs, t.nouts = &outs[0], int64(len(outs))
	t.buf, t.size = c.buffer(t), uintptr(s.Size)
	t.door = pollFD{fd: int32(c.door[0]), events: unix.POLLIN}
	return t
}

// channel makes a pipe, or a pair of connected stream sockets.
func (c *crew) channel(pipe bool) (in, out int, err error) {
	if pipe {
		p, err := c.pipe()
		return p[0], p[1], err
	}
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, 0, fmt.Errorf("making a pair of sockets: %w", err)
	}
	c.fds = append(c.fds, p[0], p[1])
	return p[0], p[1], nil
}
