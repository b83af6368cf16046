package recording

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// example is a recording with everything in it.
func example() *Recording {
	one := 1
	load := 0.25
	se := 0.00499
	return &Recording{
		Head: Head{Format: Format, Version: Version, Tool: "microcost 0.1.0"},
		Sessions: []Session{{
			ID: 0, Started: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Tool: "microcost 0.1.0",
			Variants: []Variant{
				{Label: "A", Command: []string{"a", "<&>", "ä\n"}, Text: "a '<&>'", Shell: true},
				{Label: "B", Command: []string{"b"}, Text: "b", Env: []string{"K=V"}, Binary: &Binary{SHA256: "ab", BuildID: "cd", Size: 3}},
			},
			Events: []Event{
				{Name: "instructions", Source: "kernel", Support: Supported},
				{Name: "task-clock", Source: "kernel", Unit: "ns", Scale: 1, Domain: "u", Support: NotSupported, Reason: "no PMU"},
			},
			Plan:  Plan{Schedule: RandomBlocks, Seed: 1<<64 - 1, BlockSize: 5, WarmUp: 1, MaxTime: time.Second, Until: map[string]float64{"instructions": 0.0001}},
			Judge: Judge{Alpha: 0.05, Primary: "instructions", Thresholds: map[string]string{"cycles": "1%"}},
			Env:   Env{OS: "linux", Arch: "amd64", Paranoid: &one, Load: &load, ConfigGZ: []byte{1, 2}, Mitigations: map[string]string{"a": "b"}},
		}, {
			ID: 1, Tool: "microcost 0.2.0", Variants: []Variant{{Label: "A"}}, Events: []Event{{Name: "cycles"}}, Imported: "perf stat text",
		}},
		Samples: []Sample{
			{Session: 0, Variant: 1, Run: 0, Block: -1, WarmUp: true, Start: 12, Counts: []*Count{{1 << 63, 2, 3}, nil}},
			{Session: 0, Variant: 0, Run: 1, Position: 1, Pad: 64, Exit: 1, Signal: "killed \"9\"", Failed: true, Counts: []*Count{nil, {0, 0, 0}}},
			{Session: 1, Variant: 0, Run: 1, Counts: []*Count{{5, 6, 7}}},
		},
		Summaries: []Summary{{Session: 1, N: 10, Mean: 630.908390, StdErr: &se, StdErrDigit: 5e-6}},
		Ends:      []End{{Session: 0, Reason: EndComplete}, {Session: 1, Reason: EndFailed, Detail: "x"}},
		Unknown:   []Unknown{{Kind: "weather", Body: `{"rain":true}`}, {Kind: "empty", Body: "{}"}},
	}
}

// encodeAll returns the recording as a file.
func encodeAll(t testing.TB, r *Recording) []byte {
	t.Helper()
	var buf bytes.Buffer
	n, err := r.WriteTo(&buf)
	if err != nil || n != int64(buf.Len()) {
		t.Fatalf("WriteTo = %d, %v; wrote %d", n, err, buf.Len())
	}
	return buf.Bytes()
}

func mustRead(t testing.TB, data []byte) *Recording {
	t.Helper()
	rec, err := Read(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	return rec
}

func TestRoundTrip(t *testing.T) {
	want := example()
	got := mustRead(t, encodeAll(t, want))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read differs from written (-want +got):\n%s", diff)
	}
}
