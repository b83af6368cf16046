// Command microcost measures what a change costs: it counts two commands in
// turn with the kernel's performance counters and gives a verdict.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"microcost/cli"
	"microcost/workload/guest"
)

func main() {
	if guest.IsInit(os.Getpid(), os.Args) {
		guest.Init() // the first process of a kernel that microcost booted
	}
	os.Exit(run(context.Background(), os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program: everything that belongs to the process (arguments,
// streams, environment, signals) is taken here and handed on.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	notify := func() (<-chan os.Signal, func()) {
		interrupts := make(chan os.Signal, 8)
		signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
		return interrupts, func() { signal.Stop(interrupts) }
	}
	return cli.Run(ctx, cli.World{
		Args: args, Stdin: stdin, Stdout: stdout, Stderr: stderr,
		Env: os.Environ(), Notify: notify,
	})
}
