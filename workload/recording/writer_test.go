package recording

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// writeAll sends a recording through a Writer.
func writeAll(t *testing.T, w *Writer, r *Recording) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for id, s := range r.Sessions {
		s.ID = w.NextSession()
		check(w.Session(s))
		for _, l := range r.Summaries {
			if l.Session == id {
				l.Session = s.ID
				check(w.Summary(l))
			}
		}
		for _, l := range r.Samples {
			if l.Session == id {
				l.Session = s.ID
				check(w.Sample(l))
			}
		}
		check(w.Sync())
		for _, l := range r.Ends {
			if l.Session == id {
				l.Session = s.ID
				check(w.End(l))
			}
		}
	}
	for _, u := range r.Unknown {
		check(w.Unknown(u))
	}
}

func mustCreate(t *testing.T, path string) *Writer {
	t.Helper()
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func mustReadFile(t *testing.T, path string) *Recording {
	t.Helper()
	rec, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func TestWriterWritesWhatWriteToWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	w := mustCreate(t, path)
	writeAll(t, w, example())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := encodeAll(t, example()); !bytes.Equal(got, want) {
		t.Errorf("file differs (-want +got):\n%s", cmp.Diff(string(want), string(got)))
	}
}

// Every sample is in the file when Sample returns: nothing waits in the
// process for a flush that a kill would prevent.
func TestWriterBuffersNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	w := mustCreate(t, path)
	defer w.Close()
	if err := w.Session(example().Sessions[0]); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 10; n++ {
		if err := w.Sample(example().Samples[0]); err != nil {
			t.Fatal(err)
		}
		if got := len(mustReadFile(t, path).Samples); got != n {
			t.Fatalf("after %d samples the file has %d", n, got)
		}
	}
}

