package workload

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// How long a run's descendants may outlive it before they are ended. Their
// work still counts: it belongs to the run.
const leftoverGrace = time.Second

// becomeSubreaper makes orphaned descendants children of this process instead
// of init's, so that none escapes (prctl(2), Linux 3.4). The result undoes it.
func becomeSubreaper() (restore func(), err error) {
	var was int32
	if err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&was)), 0, 0, 0); err != nil {
		return nil, err
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, err
	}
	return func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, uintptr(was), 0, 0, 0) }, nil
}

// hasChildren is a cheap answer to whether this process has any child, running
// or dead; it reaps none.
func hasChildren() bool {
	for {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return !errors.Is(err, unix.ECHILD)
	}
}

// A processID names a process for good: a pid may be given again, a pid with
// its start time may not.
type processID struct {
	pid   int
	start string // field 22 of /proc/PID/stat, in clock ticks since boot
}

// children lists this process's children by reading /proc.
func children() []processID {
	if !hasChildren() {
		return nil
	}
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	self := []byte(strconv.Itoa(os.Getpid()))
	var list []processID
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		// The name in parentheses may hold anything: fields start after the last one.
		i := bytes.LastIndexByte(stat, ')')
		if i < 0 {
			continue
		}
		f := bytes.Fields(stat[i+1:]) // state ppid ... starttime is the 20th
		if len(f) < 20 || !bytes.Equal(f[1], self) {
			continue
		}
		list = append(list, processID{pid: pid, start: string(f[19])})
	}
	return list
}

// newChildren are the children that are not in known.
func newChildren(known map[processID]bool) []processID {
	var list []processID
	for _, c := range children() {
		if !known[c] {
			list = append(list, c)
		}
	}
	return list
}

// asSet makes a set of children.
func asSet(list []processID) map[processID]bool {
	if len(list) == 0 {
		return nil
	}
	set := make(map[processID]bool, len(list))
	for _, c := range list {
		set[c] = true
	}
	return set
}

// drain waits for every child that is not in known, for up to grace, then
// kills what is left, and reaps them all. It returns how many had to be killed.
func drain(known map[processID]bool, grace time.Duration) (killed int) {
	deadline := time.Now().Add(grace)
	for {
		left := newChildren(known)
		running := 0
		for _, c := range left {
			if !reap(c.pid, unix.WNOHANG) {
				running++
			}
		}
		if running == 0 {
			// Reaping a parent may just have handed its children on.
			if len(newChildren(known)) == 0 {
				return killed
			}
			continue
		}
		if time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
			continue
		}
		for _, c := range newChildren(known) {
			// A child of ours cannot be reaped by anybody else: the pid is still its own.
			if unix.Kill(c.pid, unix.SIGKILL) == nil {
				killed++
			}
			reap(c.pid, 0)
		}
	}
}

// reap collects one dead child. It says whether the pid is gone.
func reap(pid, options int) bool {
	for {
		got, err := unix.Wait4(pid, nil, options, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err != nil || got == pid
	}
}
