package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Every flag that the documents name is one of the program's.
func TestDocumentsNameRealFlags(t *testing.T) {
	help, err := exec.Command("microcost", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	known := string(help)
	commands := regexp.MustCompile(`(?m)^   ([a-z]+)  +\S`).FindAllStringSubmatch(string(help), -1)
	if len(commands) < 5 {
		t.Fatalf("only %d commands in\n%s", len(commands), help)
	}
	for _, c := range commands {
		out, err := exec.Command("microcost", c[1], "--help").Output()
		if err != nil {
			t.Fatalf("microcost %s --help: %v", c[1], err)
		}
		known += string(out)
	}
	flag := regexp.MustCompile(`--[a-z][a-z-]*[a-z]`)
	is := map[string]bool{}
	for _, f := range flag.FindAllString(known, -1) {
		is[f] = true
	}
	// Flags of other programs, or of git and go, that the documents mention.
	for _, f := range []string{"--repeat", "--table", "--export-json", "--no-aslr"} {
		is[f] = true
	}
	for _, doc := range []string{"README.md", "docs/manual.md", "CHANGELOG.md"} {
		b, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range flag.FindAllString(string(b), -1) {
			if !is[f] {
				t.Errorf("%s names %s, which no command has", doc, f)
			}
		}
	}
}

// The command at the top of the README does what stands there.
func TestReadmeCommand(t *testing.T) {
	b, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^    go run \. (ab '.*' '.*')$`).FindStringSubmatch(string(b))
	if m == nil {
		t.Fatal("the README does not say how to run the main job")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", "-c", "microcost "+m[1])
	c.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
	c.Dir = here
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"A  gzip", "B  gzip", "elapsed ", "task-clock ", "instructions", "confidence", "\nB "} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