func TestCreateKeepsTheOldRecordingUntilTheFirstSession(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.json")
	old := encodeAll(t, example())
	if err := os.WriteFile(path, old, 0o640); err != nil {
		t.Fatal(err)
	}
	is := func(want []byte, when string) {
		t.Helper()
		if got, _ := os.ReadFile(path); !bytes.Equal(got, want) {
			t.Fatalf("%s: the file is\n%s", when, got)
		}
	}

	w := mustCreate(t, path)
	is(old, "after Create")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	is(old, "after Create and Close")

	w = mustCreate(t, path)
	next := &Recording{Sessions: []Session{{Tool: "microcost 9"}}, Head: Head{Tool: "microcost 9"}}
	writeAll(t, w, next)
	is(encodeAll(t, next), "after the first session")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("mode is %v, %v; want that of the old file", st.Mode(), err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		want       error
	}{
		{"a directory", dir, syscall.EISDIR},
		{"a missing directory", filepath.Join(dir, "no", "x.json"), fs.ErrNotExist},
		{"a file below a file", filepath.Join(source, "x.json"), syscall.ENOTDIR},
		{"a file that is no recording", source, fs.ErrExist},
	} {
		w, err := Create(c.path)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
		if err == nil {
			w.Close()
		} else if !strings.HasPrefix(err.Error(), "creating "+c.path+": ") {
			t.Errorf("%s: error %q does not name the file", c.name, err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCreateReplacesEmptyAndDamagedFiles(t *testing.T) {
	whole := encodeAll(t, example())
	for name, old := range map[string][]byte{
		"empty":     nil,
		"torn":      whole[:len(whole)/2],
		"torn head": whole[:60],
	} {
		path := filepath.Join(t.TempDir(), "x.json")
		if err := os.WriteFile(path, old, 0o666); err != nil {
			t.Fatal(err)
		}
		w, err := Create(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		w.Close()
	}
}

func TestCreateFollowsSymbolicLinks(t *testing.T) {
	dir := t.TempDir()
	link, target := filepath.Join(dir, "latest"), filepath.Join(dir, "x.json")
	if err := os.Symlink("x.json", link); err != nil {
		t.Fatal(err)
	}
	for range 2 { // dangling at first, then to a recording
		w := mustCreate(t, link)
		writeAll(t, w, example())
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", st, err)
	}
	mustReadFile(t, target)
}

func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	for range 3 { // created by the first
		w, err := OpenAppend(path)
		if err != nil {
			t.Fatal(err)
		}
		writeAll(t, w, &Recording{Sessions: example().Sessions, Samples: example().Samples, Ends: example().Ends})
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	rec := mustReadFile(t, path)
	if len(rec.Sessions) != 6 || len(rec.Samples) != 9 || len(rec.Ends) != 6 || len(rec.Damage) != 0 {
		t.Fatalf("read %d sessions, %d samples, %d ends, damage %v", len(rec.Sessions), len(rec.Samples), len(rec.Ends), rec.Damage)
	}
	if s := rec.Samples[8]; s.Session != 5 {
		t.Errorf("last sample is of session %d, want 5", s.Session)
	}
}

// Whatever byte a file ends at, what is appended can be read and damages
// nothing. Each append waits for the disk, so not every byte is tried within
// lines, but all around their ends.
func TestAppendAfterTornLine(t *testing.T) {
	whole := encodeAll(t, example())
	path := filepath.Join(t.TempDir(), "x.json")
	next := &Recording{Sessions: []Session{{Tool: "later", Variants: []Variant{{}}, Events: []Event{{}}}}, Samples: []Sample{{Run: 7, Counts: []*Count{{8, 9, 10}}}}}
	for n := len(magic); n <= len(whole); n++ {
		if !bytes.Contains(whole[max(0, n-2):min(len(whole), n+2)], []byte("\n")) && n%397 != 0 {
			continue
		}
		if err := os.WriteFile(path, whole[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		before := mustRead(t, whole[:n])
		w, err := OpenAppend(path)
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		writeAll(t, w, next)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		after := mustReadFile(t, path)
		if len(after.Samples) != len(before.Samples)+1 || len(after.Damage) != len(before.Damage) {
			t.Fatalf("cut at %d: %d samples and damage %v, then %d and %v", n, len(before.Samples), before.Damage, len(after.Samples), after.Damage)
		}
		if last := after.Samples[len(after.Samples)-1]; last.Run != 7 || after.Sessions[last.Session].Tool != "later" {
			t.Fatalf("cut at %d: the appended sample is %+v", n, last)
		}
	}
}

func TestAppendRefuses(t *testing.T) {
	dir := t.TempDir()
	held := filepath.Join(dir, "held")
	w := mustCreate(t, held)
	defer w.Close()
	writeAll(t, w, example())
	if _, err := OpenAppend(held); !errors.Is(err, ErrInUse) {
		t.Errorf("appending to a file that is being written: %v", err)
	}

	if _, err := Create(held); !errors.Is(err, ErrInUse) {
		t.Errorf("replacing a file that is being written: %v", err)
	}

	foreign := filepath.Join(dir, "foreign")
	if err := os.WriteFile(foreign, []byte("a,b\n1,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var fe *FormatError
	if _, err := OpenAppend(foreign); !errors.As(err, &fe) {
		t.Errorf("appending to a file that is no recording: %v", err)
	}

	packed := filepath.Join(dir, "packed")
	if err := os.WriteFile(packed, gzipped(t, encodeAll(t, example())), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenAppend(packed); err == nil || !strings.Contains(err.Error(), "compressed (gzip)") {
		t.Errorf("appending to a compressed file: %v", err)
	}
	if _, err := OpenAppend(dir); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("appending to a directory: %v", err)
	}
}

func TestFullDevice(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skipf("needs /dev/full: %v", err)
	}
	w := mustCreate(t, "/dev/full")
	err := w.Session(example().Sessions[0])
	if !errors.Is(err, syscall.ENOSPC) || err.Error() != "writing /dev/full: no space left on device" {
		t.Errorf("Session on a full device: %v", err)
	}
	if err := w.Close(); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "lines lost: 1") {
		t.Errorf("Close: %v", err)
	}
}

func TestWriterRefusesLinesThatNoReaderTakes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	w := mustCreate(t, path)
	defer w.Close()
	s := example().Sessions[0]
	for name, err := range map[string]error{
		"sample before a session": w.Sample(Sample{}),
		"end before a session":    w.End(End{}),
		"session of another ID":   w.Session(Session{ID: 1}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := w.Session(s); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"the same session again": w.Session(s),
		"too few counts":         w.Sample(Sample{}),
		"unknown variant":        w.Sample(Sample{Variant: 2, Counts: make([]*Count, 2)}),
		"unknown event":          w.Summary(Summary{Event: 2}),
		"unknown session":        w.End(End{Session: 1}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := w.Err(); err != nil {
		t.Errorf("a refused line is not an error of the file: %v", err)
	}
}
