package perfctr

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"microcost/internal/need"

	"github.com/rogpeppe/go-internal/txtar"
)

// A theirs is what perf stat -vv says that it passes to perf_event_open(2), as far
// as it says what is counted.
type theirs struct {
	typ, config, config1, config2, bpType, precise uint64
	flags                                          Flags
}

func (a theirs) String() string {
	return fmt.Sprintf("{type %d config %#x config1 %#x config2 %#x bp_type %d precise_ip %d flags %08b}",
		a.typ, a.config, a.config1, a.config2, a.bpType, a.precise, a.flags)
}

// askPerf lets perf stat resolve a list with a fixture in place of sysfs and
// tracefs. Whether the events can be counted here does not matter: perf shows what
// it asks for before it asks. refused is perf's message when it does not
// understand the list.
func askPerf(t *testing.T, dir, list string) (attrs []theirs, refused string) {
	t.Helper()
	cmd := exec.Command("perf", "stat", "-vv", "-e", list, "true")
	cmd.Env = append(os.Environ(), "LC_ALL=C", "PERF_CONFIG=/dev/null", "SYSFS_PATH="+filepath.Join(dir, "sys"),
		"TRACEFS_PATH="+filepath.Join(dir, "sys/kernel/tracing"),
		// Of no known processor, so that the tables compiled into perf add no names.
		"PERF_CPUID=GenuineIntel-6-FF-0")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	const usage = 129 // perf's exit status for a command line that it does not take
	if errors.As(err, &exit) && exit.ExitCode() == usage {
		text, _, _ := strings.Cut(string(out), "\nRun 'perf list'")
		return nil, text
	}
	return perfDumps(t, out), ""
}

// perfDumps reads the dumps of perf_event_attr, the first of each event: perf may
// try again with less, until a counter is open or it gives up.
func perfDumps(t *testing.T, out []byte) []theirs {
	t.Helper()
	var attrs []theirs
	inside, next := false, true
	var a theirs
	for sc := bufio.NewScanner(bytes.NewReader(out)); sc.Scan(); {
		line := sc.Text()
		switch {
		case line == "perf_event_attr:":
			inside, a = true, theirs{}
			continue
		case strings.HasPrefix(line, "sys_perf_event_open: ") && strings.Contains(line, " = "), strings.Contains(line, "event is not supported by the kernel"):
			next = true
		case inside && strings.HasPrefix(line, "-----"):
			if inside = false; next {
				attrs = append(attrs, a)
			}
			next = false
		}
		if !inside {
			continue
		}
		i := strings.LastIndexByte(line, ' ')
		name := strings.TrimSpace(line[:i])
		flag := map[string]Flags{"exclude_user": ExcludeUser, "exclude_kernel": ExcludeKernel, "exclude_hv": ExcludeHV,
			"exclude_idle": ExcludeIdle, "exclude_host": ExcludeHost, "exclude_guest": ExcludeGuest, "pinned": Pinned, "exclusive": Exclusive}[name]
		a.flags |= flag
		if to := map[string]*uint64{"type": &a.typ, "config": &a.config, "{ bp_addr, config1 }": &a.config1, "{ bp_len, config2 }": &a.config2,
			"bp_type": &a.bpType, "precise_ip": &a.precise}[name]; to != nil {
			v, err := strconv.ParseUint(line[i+1:], 0, 64)
			if err != nil {
				t.Fatalf("perf printed %q", line)
			}
			*to = v
		}
	}
	return attrs
}

// ourAttrs are those of this package, as they are opened: pinned and exclusive are
// the leader's.
func ourAttrs(events []Event) []theirs {
	var attrs []theirs
	leader := map[int]int{}
	for _, e := range events {
		if e.Source != SourceKernel || e.Sum > 0 {
			continue
		}
		a := theirs{uint64(e.Attr.Type), e.Attr.Config, e.Attr.Config1, e.Attr.Config2, uint64(e.Attr.BPType), uint64(e.Attr.Precise), e.Attr.Flags}
		if first, ok := leader[e.Group]; ok && e.Group > 0 {
			attrs[first].flags |= a.flags & (Pinned | Exclusive)
			a.flags &^= Pinned | Exclusive
		} else {
			leader[e.Group] = len(attrs)
		}
		attrs = append(attrs, a)
	}
	return attrs
}

