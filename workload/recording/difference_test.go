package recording

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func ptr[T any](v T) *T { return &v }

func config(text string) []byte {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	z.Write([]byte(text))
	z.Close()
	return buf.Bytes()
}

// measured is a session as microcost records it.
func measured() *Session {
	return &Session{
		Tool:     "microcost 0.1.0",
		Variants: []Variant{{Label: "A", Command: []string{"./prog", "x"}, Text: "./prog x", Binary: &Binary{SHA256: "aa"}}},
		Events:   []Event{{Name: "cycles", Support: Supported}, {Name: "instructions", Support: Supported}},
		Plan:     Plan{Schedule: Sequential},
		Env: Env{
			OS: "linux", Arch: "amd64", BootID: "1", Kernel: "6.1", Build: "#1", CmdLine: "quiet mitigations=auto",
			ConfigSHA256: "c1", ConfigGZ: config("CONFIG_HZ=250\nCONFIG_SMP=y\n"), CPU: "X", CPUs: 4, SMT: "on",
			Governor: "performance", Turbo: ptr(true), Virtualisation: "none", Memory: 1 << 30, PageSize: 4096,
			Load: ptr(0.1), Throttles: ptr(uint64(0)), Mitigations: map[string]string{"meltdown": "PTI"},
			Paranoid: ptr(1), SchedFeatures: []string{"A", "B"}, SchedSysctls: map[string]string{"x": "1"},
		},
	}
}

