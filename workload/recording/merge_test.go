package recording

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMerge(t *testing.T) {
	a, b := example(), example()
	m := Merge(a, b)
	if diff := cmp.Diff(example(), a); diff != "" {
		t.Errorf("Merge changed its argument:\n%s", diff)
	}
	if len(m.Sessions) != 4 || len(m.Samples) != 6 || len(m.Summaries) != 2 || len(m.Ends) != 4 {
		t.Fatalf("%d sessions, %d samples, %d summaries, %d ends", len(m.Sessions), len(m.Samples), len(m.Summaries), len(m.Ends))
	}
	if m.Sessions[3].ID != 3 || m.Samples[5].Session != 3 || m.Summaries[1].Session != 3 || m.Ends[2].Session != 2 {
		t.Errorf("numbers: session %d, sample %d, summary %d, end %d", m.Sessions[3].ID, m.Samples[5].Session, m.Summaries[1].Session, m.Ends[2].Session)
	}
	// It is what joining the files gives.
	joined := mustRead(t, append(encodeAll(t, a), encodeAll(t, b)...))
	m.Unknown, joined.Unknown = nil, nil
	if diff := cmp.Diff(joined, m); diff != "" {
		t.Errorf("(-joined files +merged):\n%s", diff)
	}
}

func TestFilter(t *testing.T) {
	r := example()
	if diff := cmp.Diff(r, Filter(r, nil, nil)); diff != "" {
		t.Errorf("no filter (-want +got):\n%s", diff)
	}
	got := Filter(r, func(s *Session) bool { return s.ID == 1 }, nil)
	if len(got.Sessions) != 1 || got.Sessions[0].ID != 0 || len(got.Samples) != 1 || got.Samples[0].Session != 0 || len(got.Summaries) != 1 || len(got.Ends) != 1 {
		t.Errorf("second session: %+v", got)
	}
	got = Filter(r, nil, func(_ *Session, s *Sample) bool { return !s.WarmUp })
	if len(got.Sessions) != 2 || len(got.Samples) != 2 {
		t.Errorf("without warm-ups: %d sessions, %d samples", len(got.Sessions), len(got.Samples))
	}
}

func TestSplitByLabel(t *testing.T) {
	parts := SplitBy(example(), ByLabel)
	if len(parts) != 2 || parts[0].Key != "A" || parts[1].Key != "B" {
		t.Fatalf("parts %+v", parts)
	}
	a, b := parts[0].Recording, parts[1].Recording
	if len(a.Sessions) != 2 || len(a.Samples) != 2 || len(a.Summaries) != 1 || len(b.Sessions) != 1 || len(b.Samples) != 1 {
		t.Errorf("A has %d sessions, %d samples; B %d, %d", len(a.Sessions), len(a.Samples), len(b.Sessions), len(b.Samples))
	}
	if s := b.Samples[0]; s.Variant != 0 || b.Sessions[0].Variants[0].Label != "B" {
		t.Errorf("B's sample is of variant %d of %v", s.Variant, b.Sessions[0].Variants)
	}
	encodeAll(t, b)
}

func TestSplitByHost(t *testing.T) {
	r := example()
	r.Sessions[0].Env.Host, r.Sessions[1].Env.Host = "x", "y"
	parts := SplitBy(r, ByHost)
	if len(parts) != 2 || parts[0].Key != "x" || len(parts[0].Recording.Samples) != 2 || len(parts[1].Recording.Samples) != 1 {
		t.Errorf("parts %+v", parts)
	}
}
