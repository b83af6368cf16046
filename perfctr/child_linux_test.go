package perfctr

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// childVariable makes the test binary a program to be measured: its value is
// one of the names in children.
const childVariable = "PERFCTR_TEST_CHILD"

// TestMain runs a child when asked to, and otherwise the tests, after which as
// many descriptors must be open as before.
func TestMain(m *testing.M) {
	if name := os.Getenv(childVariable); name != "" {
		if err := child(name, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	before := openFiles()
	code := m.Run()
	if after := openFiles(); len(after) > len(before) && code == 0 {
		fmt.Fprintf(os.Stderr, "descriptors leak: open before %v, after %v\n", before, after)
		code = 1
	}
	os.Exit(code)
}

// openFiles lists what this process has open, but for the runtime's poller.
func openFiles() []string {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		panic(err)
	}
	var open []string
	for _, e := range entries {
		to, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && to != "anon_inode:[eventpoll]" && to != "anon_inode:[eventfd]" && to != "/proc/"+strconv.Itoa(os.Getpid())+"/fd" {
			open = append(open, e.Name()+" "+to)
		}
	}
	return open
}

// childCommand is the command that runs a child.
func childCommand(name string, args ...string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(exe, args...)
	// One processor and no collector keep the Go runtime of the child quiet.
	cmd.Env = append(os.Environ(), childVariable+"="+name, "GOMAXPROCS=2", "GOGC=off", "LC_ALL=C",
		"GORACE=atexit_sleep_ms=0") // a program built with -race sleeps for a second before it ends
	return cmd
}

// child is the programs that are measured.
func child(name string, args []string) error {
	switch name {
	case "family":
		return family(4)
	case "member":
		return member()
	case "pingpong":
		return pingpong(50_000)
	case "mix":
		return mix()
	case "spin":
		return spin(200 * time.Millisecond)
	case "files":
		fmt.Println(openFiles())
		return nil
	case "limit":
		return limit()
	case "threads":
		return threads()
	}
	return fmt.Errorf("no child %q", name)
}

// family starts processes that each have threads which touch memory.
func family(n int) error {
	var cmds []*exec.Cmd
	for range n {
		cmd := childCommand("member")
		if err := cmd.Start(); err != nil {
			return err
		}
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// member touches 2 x 4096 pages on two threads.
func member() error {
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		wg.Go(func() {
			runtime.LockOSThread()
			errs[i] = touch(4096)
		})
	}
	wg.Wait()
	return errs[0]
}

// touch writes to each of some fresh pages.
func touch(pages int) error {
	size := os.Getpagesize()
	m, err := unix.Mmap(-1, 0, pages*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return err
	}
	// Huge pages would make the number of faults depend on free memory.
	if err := unix.Madvise(m, unix.MADV_NOHUGEPAGE); err != nil && err != unix.EINVAL {
		return err
	}
	for i := 0; i < len(m); i += size {
		m[i] = 1
	}
	return unix.Munmap(m)
}

// pin binds the calling thread, and the threads it starts, to one CPU.
func pin(cpu int) error {
	var set unix.CPUSet
	set.Set(cpu)
	return unix.SchedSetaffinity(CallingThread, &set)
}

// pingpong passes a byte to and fro between two threads on one CPU: two
// context switches for each round trip.
func pingpong(trips int) error {
	var there, back [2]int
	if err := unix.Pipe2(there[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	if err := unix.Pipe2(back[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	pass := func(from, to int, first bool) error {
		runtime.LockOSThread()
		if err := pin(0); err != nil {
			return err
		}
		var b [1]byte
		for range trips {
			if first {
				if _, err := rawWrite(to, &b); err != 0 {
					return err
				}
			}
			if _, err := rawRead(from, &b); err != 0 {
				return err
			}
			if !first {
				if _, err := rawWrite(to, &b); err != 0 {
					return err
				}
			}
		}
		return nil
	}
	done := make(chan error)
	go func() { done <- pass(there[0], back[1], false) }()
	if err := pass(back[0], there[1], true); err != nil {
		return err
	}
	return <-done
}

// mix makes a known number of system calls, processes and migrations.
func mix() error {
	runtime.LockOSThread()
	zero, err := unix.Open("/dev/zero", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	var b [1]byte
	for range 3000 {
		unix.Getppid()
		rawRead(zero, &b)
		rawWrite(zero, &b)
	}
	for range 1000 {
		fd, err := unix.Open("/dev/null", unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		unix.Close(fd)
		if err := touch(4); err != nil {
			return err
		}
	}
	for i := range 1000 {
		if err := pin(i & 1); err != nil {
			return err
		}
	}
	for range 50 {
		if err := exec.Command("/bin/true").Run(); err != nil {
			return err
		}
	}
	return nil
}

// spin burns CPU time on two threads.
func spin(d time.Duration) error {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			runtime.LockOSThread()
			var start, now unix.Timespec
			unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &start)
			for now = start; now.Nano()-start.Nano() < int64(d); {
				unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now)
			}
		})
	}
	wg.Wait()
	return nil
}

// threads says that it is ready and then touches a page on each of three old
// threads and on one new thread for every byte it reads, until end of file.
func threads() error {
	work := make(chan bool)
	done := make(chan error)
	for range 3 {
		go func() {
			runtime.LockOSThread()
			for range work {
				done <- touch(1000)
			}
		}()
	}
	// Each thread must exist before it is said so.
	for range 3 {
		work <- true
	}
	for range 3 {
		if err := <-done; err != nil {
			return err
		}
	}
	fmt.Println("ready")
	var b [1]byte
	for {
		if n, err := os.Stdin.Read(b[:]); n == 0 || err != nil {
			return nil
		}
		for range 3 {
			work <- true
		}
		go func() {
			// Locked and never unlocked: the thread ends with its goroutine, so the
			// next one is born anew.
			runtime.LockOSThread()
			done <- touch(1000)
		}()
		for range 4 {
			if err := <-done; err != nil {
				return err
			}
		}
		fmt.Println("done")
	}
}