func TestDifferences(t *testing.T) {
	if d := Differences(measured(), measured()); len(d) != 0 {
		t.Errorf("the same session differs: %v", d)
	}
	for _, c := range []struct {
		name   string
		change func(*Session)
		want   []Difference
	}{
		{"another kernel", func(s *Session) { s.Env.Kernel, s.Env.Build = "6.2", "#2" },
			[]Difference{{"kernel", "6.1", "6.2", Intended}, {"kernel_version", "#1", "#2", Intended}}},
		{"configuration", func(s *Session) {
			s.Env.ConfigSHA256, s.Env.ConfigGZ = "c2", config("CONFIG_HZ=1000\nCONFIG_SMP=y\nCONFIG_NEW=y\n")
		},
			[]Difference{{"kernel_config.CONFIG_HZ", "250", "1000", Other}, {"kernel_config.CONFIG_NEW", "", "y", Other}}},
		{"configuration not readable", func(s *Session) { s.Env.ConfigSHA256, s.Env.ConfigGZ = "c2", nil },
			[]Difference{{"kernel_config_sha256", "c1", "c2", Other}}},
		{"command line", func(s *Session) { s.Env.CmdLine = "mitigations=off quiet" },
			[]Difference{{"kernel_command_line", "mitigations=auto", "mitigations=off", Other}}},
		{"binary", func(s *Session) { s.Variants[0].Binary = &Binary{SHA256: "bb"} },
			[]Difference{{"binary.sha256", "aa", "bb", Intended}}},
		{"program elsewhere", func(s *Session) {
			s.Variants[0].Command, s.Variants[0].Text = []string{"/new/prog", "x"}, "/new/prog x"
		},
			[]Difference{{"workload", "./prog x", "/new/prog x", Intended}}},
		{"other arguments", func(s *Session) { s.Variants[0].Command, s.Variants[0].Text = []string{"./prog", "y"}, "./prog y" },
			[]Difference{{"workload", "./prog x", "./prog y", Spoiling}}},
		{"more variants", func(s *Session) { s.Variants = append(s.Variants, Variant{}) },
			[]Difference{{"variants", "1", "2", Spoiling}}},
		{"CPU, governor and SMT", func(s *Session) { s.Env.CPU, s.Env.Governor, s.Env.SMT = "Y", "powersave", "off" },
			[]Difference{{"cpu", "X", "Y", Spoiling}, {"smt", "on", "off", Spoiling}, {"governor", "performance", "powersave", Spoiling}}},
		{"turbo", func(s *Session) { s.Env.Turbo = ptr(false) }, []Difference{{"turbo", "true", "false", Spoiling}}},
		{"events", func(s *Session) { s.Events = s.Events[:1] }, []Difference{{"events", "instructions", "", Spoiling}}},
		{"user only", func(s *Session) { s.Events[0].Domain = "u" },
			[]Difference{{"domain of cycles", "kernel and user", "user only", Spoiling}}},
		{"not supported", func(s *Session) { s.Events[0].Support = NotSupported },
			[]Difference{{"support of cycles", "yes", "not supported", Other}}},
		{"settings", func(s *Session) {
			s.Env.Mitigations = map[string]string{"meltdown": "Vulnerable"}
			s.Env.SchedFeatures = []string{"B", "NO_A"}
			s.Env.SchedSysctls = map[string]string{"x": "2"}
			s.Env.Paranoid = ptr(2)
		}, []Difference{{"mitigations.meltdown", "PTI", "Vulnerable", Other}, {"perf_event_paranoid", "1", "2", Other},
			{"sched_features", "A", "NO_A", Other}, {"sched_sysctls.x", "1", "2", Other}}},
		{"load and throttling", func(s *Session) { s.Env.Load, s.Env.Throttles = ptr(4.0), ptr(uint64(3)) },
			[]Difference{{"load_1m", "0.1", "4", Other}, {"thermal_throttles", "0", "3", Other}}},
		{"another boot counts throttling anew", func(s *Session) { s.Env.BootID, s.Env.Throttles = "2", ptr(uint64(3)) }, nil},
		{"a little less memory", func(s *Session) { s.Env.Memory -= 1 << 20 }, nil},
		{"half the memory", func(s *Session) { s.Env.Memory /= 2 }, []Difference{{"memory_bytes", "1073741824", "536870912", Other}}},
		{"an environment that is not known", func(s *Session) { s.Env = Env{} }, nil},
		{"spoiling comes last", func(s *Session) { s.Env.CPU, s.Env.Kernel, s.Env.ClockSource = "Y", "6.2", "hpet" },
			[]Difference{{"kernel", "6.1", "6.2", Intended}, {"cpu", "X", "Y", Spoiling}}},
	} {
		b := measured()
		c.change(b)
		if diff := cmp.Diff(c.want, Differences(measured(), b)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestManyOptionsAreCounted(t *testing.T) {
	b := measured()
	text := ""
	for i := range 100 {
		text += fmt.Sprintf("CONFIG_X%03d=y\n", i)
	}
	b.Env.ConfigSHA256, b.Env.ConfigGZ = "c2", config(text)
	d := Differences(measured(), b)
	if last := d[len(d)-1]; len(d) != maxOptions+1 || last.A != "and 82 options more" {
		t.Errorf("%d differences, the last %+v", len(d), last)
	}
}

func TestValue(t *testing.T) {
	for _, c := range []struct {
		name string
		e    Event
		c    *Count
		want float64
		ok   bool
	}{
		{"no count", Event{}, nil, 0, false},
		{"whole time", Event{}, &Count{10, 5, 5}, 10, true},
		{"half of the time", Event{}, &Count{10, 10, 5}, 20, true},
		{"scaled", Event{Scale: 0.5}, &Count{10, 5, 5}, 5, true},
		{"of one kind of core", Event{Part: true}, &Count{10, 10, 5}, 10, true},
		{"never ran", Event{}, &Count{0, 10, 0}, 0, false},
		{"never enabled", Event{Source: "kernel"}, &Count{0, 0, 0}, 0, false},
		{"a clock without times", Event{Source: "run"}, &Count{7, 0, 0}, 7, true},
	} {
		if v, ok := c.e.Value(c.c); v != c.want || ok != c.ok {
			t.Errorf("%s: %v, %v; want %v, %v", c.name, v, ok, c.want, c.ok)
		}
	}
}
