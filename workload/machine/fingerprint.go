package machine

import (
	"io/fs"
	"os"
	"runtime"

	"microcost/workload/recording"
)

// Fingerprint describes the machine whose root file system is root. It reads
// some hundred small files, about 5 ms on a small machine, and is meant to be
// called once for each session, outside of every measured run.
func Fingerprint(root fs.FS) recording.Env {
	env := recording.Env{OS: runtime.GOOS, Arch: runtime.GOARCH, PageSize: os.Getpagesize()}
	t := tree{root}
	readKernel(t, &env)
	readCPU(t, &env)
	readTopology(t, &env)
	readPower(t, &env)
	readMemory(t, &env)
	readVirtualisation(t, &env)
	readCgroup(t, &env)
	readSettings(t, &env)
	readScheduler(t, &env)
	readModules(t, &env)
	return env
}

// Private is what names the machine and its user, for recordings of users who
// ask for it.
func Private(root fs.FS, user string, environ []string) *recording.Private {
	return &recording.Private{
		HostName:    tree{root}.text("proc/sys/kernel/hostname"),
		User:        user,
		Environment: environ,
	}
}
