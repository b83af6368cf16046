package cli

import (
	"bufio"
	"errors"
	"io"
	"os"

	"microcost/compare"
	"microcost/workload/recording"
	"microcost/workload/recording/importer"
)

// A gathering is recordings on their way to a comparison: their samples go into
// a table as they are read and are not kept, so that memory holds a few numbers
// for each run, whatever else the files say of it.
type gathering struct {
	rec     recording.Recording // without samples
	table   *compare.Collector
	warmUps int
	failed  int
	twice   int            // sessions that were there already and were left out
	runs    int            // judged
	sampled map[string]int // by label of a variant: the first session with a run of it
}

func newGathering() *gathering {
	return &gathering{table: compare.NewCollector(), sampled: map[string]int{}}
}

// session takes a session and returns its number here.
func (g *gathering) session(s recording.Session) int {
	s.ID = len(g.rec.Sessions)
	g.rec.Sessions = append(g.rec.Sessions, s)
	g.table.Session(&s)
	return s.ID
}

// rename gives variants other labels; all have one.
func (g *gathering) rename(final map[string]string) {
	for i := range g.rec.Sessions {
		for k := range g.rec.Sessions[i].Variants {
			v := &g.rec.Sessions[i].Variants[k]
			v.Label = final[v.Label]
		}
	}
	sampled := map[string]int{}
	for label, n := range g.sampled {
		sampled[final[label]] = n
	}
	g.sampled = sampled
	g.table.Rename(final)
}

// sample takes a sample whose Session is the number given here.
func (g *gathering) sample(s *recording.Sample) error {
	switch {
	case s.WarmUp:
		g.warmUps++
	case s.Failed:
		g.failed++
	default:
		g.runs++
		if v := g.rec.Sessions[s.Session].Variants; s.Variant < len(v) {
			if label := v[s.Variant].Label; !g.hasRun(label) {
				g.sampled[label] = s.Session
			}
		}
	}
	return g.table.Sample(s)
}

// hasRun says whether a variant has a run that is judged.
func (g *gathering) hasRun(label string) bool {
	_, ok := g.sampled[label]
	return ok
}

// gather takes a recording that is in memory.
func gather(rec *recording.Recording) (*gathering, error) {
	g := newGathering()
	ids := map[int]int{}
	for _, s := range rec.Sessions {
		ids[s.ID] = g.session(s)
	}
	for i := range rec.Samples {
		s := rec.Samples[i]
		s.Session = ids[s.Session]
		if err := g.sample(&s); err != nil {
			return nil, err
		}
	}
	g.rec.Summaries, g.rec.Ends, g.rec.Damage = rec.Summaries, rec.Ends, rec.Damage
	return g, nil
}

// onlyMeans says whether some variant has no sample, only what another tool said
// of its runs.
func (g *gathering) onlyMeans() bool {
	if len(g.rec.Summaries) == 0 {
		return false
	}
	for i := range g.rec.Sessions {
		for _, v := range g.rec.Sessions[i].Variants {
			if !g.hasRun(v.Label) {
				return true
			}
		}
	}
	return false
}

// visit reads a file, a recording or what another tool wrote, and hands it over
// line by line. Only other tools' files, whose size is limited, are held in
// memory.
func visit(f *os.File, o importer.Options, v recording.Visitor) error {
	if st, err := f.Stat(); err == nil && !st.Mode().IsRegular() && !st.IsDir() {
		return visitOnce(f, o, v)
	}
	err := recording.Scan(f, v)
	var format *recording.FormatError
	if !errors.As(err, &format) {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return format
	}
	rec, err := importer.Import(f, o)
	if err != nil {
		return err
	}
	return replay(rec, v)
}

// visitOnce does so with what cannot be read again, a pipe: how it starts says
// what it is.
func visitOnce(r io.Reader, o importer.Options, v recording.Visitor) error {
	in, err := recording.Decompress(r)
	if err != nil {
		return err
	}
	defer in.Close()
	b := bufio.NewReader(in)
	if recording.Starts(b) {
		return recording.Scan(b, v)
	}
	rec, err := importer.Import(b, o)
	if err != nil {
		return err
	}
	return replay(rec, v)
}

// replay hands a recording over as Scan does.
func replay(rec *recording.Recording, v recording.Visitor) error {
	for _, s := range rec.Sessions {
		if err := v.Session(s); err != nil {
			return err
		}
	}
	for _, s := range rec.Samples {
		if err := v.Sample(s); err != nil {
			return err
		}
	}
	for _, s := range rec.Summaries {
		if err := v.Summary(s); err != nil {
			return err
		}
	}
	for _, e := range rec.Ends {
		if err := v.End(e); err != nil {
			return err
		}
	}
	for _, d := range rec.Damage {
		if err := v.Damage(d); err != nil {
			return err
		}
	}
	return nil
}

// mostVariants is how many are compared at most; each is looked up in a list.
const mostVariants = 4096

// into returns what visits a file for a gathering. keep may be nil; relabel may
// change a session before it is taken.
func (g *gathering) into(keep func(*recording.Session) bool, relabel func(*recording.Session)) recording.Visitor {
	ids := map[int]int{} // of the file to ours; -1: not kept
	return recording.Visitor{
		Session: func(s recording.Session) error {
			if keep != nil && !keep(&s) {
				ids[s.ID] = -1
				return nil
			}
			id := s.ID
			if relabel != nil {
				relabel(&s)
			}
			if ids[id] = g.session(s); g.table.Variants() > mostVariants {
				return usagef("--filter takes some of them", "more than %d variants", mostVariants)
			}
			return nil
		},
		Sample: func(s recording.Sample) error {
			if s.Session = ids[s.Session]; s.Session < 0 {
				return nil
			}
			return g.sample(&s)
		},
		Summary: func(s recording.Summary) error {
			if s.Session = ids[s.Session]; s.Session >= 0 {
				g.rec.Summaries = append(g.rec.Summaries, s)
			}
			return nil
		},
		End: func(e recording.End) error {
			if e.Session = ids[e.Session]; e.Session >= 0 {
				g.rec.Ends = append(g.rec.Ends, e)
			}
			return nil
		},
		Damage: func(d recording.Damage) error {
			if len(g.rec.Damage) < 100 { // no file is worth more lines than that
				g.rec.Damage = append(g.rec.Damage, d)
			}
			return nil
		},
	}
}

// open opens a file that is to be read, wording what is wrong.
func open(path, hint string) (*os.File, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, usagef(hint, "%s does not exist", path)
	}
	if err != nil {
		return nil, usagef("", "%s: %v", path, reason(err))
	}
	return f, nil
}
