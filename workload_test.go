package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// testWorkload is what the scripts measure.
//
//	log FILE WORD [SLEEP]  append WORD to FILE at the start, WORD. at the end
//	exit N                 exit with this status
//	say TEXT N             write TEXT to stderr, exit N
//	cat                    stdin to stdout
//	env NAME               write NAME's value to stdout
//	pad FILE               append the length of MICROCOST_PAD to FILE
//	daemon DURATION        leave a process running in a session of its own
//	crowd N                N children, each with two threads and some memory
//	births                 for ever: a thread every few milliseconds that touches churned pages and ends
//	peak CMD ARG...        run a command, write the most memory it had, in KiB, to stderr
func testWorkload(args []string) int {
	switch args[0] {
	case "log":
		appendTo(args[1], args[2]+"\n")
		if len(args) > 3 {
			d, _ := time.ParseDuration(args[3])
			time.Sleep(d)
		}
		appendTo(args[1], args[2]+".\n")
	case "exit":
		n, _ := strconv.Atoi(args[1])
		return n
	case "say":
		fmt.Fprintln(os.Stderr, args[1])
		n, _ := strconv.Atoi(args[2])
		return n
	case "cat":
		_, _ = os.Stdout.ReadFrom(os.Stdin)
	case "env":
		fmt.Println(os.Getenv(args[1]))
	case "pad":
		appendTo(args[1], fmt.Sprintln(len(os.Getenv("MICROCOST_PAD"))))
	case "daemon":
		c := exec.Command("sleep", args[1])
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := c.Start(); err != nil {
			return 1
		}
	case "crowd":
		n, _ := strconv.Atoi(args[1])
		for range n {
			if err := exec.Command(os.Args[0], "member").Run(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
	case "peak":
		c := exec.Command(args[1], args[2:]...)
		c.Stdout = os.Stdout
		err := c.Run()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Fprintln(os.Stderr, c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	case "births":
		for {
			go func() {
				runtime.LockOSThread() // and never unlocked: the thread ends
				m, err := syscall.Mmap(-1, 0, churned*4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANONYMOUS)
				if err != nil {
					panic(err)
				}
				for i := 0; i < len(m); i += 4096 {
					m[i] = 1
				}
				_ = syscall.Munmap(m)
			}()
			time.Sleep(5 * time.Millisecond)
		}
	case "member":
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				runtime.LockOSThread()
				m := make([]byte, 4<<20)
				for i := 0; i < len(m); i += 4096 {
					m[i] = 1
				}
				x := 0
				for i := range 20_000_000 {
					x += i ^ x<<1
				}
				m[0] = byte(x)
			})
		}
		wg.Wait()
	default:
		fmt.Fprintln(os.Stderr, "no such workload: "+strings.Join(args, " "))
		return 2
	}
	return 0
}

// churned is how many pages each thread of births touches.
const churned = 400

func appendTo(path, text string) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		panic(err)
	}
}
