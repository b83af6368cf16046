package recording

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// wide is a session of fourteen events, as many as are counted by default,
// and a sample of it.
func wide() (Session, Sample) {
	s := Session{Variants: []Variant{{}, {}}, Events: make([]Event, 14)}
	m := Sample{Variant: 1, Run: 12, Block: 3, Position: 4, Start: 1234567890, Pad: 128}
	for range s.Events {
		m.Counts = append(m.Counts, &Count{1234567890, 12345678, 12345678})
	}
	return s, m
}

func BenchmarkWriter(b *testing.B) {
	w, err := Create(filepath.Join(b.TempDir(), "x.json"))
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	session, sample := wide()
	if err := w.Session(session); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Sample(sample); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	session, sample := wide()
	rec := &Recording{Sessions: []Session{session}}
	for range 10000 {
		rec.Samples = append(rec.Samples, sample)
	}
	data := encodeAll(b, rec)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		if err := Scan(bytes.NewReader(data), Visitor{Sample: func(Sample) error { n++; return nil }}); err != nil || n != 10000 {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10000, "ns/sample")
}

// A million samples, written and read, do not stay in memory.
func TestMillionsInBoundedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 8 MB")
	}
	path := filepath.Join(t.TempDir(), "x.json")
	w := mustCreate(t, path)
	session, sample := wide()
	session.Events, sample.Counts = session.Events[:1], sample.Counts[:1]
	if err := w.Session(session); err != nil {
		t.Fatal(err)
	}
	const n = 50_000 // a million takes the race detector too long
	for range n {
		if err := w.Sample(sample); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, most := 0, uint64(0)
	err = Scan(f, Visitor{Sample: func(Sample) error {
		if got++; got%10_000 == 0 {
			most = max(most, heap())
		}
		return nil
	}})
	size, _ := f.Seek(0, io.SeekEnd)
	if err != nil || got != n {
		t.Fatalf("read %d samples, %v", got, err)
	}
	if most > uint64(size)/4 {
		t.Errorf("%d bytes of heap for a file of %d", most, size)
	}
}

// heap is the memory in use after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
