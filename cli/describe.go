package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"microcost/compare"
	"microcost/compare/elfsize"
	"microcost/perfctr"
	"microcost/workload"
	"microcost/workload/machine"
	"microcost/workload/recording"
)

// describe is the session as the recording keeps it.
func (s *session) describe(env recording.Env) recording.Session {
	o := s.o
	rs := recording.Session{
		Started: time.Now(), Tool: "microcost " + Version, Events: workload.Events(s.supports),
		Plan: recording.Plan{
			Schedule: recording.RandomBlocks, Seed: o.seed, BlockSize: workload.BlockSize, WarmUp: o.warmup,
			Runs: o.stop.runs, MaxTime: o.stop.maxTime, Until: o.stop.until, CPUs: o.cpuText,
		},
		Judge: recording.Judge{Alpha: o.judge.Alpha, Primary: o.judge.Primary, Thresholds: o.threshold},
		Env:   env,
	}
	rs.Env.Variables = machine.Variables(s.w.Env)
	for _, v := range o.variants {
		rv := v.Record()
		if v.Builtin == nil && v.Window == 0 && !v.Shell {
			rv.Binary = identify(workload.Program(v, s.w.Env, o.dir))
		}
		rs.Variants = append(rs.Variants, rv)
	}
	rs.Plan.AA = o.aa
	if o.record == nil && !o.aa {
		rs.AA = s.w.recallAA(&rs)
	}
	if o.record != nil {
		rs.Plan.Schedule, rs.Judge = recording.Sequential, recording.Judge{}
		if o.record.private {
			user := s.w.getenv("USER")
			rs.Env.Private = machine.Private(os.DirFS("/"), user, s.w.Env)
		}
	}
	return rs
}

// identify tells one build of a program from another; nil where it cannot be
// read, which is no reason not to run it.
func identify(path string) *recording.Binary {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return nil
	}
	b, err := machine.Identify(f, st.Size())
	if err != nil {
		return nil
	}
	b.Sections = sectionSizes(path)
	return b
}

// sectionSizes are those of an ELF file or of what a boot image holds; nil for
// anything else.
func sectionSizes(path string) *recording.SectionSizes {
	image, err := elfsize.Read(path, elfsize.ReadOptions{Bodies: true, DebugDirs: elfsize.DefaultReadOptions.DebugDirs, MaxUnpacked: elfsize.DefaultReadOptions.MaxUnpacked})
	if err != nil {
		return nil
	}
	line := image.Berkeley()
	s := &recording.SectionSizes{Text: line.Text, Data: line.Data, BSS: line.BSS}
	if len(image.Objects) == 1 && image.Objects[0].Code != [32]byte{} {
		s.Code = fmt.Sprintf("%x", image.Objects[0].Code)
	}
	return s
}

// checkMetrics finds out before the first run whether everything that is asked
// about will be measured.
func (s *session) checkMetrics() error {
	t, err := s.dry()
	if err != nil {
		return err
	}
	names := make([]string, 0, len(t.Metrics))
	absent := map[string]string{}
	for _, m := range t.Metrics {
		names = append(names, m.Name)
		if m.Absent == "<not supported>" {
			absent[m.Name] = m.Reason
		}
	}
	check := func(flag, name string) error {
		if !slices.Contains(names, name) {
			return unknownMetric(flag, name, names)
		}
		if reason, missing := absent[name]; missing {
			return &MeasureError{Msg: fmt.Sprintf("%s: %s cannot be counted here", flag, name), Hint: reason}
		}
		return nil
	}
	for _, name := range s.o.sweepMetrics {
		if err := check("--sweep-metric", name); err != nil {
			return err
		}
	}
	for name := range s.o.stop.until {
		if err := check("--until", name); err != nil {
			return err
		}
	}
	for name := range s.o.judge.Thresholds {
		if err := check("--threshold", name); err != nil {
			return err
		}
	}
	for _, c := range s.o.failOn {
		if err := check("--fail-on", c.Metric); err != nil {
			return err
		}
	}
	if err := checkUnits(t, s.o); err != nil {
		return err
	}
	if p := s.o.judge.Primary; p != "" {
		if err := check("--primary", p); err != nil {
			return err
		}
	}
	for _, m := range t.Metrics {
		// Of a target that is not the command itself, the clock alone is no
		// measurement.
		clock := s.target.Kind != perfctr.OnExec && slices.ContainsFunc(s.supports, func(p perfctr.Support) bool {
			return p.Event.Name == m.Name && p.Event.Source == perfctr.SourceRun
		})
		if m.Absent != "<not supported>" && !clock && !m.Derived {
			return nil
		}
	}
	return &MeasureError{Msg: "none of the events can be counted here", Hint: firstReason(s.supports)}
}

// checkUnits refuses amounts whose unit is not of the metric's kind: they would
// be bounds that nothing ever reaches.
func checkUnits(t *compare.Table, o *abOptions) error {
	for _, m := range t.Metrics {
		if text, ok := o.threshold[m.Name]; ok {
			if err := compare.CheckUnit(m, text); err != nil {
				return usagef("--threshold elapsed=2ms", "--threshold: %v", err)
			}
		}
		for _, c := range o.failOn {
			if c.Metric == m.Name {
				if err := compare.CheckUnit(m, c.Text); err != nil {
					return usagef("--fail-on 'elapsed>+2ms'", "--fail-on %s: %v", c.Text, err)
				}
			}
		}
	}
	return nil
}

// unknownMetric words a name that no metric has.
func unknownMetric(flag, name string, names []string) error {
	hint := "metrics of this comparison: " + strings.Join(names, ", ")
	if near := nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %s? %s", near, hint)
	}
	return usagef(hint, "%s: no metric is called %q", flag, name)
}

// dry is the table of a recording in which every event that can be counted has
// a count: the metrics, derived ones too, that this session is going to have.
func (s *session) dry() (*compare.Table, error) {
	var smp recording.Sample
	for _, e := range s.rec.Events {
		var c *recording.Count
		if e.Support == recording.Supported {
			c = &recording.Count{Raw: 1, Enabled: 1, Running: 1}
		}
		smp.Counts = append(smp.Counts, c)
	}
	return compare.FromRecording(&recording.Recording{Sessions: []recording.Session{s.rec}, Samples: []recording.Sample{smp}})
}

func firstReason(list []perfctr.Support) string {
	for _, s := range list {
		if s.Reason != "" {
			return s.Reason
		}
	}
	return ""
}
