package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The test binary is the program itself when a script calls "microcost", and a
// small workload when it calls "workload".
func TestMain(m *testing.M) {
	if os.Getenv(inGuest) != "" {
		os.Stdout = os.Stderr // of which the end comes out of a guest
	}
	testscript.Main(m, map[string]func(){
		"microcost": main,
		"workload":  func() { os.Exit(testWorkload(os.Args[1:])) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_STATE_HOME", e.WorkDir+"/state")
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
	})
}
