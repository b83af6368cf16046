package perfctr

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
)

// fixture is the System of testdata/name.txtar.
func fixture(t testing.TB, name string) *System {
	t.Helper()
	ar, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	root := fstest.MapFS{}
	for _, f := range ar.Files {
		root[f.Name] = &fstest.MapFile{Data: f.Data, Mode: 0o444}
	}
	s := &System{Root: root}
	for dir, to := range map[string]*fs.FS{"sys": &s.Sys, "proc": &s.Proc} {
		sub, err := fs.Sub(root, dir)
		if err != nil {
			t.Fatal(err)
		}
		*to = sub
	}
	return s
}

// fixtures are the names of all of them.
func fixtures(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".txtar"))
	}
	return names
}
