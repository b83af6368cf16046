package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"

	"microcost/compare"
	"microcost/workload"
	"microcost/workload/recording"
)

// aaLabel is what the base is called where it stands against itself.
const aaLabel = "A again"

// againstItself makes the variants of --aa out of its one command.
func againstItself(list []workload.Variant) []workload.Variant {
	a, b := list[0], list[0]
	a.Label, b.Label = workload.Label(0), aaLabel
	return []workload.Variant{a, b}
}

// aaPath is where the comparison of a session's base with itself is kept: a
// name for each command and machine. It is empty when there is no place.
func (w *World) aaPath(s *recording.Session) string {
	last := w.lastRecording()
	if last == "" {
		return ""
	}
	v := s.Variants[0]
	key, err := json.Marshal([]any{v.Command, v.Shell, v.Env, s.Plan.CPUs, s.Env.Host, s.Env.CPU})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(key)
	return filepath.Join(filepath.Dir(last), "aa", hex.EncodeToString(sum[:12])+".jsonl")
}

// keepAA stores what a comparison of a command with itself showed, for later
// ones: the session without its runs.
func (w *World) keepAA(g *gathering) error {
	s := g.rec.Sessions[0]
	path := w.aaPath(&s)
	if path == "" {
		return nil
	}
	var err error
	if s.AA, err = g.floors(); err != nil || s.AA == nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	rec := &recording.Recording{Sessions: []recording.Session{s}}
	return writeBeside(path, func(f io.Writer) error { return writeRecording(f, rec) })
}

// floors are those of all metrics; nil when there are none.
func (g *gathering) floors() (*recording.AA, error) {
	t, err := g.table.Table()
	if err != nil {
		return nil, err
	}
	o, err := asked(&g.rec)
	if err != nil {
		return nil, err
	}
	c, err := compare.Compare(t, o)
	if err != nil {
		return nil, err
	}
	aa := &recording.AA{Started: g.rec.Sessions[0].Started}
	for _, m := range c.Metrics {
		for _, d := range m.Deltas {
			if d.Verdict == compare.NotCompared || math.IsInf(d.Floor, 0) || math.IsNaN(d.Floor) {
				continue
			}
			aa.Runs = max(aa.Runs, d.N)
			aa.Floors = append(aa.Floors, recording.AAFloor{Metric: m.Metric.Name, Scale: string(d.Scale), Floor: d.Floor})
		}
	}
	if len(aa.Floors) == 0 {
		return nil, nil
	}
	return aa, nil
}

// recallAA finds what the base of a session showed against itself. A file that
// cannot be used is as good as none: it is only an addition to the report.
func (w *World) recallAA(s *recording.Session) *recording.AA {
	path := w.aaPath(s)
	if path == "" {
		return nil
	}
	rec, err := recording.ReadFile(path)
	if err != nil || len(rec.Sessions) == 0 {
		return nil
	}
	return rec.Sessions[0].AA
}