// unpack writes a fixture to a directory.
func unpack(t *testing.T, name string) string {
	t.Helper()
	ar, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range ar.Files {
		path := filepath.Join(dir, f.Name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, f.Data, 0o644))
		if filepath.Base(path) == "id" { // perf reads the fields of a tracepoint before it counts it
			format := fmt.Sprintf("name: x\nID: %sformat:\n\tfield:int pid;\toffset:0;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n", f.Data)
			err = errors.Join(err, os.WriteFile(filepath.Join(filepath.Dir(path), "format"), []byte(format), 0o644))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// sameSet compares without order: perf lists the PMUs of a sum as the directory
// does. perf 6.1 leaves exclude_guest out beside all letters but u, which is not
// what it does without letters and was changed later: that bit alone is no
// difference.
func sameSet(ours, perfs []theirs) bool {
	key := func(a theirs) theirs { a.flags &^= ExcludeGuest; return a }
	text := func(list []theirs, change func(theirs) theirs) []string {
		var s []string
		for _, a := range list {
			s = append(s, change(a).String())
		}
		slices.Sort(s)
		return slices.Compact(s)
	}
	same := func(a theirs) theirs { return a }
	if slices.Equal(text(ours, same), text(perfs, same)) {
		return true
	}
	for _, a := range ours {
		if a.flags&(ExcludeGuest|ExcludeHost) != ExcludeGuest {
			return false
		}
	}
	return slices.Equal(text(ours, key), text(perfs, key))
}

// needPerfStat skips where perf is not installed; make test installs it.
func needPerfStat(t *testing.T) {
	t.Helper()
	if err := exec.Command("perf", "stat", "-e", "page-faults", "true").Run(); err != nil {
		need.Unmet(t, "perf stat, to compare with", "Debian: apt-get install linux-perf: "+err.Error())
	}
}

// TestLikePerf asks perf stat and this package the same, with the PMUs of several
// processors in place of this machine's: what one takes the other takes, and what
// the kernel would be told is the same.
func TestLikePerf(t *testing.T) {
	needPerfStat(t)
	asked := 0
	for _, tr := range trials() {
		dir, s := unpack(t, tr.fixture), fixture(t, tr.fixture)
		ask := func(list string) (attrs, perfs []theirs, refused string, err error) {
			asked++
			list = strings.ReplaceAll(list, `\t`, "\t")
			perfs, refused = askPerf(t, dir, list)
			events, err := s.Parse(list)
			attrs = ourAttrs(events)
			if strings.HasSuffix(list, "_time") {
				// perf opens an idle counter in place of a clock.
				attrs = append(attrs, theirs{typ: typeSoftware, config: genericConfig("dummy"), flags: ExcludeGuest})
			}
			return attrs, perfs, refused, err
		}
		for list := range strings.Lines(tr.same) {
			list = strings.TrimSuffix(list, "\n")
			if attrs, perfs, refused, err := ask(list); err != nil || refused != "" {
				t.Errorf("%s, %q: %v; perf says %q", tr.fixture, list, err, refused)
			} else if !sameSet(attrs, perfs) {
				t.Errorf("%s, %q:\n%v, perf\n%v", tr.fixture, list, attrs, perfs)
			}
		}
		for list := range strings.Lines(tr.refused) {
			list = strings.TrimSuffix(list, "\n")
			if attrs, perfs, refused, err := ask(list); err == nil || refused == "" {
				t.Errorf("%s, %q: %v, %v; perf: %v, %q", tr.fixture, list, attrs, err, perfs, refused)
			}
		}
		// The differences are ours to keep; what perf does may change with its
		// version, and is shown.
		for _, list := range slices.Concat(tr.more, tr.other) {
			if attrs, perfs, refused, err := ask(list); err != nil {
				t.Errorf("%s, %q: %v", tr.fixture, list, err)
			} else if refused == "" {
				t.Logf("%s, %q:\n%v, perf\n%v", tr.fixture, list, attrs, perfs)
			}
		}
		for _, list := range tr.less {
			if attrs, _, refused, err := ask(list); err == nil || refused != "" {
				t.Errorf("%s, %q: %v; perf: %q", tr.fixture, list, attrs, refused)
			}
		}
	}
	t.Logf("%d lists", asked)
}

// TestCacheLikePerf asks about all hardware cache events at once, in perf's
// spelling, in the other order and with other words.
func TestCacheLikePerf(t *testing.T) {
	needPerfStat(t)
	dir, s := unpack(t, "intel"), fixture(t, "intel")
	var names []string
	for _, id := range cacheIDs() {
		kind := cacheKinds()[id.cache]
		for _, cache := range kind.names[:min(2, len(kind.names))] {
			if cache == "branches" {
				continue // see trials
			}
			for n, op := range cacheOps()[id.op] {
				result := cacheResults()[id.result][n%2]
				names = append(names, cache+"-"+op+"-"+result)
				if cache != "branch" { // perf reads branch-misses-load as branch-misses and more
					names = append(names, cache+"-"+result+"-"+op)
				}
			}
		}
		names = append(names, id.String())
	}
	list := strings.Join(names, ",")
	events, err := s.Parse(list)
	if err != nil {
		t.Fatal(err)
	}
	perfs, refused := askPerf(t, dir, list)
	if !slices.Equal(ourAttrs(events), perfs) {
		t.Errorf("%d cache events: perf %q", len(names), refused)
		for i, a := range ourAttrs(events) {
			if i < len(perfs) && a != perfs[i] {
				t.Errorf("%s: %v, perf %v", names[i], a, perfs[i])
			}
		}
	}
}

// TestCacheOfHybridLikePerf: perf tries a cache event of a hybrid processor before
// it takes it, and shows what it tried.
func TestCacheOfHybridLikePerf(t *testing.T) {
	needPerfStat(t)
	dir, s := unpack(t, "intel-hybrid"), fixture(t, "intel-hybrid")
	for _, list := range []string{"LLC-load-misses", "L1-dcache-loads", "cpu_core/LLC-stores/"} {
		cmd := exec.Command("perf", "stat", "-vv", "-e", list, "true")
		cmd.Env = append(os.Environ(), "LC_ALL=C", "SYSFS_PATH="+filepath.Join(dir, "sys"), "PERF_CPUID=GenuineIntel-6-FF-0")
		out, _ := cmd.CombinedOutput() // it fails where there is no such processor
		events, err := s.Parse(list)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range ourAttrs(events) {
			want := fmt.Sprintf("type                             %d\n", a.typ)
			config := fmt.Sprintf("config                           %#x\n", a.config)
			if !strings.Contains(string(out), want) || !strings.Contains(string(out), config) {
				t.Errorf("%s: %v, perf says\n%s", list, a, out)
			}
		}
	}
}
