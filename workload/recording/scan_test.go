package recording

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

func gzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	z.Write(data)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func zstandard(t testing.TB, data []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll(data, nil)
}

// The lines of a file, each with its newline.
func linesOf(data []byte) [][]byte {
	lines := bytes.SplitAfter(data, []byte("\n"))
	return lines[:len(lines)-1]
}

func TestTruncatedAtEveryByte(t *testing.T) {
	t.Parallel()
	whole := encodeAll(t, example())
	// Ends of lines, and how many samples are complete there.
	samplesAt := make([]int, len(whole)+1)
	ends := map[int]bool{}
	n, off := 0, 0
	for _, line := range linesOf(whole) {
		for i := range line {
			samplesAt[off+i] = n
		}
		off += len(line)
		if bytes.HasPrefix(line, []byte(`{"kind":"sample"`)) {
			n++
			samplesAt[off-1] = n // complete without its newline
		}
		ends[off], ends[off-1] = true, true
	}
	samplesAt[len(whole)] = n

	for cut := range len(whole) + 1 {
		rec, err := Read(bytes.NewReader(whole[:cut]))
		if cut < len(magic) {
			var fe *FormatError
			if !errors.As(err, &fe) {
				t.Fatalf("cut at %d: %v; too short to be a recording", cut, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if len(rec.Samples) != samplesAt[cut] {
			t.Fatalf("cut at %d: %d samples, want %d", cut, len(rec.Samples), samplesAt[cut])
		}
		if ends[cut] {
			if len(rec.Damage) != 0 {
				t.Fatalf("cut at the end of a line, %d: damage %v", cut, rec.Damage)
			}
			continue
		}
		if len(rec.Damage) != 1 || rec.Damage[0].Samples != samplesAt[cut] || !strings.Contains(rec.Damage[0].Msg, "cut short") {
			t.Fatalf("cut at %d: damage %v, want one line cut short after %d samples", cut, rec.Damage, samplesAt[cut])
		}
	}
}

func TestEveryFlippedBitIsFound(t *testing.T) {
	t.Parallel()
	whole := encodeAll(t, example())
	want := mustRead(t, whole)
	for i := range whole {
		bad := bytes.Clone(whole)
		bad[i] ^= 1 << (i % 8)
		rec, err := Read(bytes.NewReader(bad))
		if err != nil {
			if i < len(magic) {
				continue // the head's own name: may be taken as foreign
			}
			t.Fatalf("byte %d: %v", i, err)
		}
		if len(rec.Damage) == 0 && cmp.Diff(want, rec) != "" {
			t.Fatalf("byte %d: %q for %q was not found", i, bad[i], whole[i])
		}
	}
}

func TestCompressedByContent(t *testing.T) {
	whole := encodeAll(t, example())
	want := mustRead(t, whole)
	for name, data := range map[string][]byte{
		"gzip": gzipped(t, whole), "zstd": zstandard(t, whole),
		"gzip joined": append(gzipped(t, whole[:900]), gzipped(t, whole[900:])...),
		"zstd joined": append(zstandard(t, whole[:900]), zstandard(t, whole[900:])...),
	} {
		path := filepath.Join(t.TempDir(), "no-suffix")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, mustReadFile(t, path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTruncatedCompressed(t *testing.T) {
	whole := encodeAll(t, example())
	for _, packed := range [][]byte{gzipped(t, whole), zstandard(t, whole)} {
		found := 0
		for cut := range packed {
			rec, err := Read(bytes.NewReader(packed[:cut]))
			if err != nil {
				var fe *FormatError
				if !errors.As(err, &fe) {
					t.Fatalf("cut at %d: %v", cut, err)
				}
				continue
			}
			if found++; len(rec.Damage) == 0 && len(rec.Samples) < 3 {
				t.Fatalf("cut at %d: %d samples and no damage", cut, len(rec.Samples))
			}
		}
		if found == 0 {
			t.Error("no truncated file could be used")
		}
	}
}

func TestNotARecording(t *testing.T) {
	for name, in := range map[string]string{
		"empty": "", "text": "hello\nworld\n", "one line": "hello", "json": `{"results":[]}`,
		"magic of another": string(appendLine(nil, kindHead, []byte(`{"format":"other","version":1}`))),
		"only newlines":    strings.Repeat("\n", 100),
		"gzip of text":     string(gzipped(t, []byte("hello\nworld\n"))),
		"broken gzip":      "\x1f\x8b\x00",
		"broken zstd":      "\x28\xb5\x2f\xfd",
	} {
		rec, err := Read(strings.NewReader(in))
		var fe *FormatError
		if rec != nil || !errors.As(err, &fe) {
			t.Errorf("%s: %v, %v; want a *FormatError", name, rec, err)
		}
	}
}

func TestLaterVersionIsRefused(t *testing.T) {
	in := appendLine(nil, kindHead, []byte(`{"format":"microcost recording","version":2,"tool":"microcost 9"}`))
	_, err := Read(bytes.NewReader(in))
	var ve *VersionError
	if !errors.As(err, &ve) || ve.Version != 2 || ve.Tool != "microcost 9" {
		t.Errorf("error %v, want a *VersionError", err)
	}
}

func TestReadErrorIsNotDamage(t *testing.T) {
	whole := encodeAll(t, example())
	for name, data := range map[string][]byte{"plain": whole, "gzip": gzipped(t, whole), "zstd": zstandard(t, whole)} {
		in := io.MultiReader(bytes.NewReader(data[:len(data)/2]), iotest.ErrReader(os.ErrDeadlineExceeded))
		if rec, err := Read(in); rec != nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: %v, %v; want the reader's error", name, rec, err)
		}
	}
}

// Members that this version does not know, at every level, are kept.
func TestUnknownMembersSurvive(t *testing.T) {
	whole := string(encodeAll(t, example()))
	var in []byte
	for _, line := range linesOf([]byte(whole)) {
		kind, body, err := openLine(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil {
			t.Fatal(err)
		}
		// Into every object, also into nested ones.
		s := strings.ReplaceAll(string(body), "}", `,"later":{"a":[1,"}"],"n":123456789012345678901234567890}}`)
		s = strings.ReplaceAll(s, "{,", "{")
		if kind == kindSample || kind == kindHead || kind == kindEnd || kind == kindSummary {
			s = strings.TrimSuffix(string(body), "}") + `,"later":{"a":[1,"}"],"n":1e400}}`
		}
		if kind == kindSession {
			s = strings.NewReplacer(`"until":{"instructions":0.0001,"later":{"a":[1,"}"],"n":123456789012345678901234567890}}`, `"until":{"instructions":0.0001}`,
				`"thresholds":{"cycles":"1%","later":{"a":[1,"}"],"n":123456789012345678901234567890}}`, `"thresholds":{"cycles":"1%"}`,
				`"mitigations":{"a":"b","later":{"a":[1,"}"],"n":123456789012345678901234567890}}`, `"mitigations":{"a":"b"}`).Replace(s)
		}
		in = appendLine(in, kind, []byte(s))
	}
	if n := bytes.Count(in, []byte("later")); n < 20 {
		t.Fatalf("only %d members were added", n)
	}
	rec := mustRead(t, in)
	if len(rec.Damage) != 0 {
		t.Fatalf("damage: %v", rec.Damage)
	}
	if out := encodeAll(t, rec); !bytes.Equal(in, out) {
		t.Errorf("not the same after reading and writing (-in +out):\n%s", cmp.Diff(string(in), string(out)))
	}
}

// Files joined by cat are one recording.
func TestJoinedFiles(t *testing.T) {
	one := encodeAll(t, example())
	rec := mustRead(t, append(bytes.Clone(one), one...))
	if len(rec.Damage) != 0 || len(rec.Sessions) != 4 || len(rec.Samples) != 6 {
		t.Fatalf("%d sessions, %d samples, damage %v", len(rec.Sessions), len(rec.Samples), rec.Damage)
	}
	for i, s := range rec.Sessions {
		if s.ID != i {
			t.Errorf("session %d has ID %d", i, s.ID)
		}
	}
	if s := rec.Samples[5].Session; s != 3 {
		t.Errorf("the last sample is of session %d, want 3", s)
	}
}

func TestLinesThatDisagreeAreDamage(t *testing.T) {
	session := `{"id":0,"variants":[{"label":"A"}],"events":[{"name":"cycles"}]}`
	for _, c := range []struct{ name, kind, body, msg string }{
		{"variant", kindSample, `{"session":0,"variant":1,"counts":[null]}`, "names variant 1"},
		{"negative variant", kindSample, `{"session":0,"variant":-2,"counts":[null]}`, "names variant -2"},
		{"counts", kindSample, `{"session":0,"counts":[]}`, "has 0 counts"},
		{"session", kindSample, `{"session":3,"counts":[null]}`, "session 3, whose line is missing"},
		{"number", kindSample, `{"session":0,"run":"x","counts":[null]}`, "run of a sample"},
		{"count", kindSample, `{"session":0,"counts":[[1,2]]}`, "not [raw, enabled_ns, running_ns]"},
		{"negative count", kindSample, `{"session":0,"counts":[[-1,2,3]]}`, "invalid syntax"},
		{"twice", kindSession, session, "a second session 0"},
		{"summary", kindSummary, `{"session":0,"event":1}`, "names event 1"},
		{"end", kindEnd, `{"session":1}`, "whose line is missing"},
		{"json", kindEnd, `{"session":}`, "not JSON"},
		{"array", kindEnd, `[0]`, "not JSON"},
	} {
		in := appendLine(nil, kindHead, []byte(`{"format":"microcost recording","version":1}`))
		in = appendLine(in, kindSession, []byte(session))
		in = appendLine(in, kindSample, []byte(`{"session":0,"counts":[[1,2,3]]}`))
		in = appendLine(in, c.kind, []byte(c.body))
		rec := mustRead(t, in)
		if len(rec.Damage) != 1 || !strings.Contains(rec.Damage[0].Msg, c.msg) || rec.Damage[0].Line != 4 || rec.Damage[0].Samples != 1 {
			t.Errorf("%s: damage %v, want %q in line 4", c.name, rec.Damage, c.msg)
		}
		if len(rec.Samples) != 1 {
			t.Errorf("%s: %d samples", c.name, len(rec.Samples))
		}
	}
}

func TestDamageListIsBounded(t *testing.T) {
	in := encodeAll(t, example())
	for range 1000 {
		in = append(in, "x\n\n"...)
	}
	rec := mustRead(t, in)
	lines := 0
	for _, d := range rec.Damage {
		lines += d.Lines
	}
	if len(rec.Damage) > maxDamages || lines != 1000 {
		t.Errorf("%d damages of %d lines", len(rec.Damage), lines)
	}
}

func TestLongLineIsSkippedInBoundedMemory(t *testing.T) {
	whole := encodeAll(t, example())
	head := linesOf(whole)[0]
	in := io.MultiReader(bytes.NewReader(head), io.LimitReader(zeros{}, 200<<20), strings.NewReader("\n"), bytes.NewReader(whole[len(head):]))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rec, err := Read(in)
	runtime.ReadMemStats(&after)
	if err != nil || len(rec.Samples) != 3 || len(rec.Damage) != 1 {
		t.Errorf("%v, %v", rec, err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 64<<20 {
		t.Errorf("allocated %d bytes for a line of 200 MB", got)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func FuzzRead(f *testing.F) {
	whole := encodeAll(f, example())
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(gzipped(f, whole))
	f.Add(zstandard(f, whole))
	for _, line := range linesOf(whole) {
		f.Add(bytes.Clone(line))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, err := Read(bytes.NewReader(data))
		if (rec == nil) == (err == nil) {
			t.Fatalf("recording %v and error %v", rec, err)
		}
		if err != nil {
			return
		}
		// What could be read can be written and read again, the same.
		rec.Damage = nil
		once := encodeAll(t, rec)
		if twice := encodeAll(t, mustRead(t, once)); !bytes.Equal(once, twice) {
			t.Fatalf("written again:\n%s\n%s", once, twice)
		}
	})
}

// FuzzLine lets the fuzzer past the checksum.
func FuzzLine(f *testing.F) {
	for _, line := range linesOf(encodeAll(f, example())) {
		kind, body, err := openLine(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(kind, bytes.Clone(body))
	}
	start := linesOf(encodeAll(f, example()))[:2]
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		if len(body) < 2 || strings.ContainsAny(kind, "\"\\\n\r") || bytes.ContainsAny(body, "\r\n") {
			return
		}
		in := append(bytes.Join(start, nil), appendLine(nil, kind, body)...)
		rec, err := Read(bytes.NewReader(in))
		if (rec == nil) == (err == nil) {
			t.Fatalf("recording %v and error %v", rec, err)
		}
		if err != nil {
			return
		}
		rec.Damage = nil
		once := encodeAll(t, rec)
		if twice := encodeAll(t, mustRead(t, once)); !bytes.Equal(once, twice) {
			t.Fatalf("written again:\n%s\n%s", once, twice)
		}
	})
}
