package sched

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What cannot be run is refused before anything is, with a way out.
func TestCheckRefuses(t *testing.T) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"pipe,cpu=4095":                              "CPU 4095 is not there",
		"messaging,threads,groups=50000,fds=100":     "descriptors",
		"messaging,groups=100000,fds=20":             "tasks",
		"pipe,cgroup=/nonexistent/cgroup":            "cgroup",
		"pipe,cgroup=" + t.TempDir():                 "cgroup",
		"messaging,groups=1,fds=100000,threads,pipe": "descriptors",
	} {
		err := Check(mustParse(t, text))
		var c *CheckError
		if !errors.As(err, &c) || !strings.Contains(c.Msg, want) {
			t.Errorf("%s: error %v, want a CheckError with %q", text, err, want)
		} else if c.Hint == "" {
			t.Errorf("%s: no way out is given", text)
		}
		noTaskLeft(t)
	}
	for _, text := range []string{"pipe", "messaging", "fair", "wakeup,threads"} {
		if err := Check(mustParse(t, text)); err != nil && os.Geteuid() == 0 {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestCheckTasks(t *testing.T) {
	const none = math.MaxInt64
	s := mustParse(t, "messaging,groups=1,fds=20") // 40 tasks and the host
	d := find("messaging")
	free := procLimits{user: none, system: none, cgroup: none}
	for name, c := range map[string]struct {
		limit func(*procLimits)
		want  string
	}{
		"no limits":      {func(*procLimits) {}, ""},
		"user enough":    {func(l *procLimits) { l.user, l.ofUser = 100, 59 }, ""},
		"user short":     {func(l *procLimits) { l.user, l.ofUser = 100, 60 }, "the user's limit allows 100, of which 60"},
		"system enough":  {func(l *procLimits) { l.system, l.ofSystem = 100, 59 }, ""},
		"system short":   {func(l *procLimits) { l.system, l.ofSystem = 100, 60 }, "the system allows 100"},
		"cgroup enough":  {func(l *procLimits) { l.cgroup, l.ofCgroup = 41, 0 }, ""},
		"cgroup short":   {func(l *procLimits) { l.cgroup, l.ofCgroup = 40, 0 }, "the cgroup allows 40"},
		"user is first":  {func(l *procLimits) { l.user, l.cgroup = 1, 1 }, "the user's limit"},
		"more than most": {func(l *procLimits) { l.cgroup, l.ofCgroup = 40, 50 }, "the cgroup allows 40, of which 50"},
	} {
		l := free
		c.limit(&l)
		err := checkTasks(d, s, l)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
