package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"microcost/workload/recording"
	"microcost/workload/recording/importer"
)

// A side is one variant on its way to a comparison.
type side struct {
	label string
	first *recording.Session // nil: none
}

// A comparing is the files of a comparison being read.
type comparing struct {
	paths  []string
	keep   func(*recording.Session) bool // nil keeps all
	runs   int
	inside bool // variants are those inside the files
	merge  bool // files of the same label are one variant

	all   *gathering
	hosts map[string]*gathering // nil: not asked for
	order []string              // of the hosts
	sides []side
	notes []string
}

// read takes all files. Which name a file's variant gets depends on the others,
// so the first pass reads sessions only.
func (in *comparing) read() error {
	names := make([]map[string]string, len(in.paths)) // by file: label there to label here
	if !in.inside && !in.merge {
		own := make([]string, len(in.paths))
		for i, path := range in.paths {
			labels, err := in.labels(path)
			if err != nil {
				return err
			}
			own[i] = labels[0]
		}
		for i, label := range unique(own, in.paths) {
			names[i] = map[string]string{own[i]: label}
		}
	}
	for i, path := range in.paths {
		if err := in.file(path, names[i]); err != nil {
			return err
		}
	}
	labels := map[string]bool{}
	for _, s := range in.sides {
		labels[s.label] = true
	}
	if len(labels) < 2 {
		return usagef("give the base and what it is compared with", "only one variant: %q", in.sides[0].label)
	}
	return nil
}

// labels are those of the variants of a file that is to be one variant.
func (in *comparing) labels(path string) ([]string, error) {
	var list []string
	skip := recording.Visitor{
		Sample: func(recording.Sample) error { return nil }, Summary: func(recording.Summary) error { return nil },
		End: func(recording.End) error { return nil }, Damage: func(recording.Damage) error { return nil },
		Session: func(s recording.Session) error {
			if in.keep != nil && !in.keep(&s) {
				return nil
			}
			for _, v := range s.Variants {
				if !slices.Contains(list, v.Label) {
					list = append(list, v.Label)
				}
			}
			return nil
		},
	}
	if err := in.visit(path, skip); err != nil {
		return nil, err
	}
	switch {
	case len(list) == 0:
		return nil, usagef("--filter keeps nothing of it", "%s has no session left", path)
	case len(list) > 1:
		return nil, usagef("--split-by label takes the variants from inside the files", "%s holds %d variants, and each file is to be one", path, len(list))
	}
	return list, nil
}

// file takes one file's sessions and samples.
func (in *comparing) file(path string, names map[string]string) error {
	before := len(in.all.rec.Sessions)
	damaged := len(in.all.rec.Damage)
	relabel := func(s *recording.Session) {
		variants := slices.Clone(s.Variants)
		for i, v := range variants {
			if to, ok := names[v.Label]; ok {
				variants[i].Label = to
			}
			in.side(variants[i].Label, s)
		}
		s.Variants = variants
	}
	v := in.all.into(in.keep, relabel)
	if in.hosts != nil {
		v = in.perHost(v, relabel)
	}
	if err := in.visit(path, v); err != nil {
		return err
	}
	if len(in.all.rec.Sessions) == before {
		return usagef("--filter keeps nothing of it", "%s has no session left", path)
	}
	in.notes = append(in.notes, damage(path, in.all.rec.Damage[damaged:])...)
	return nil
}

// side notes the first session of each variant.
func (in *comparing) side(label string, s *recording.Session) {
	if !slices.ContainsFunc(in.sides, func(have side) bool { return have.label == label }) {
		first := *s
		in.sides = append(in.sides, side{label: label, first: &first})
	}
}

// perHost lets everything go to a gathering of its machine as well.
func (in *comparing) perHost(all recording.Visitor, relabel func(*recording.Session)) recording.Visitor {
	own := map[int]recording.Visitor{} // by session of the file
	visitors := map[string]recording.Visitor{}
	return recording.Visitor{
		Session: func(s recording.Session) error {
			host := s.Env.Host
			if in.keep == nil || in.keep(&s) {
				if in.hosts[host] == nil {
					in.hosts[host] = newGathering()
					in.order = append(in.order, host)
				}
				if _, ok := visitors[host]; !ok {
					visitors[host] = in.hosts[host].into(in.keep, relabel)
				}
				own[s.ID] = visitors[host]
				if err := own[s.ID].Session(s); err != nil {
					return err
				}
			}
			return all.Session(s)
		},
		Sample: func(s recording.Sample) error {
			if v, ok := own[s.Session]; ok {
				if err := v.Sample(s); err != nil {
					return err
				}
			}
			return all.Sample(s)
		},
		Summary: func(s recording.Summary) error {
			if v, ok := own[s.Session]; ok {
				if err := v.Summary(s); err != nil {
					return err
				}
			}
			return all.Summary(s)
		},
		End: all.End, Damage: all.Damage,
	}
}

// visit reads one file.
func (in *comparing) visit(path string, v recording.Visitor) error {
	f, err := open(path, "microcost record -o FILE -- CMD makes one")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := visit(f, importer.Options{Runs: in.runs}, v); err != nil {
		return usagef("", "%s: %v", path, reason(err))
	}
	return nil
}

// unique gives every file's variant a name of its own: its label, the file's
// name where labels are equal, the path where those are equal too.
func unique(labels, paths []string) []string {
	list := make([]string, len(labels))
	for _, name := range []func(i int) string{
		func(i int) string { return labels[i] },
		func(i int) string {
			return strings.TrimSuffix(filepath.Base(paths[i]), filepath.Ext(paths[i]))
		},
		func(i int) string { return paths[i] },
		func(i int) string { return fmt.Sprintf("%s (%d)", paths[i], i+1) },
	} {
		seen := map[string]bool{"": true}
		for i := range list {
			list[i] = name(i)
			seen[list[i]] = true
		}
		if len(seen) == len(list)+1 {
			break
		}
	}
	return list
}
