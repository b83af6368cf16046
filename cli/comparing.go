package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"microcost/workload/recording"
	"microcost/workload/recording/importer"
)

// A comparing is the files of a comparison being read.
type comparing struct {
	paths  []string
	keep   func(*recording.Session) bool // nil keeps all
	runs   int
	inside bool // variants are those inside the files
	merge  bool // files of the same label are one variant
	force  bool // compare what cannot be compared

	all   *gathering
	hosts map[string]*gathering // nil: not asked for
	order []string              // of the hosts
	notes []string
	seen  map[string]string // identities of sessions, and the file of each

	labels []string // of the variants, the base's first
	// What the sessions are compared with: the base's first, with --by host that
	// of each host; and what was found.
	base        map[string]*recording.Session
	differences []recording.Difference
}

// read takes all files, each once: a pipe cannot be read twice. What a file's
// variant is called depends on the others; until all are read it has a name that
// no variant can have.
func (in *comparing) read() error {
	in.seen, in.base = map[string]string{}, map[string]*recording.Session{}
	if err := in.distinct(); err != nil {
		return err
	}
	own := make([]string, len(in.paths)) // label in the file
	for i, path := range in.paths {
		var err error
		if own[i], err = in.file(i, path); err != nil {
			return err
		}
	}
	if in.eachFile() {
		final := map[string]string{}
		for i, label := range unique(own, in.paths) {
			final[placeholder(i)] = label
		}
		in.rename(final)
	}
	if len(in.labels) < 2 {
		return usagef("give the base and what it is compared with", "only one variant: %q", in.labels[0])
	}
	slices.SortStableFunc(in.differences, func(x, y recording.Difference) int { return int(x.Class) - int(y.Class) })
	return nil
}

// sameHint is what to do where a thing is to be compared with itself.
const sameHint = "microcost ab --aa shows a command against itself; --force compares all the same"

// distinct refuses a file that is given twice.
func (in *comparing) distinct() error {
	if in.force {
		return nil
	}
	all := make([]os.FileInfo, len(in.paths)) // nil: opening it will say what is wrong
	for i, path := range in.paths {
		all[i], _ = os.Stat(path)
		for k, other := range all[:i] {
			if all[i] != nil && other != nil && os.SameFile(all[i], other) {
				if in.paths[k] != path {
					path = in.paths[k] + " and " + path
				}
				return usagef(sameHint, "%s: the same recording twice", path)
			}
		}
	}
	return nil
}

// once refuses a session that was there before: its runs would count twice.
func (in *comparing) once(path string, s *recording.Session) error {
	id := s.Identity()
	if id == "" {
		return nil
	}
	other, ok := in.seen[id]
	in.seen[id] = path
	switch {
	case !ok || in.force:
		return nil
	case other == path:
		return usagef("--force counts it twice", "%s holds the same session twice: that of %s", path, s.Started.Format(time.DateTime))
	}
	return usagef(sameHint, "%s and %s hold the same session: that of %s", other, path, s.Started.Format(time.DateTime))
}

// eachFile says whether each file is one variant of its own.
func (in *comparing) eachFile() bool { return !in.inside && !in.merge }

// placeholder is what the variant of a file is called while it is read.
func placeholder(i int) string { return fmt.Sprintf("\x00%d", i) }

// shown is a variant's name for a message: of one that has none yet its file's.
func (in *comparing) shown(label string) string {
	for i, path := range in.paths {
		if label == placeholder(i) {
			return path
		}
	}
	return label
}

// rename gives the variants their final names.
func (in *comparing) rename(final map[string]string) {
	in.all.rename(final)
	for _, g := range in.hosts {
		g.rename(final)
	}
	for i, label := range in.labels {
		in.labels[i] = final[label]
	}
}

// file takes one file's sessions and samples, and returns the label that its
// variant has there.
func (in *comparing) file(i int, path string) (label string, err error) {
	before := len(in.all.rec.Sessions)
	damaged := len(in.all.rec.Damage)
	own := map[string]bool{}
	var spoilt error
	relabel := func(s *recording.Session) {
		variants := slices.Clone(s.Variants)
		for k := range variants {
			if in.eachFile() {
				label = variants[k].Label
				own[label] = true
				variants[k].Label = placeholder(i)
			}
			if err := in.side(variants[k].Label, s); err != nil && spoilt == nil {
				spoilt = err
			}
		}
		s.Variants = variants
		if len(own) > 1 || in.eachFile() && len(variants) > 1 {
			spoilt = usagef("--split-by label takes the variants from inside the files", "%s holds %d variants, and each file is to be one", path, max(len(own), len(variants)))
		}
	}
	v := in.all.into(in.keep, relabel)
	if in.hosts != nil {
		v = in.perHost(v, relabel)
	}
	take := v.Session
	v.Session = func(s recording.Session) error {
		if in.keep == nil || in.keep(&s) {
			if err := in.once(path, &s); err != nil {
				return err
			}
		}
		if err := take(s); err != nil {
			return err
		}
		return spoilt
	}
	if err := in.visit(path, v); err != nil {
		return "", err
	}
	notes := damage(path, in.all.rec.Damage[damaged:])
	switch {
	case len(in.all.rec.Sessions) > before:
	case in.keep == nil && notes != nil:
		return "", usagef("", "%s holds no session: %s", path, in.all.rec.Damage[damaged])
	case in.keep == nil:
		return "", usagef("", "%s holds no session", path)
	default:
		return "", usagef("--filter keeps nothing of it", "%s has no session left", path)
	}
	in.notes = append(in.notes, notes...)
	return label, nil
}

// side compares a session of a variant with the base's. Everything that differs
// is listed of a variant's first session, of later ones what spoils the
// comparison, which is an error unless it is forced.
func (in *comparing) side(label string, s *recording.Session) error {
	host := ""
	if in.hosts != nil {
		host = s.Env.Host // hosts differ, that is what they are told apart for
	}
	first := !slices.Contains(in.labels, label)
	if first {
		in.labels = append(in.labels, label)
	}
	base := in.base[host]
	if base == nil {
		if label == in.labels[0] {
			one := *s
			in.base[host] = &one
		}
		return nil
	}
	for _, d := range recording.Differences(base, s) {
		if in.inside && s.Imported != "" && d.Field == "workload" {
			d.Class = recording.Intended // another tool's file of several commands
		}
		spoils := d.Class == recording.Spoiling
		switch {
		case spoils && !in.force && label == in.labels[0]:
			return usagef("--force compares all the same", "sessions of %s cannot be taken together: %s is %s in one and %s in another", in.shown(label), d.Field, known(d.A), known(d.B))
		case spoils && !in.force:
			return usagef("--force compares all the same", "%s and %s cannot be compared: %s is %s there and %s here", in.shown(in.labels[0]), in.shown(label), d.Field, known(d.A), known(d.B))
		case (first || spoils) && !slices.Contains(in.differences, d):
			in.differences = append(in.differences, d)
		}
	}
	return nil
}

func known(s string) string {
	if s == "" {
		return "absent"
	}
	return s
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
	err = visit(f, importer.Options{Runs: in.runs}, v)
	var usage *UsageError
	if errors.As(err, &usage) {
		return err
	}
	if err != nil {
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
