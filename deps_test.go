package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// layers is the order in which data flows: a package may import only packages
// of lower layers, or of its own layer where alsoSame says so.
var layers = map[string]int{
	"perfctr":            0,
	"workload/recording": 1,
	"workload/machine":   2,
	"workload":           3, // and what is below it
	"compare":            3,
	"report":             4,
	"cli":                5,
	"":                   6, // main
}

// layer is that of the nearest room around a package.
func layer(pkg string) int {
	for {
		if l, ok := layers[pkg]; ok {
			return l
		}
		i := strings.LastIndexByte(pkg, '/')
		if i < 0 {
			return layers[""]
		}
		pkg = pkg[:i]
	}
}

// room is the top-level directory of a package.
func room(pkg string) string {
	top, _, _ := strings.Cut(pkg, "/")
	return top
}

func TestImportsGoOneWay(t *testing.T) {
	const module = "microcost"
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		seen++
		from := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		for _, imp := range p.Imports {
			if forbidden := pure(from, imp); forbidden != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, imp, forbidden)
			}
			to, ours := strings.CutPrefix(imp, module)
			if !ours {
				continue
			}
			to = strings.TrimPrefix(to, "/")
			lo, hi := layer(to), layer(from)
			if lo > hi || (lo == hi && room(to) != room(from)) {
				t.Errorf("%s imports %s: data flows perfctr, workload/recording, workload and compare, report, cli, main, and imports go the other way", p.ImportPath, imp)
			}
		}
	}
	if seen < 6 {
		t.Errorf("only %d packages were looked at", seen)
	}
}

// pure says why compare must not import something.
func pure(from, imp string) string {
	if from != "compare" {
		return ""
	}
	switch imp {
	case "os", "os/exec", "io", "net", "log", "math/rand", "syscall", "bufio":
		return "the comparator is pure: the same table always gives the same comparison"
	}
	return ""
}
