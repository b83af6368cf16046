package sched

import (
	"errors"
	"reflect"
	"slices"
	"testing"
)

// Every workload's text, arguments and parameters name the same Spec.
func TestSpecRoundTrip(t *testing.T) {
	for _, text := range []string{
		"pipe", "pipe,loops=7,threads", "pipe,layout=two,cpu=0-1,3", "pipe,policy=fifo:10", "pipe,policy=nice:-5,uclamp=0:512",
		"messaging,groups=3,fds=4,size=5,pipe,threads", "futex", "yield,tasks=9", "fork", "exec,cgroup=a/b", "thread",
		"timer,interval=2ms", "wakeup,messengers=2,workers=3,work=0", "fair,nices=-5,0,19,duration=2s", "syscall",
	} {
		s, err := ParseText(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		again, err := ParseText(s.String())
		if err != nil || !reflect.DeepEqual(again, s) {
			t.Errorf("%s: written as %s, which reads as %+v, %v", text, s, again, err)
		}
		var params []string
		for _, a := range s.Args() {
			params = append(params, a[len("--"):])
		}
		if again, err = Parse(s.Name, params...); err != nil || !reflect.DeepEqual(again, s) {
			t.Errorf("%s: arguments %q read as %+v, %v", text, s.Args(), again, err)
		}
	}
	for _, name := range Names() {
		s, err := Parse(name)
		if err != nil || s.String() != name || Usage(name) == "" || s.Operation() == "" || s.Metrics()[0].Name != "operations" {
			t.Errorf("%s: %q, %v", name, s, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                            `"" names no workload`,
		"pip":                         `"pip" is no workload`,
		"pipe,lops=3":                 `"lops=3" is no parameter of pipe`,
		"pipe,groups=3":               `"groups=3" is no parameter of pipe`,
		"pipe,loops=0":                `"loops=0" is not a whole number from 1 to 1000000000`,
		"pipe,loops=x":                `"loops=x" is not a whole number from 1 to 1000000000`,
		"pipe,loops":                  `"loops" is not a whole number from 1 to 1000000000`,
		"pipe,loops=1,loops=1":        `"loops=1" is given twice`,
		"pipe,threads=3":              `"threads=3" takes no value`,
		"pipe,layout=x":               `"layout=x" is none of free, same, two`,
		"pipe,policy=fifo:0":          `"policy=fifo:0" is not a number from 1 to 99`,
		"pipe,policy=nice":            `"policy=nice" needs a value: nice:5`,
		"pipe,policy=batch:1":         `"policy=batch:1" gives batch a value, which has none`,
		"pipe,policy=deadline":        `"policy=deadline" is none of fifo:N, rr:N, batch, idle, nice:N`,
		"pipe,cpu=3-1":                `"cpu=3-1" is not a list of CPUs such as 0,2-3`,
		"pipe,cpu=5000":               `"cpu=5000" is not a list of CPUs such as 0,2-3`,
		"pipe,uclamp=900:100":         `"uclamp=900:100" is not MIN:MAX with 0 <= MIN <= MAX <= 1024`,
		"timer,interval=0s":           `"interval=0s" is not a length of time such as 1ms or 2s`,
		"fair,nices=0,20":             `"nices=0,20" has "20" where a nice value from -20 to 19 is expected`,
		"messaging,size=999999999999": `"size=999999999999" is not a whole number from 1 to 16777216`,
	} {
		_, err := ParseText(text)
		var p *ParseError
		if !errors.As(err, &p) || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestWithChangesOneParameter(t *testing.T) {
	s, err := Parse("fair")
	if err != nil {
		t.Fatal(err)
	}
	nices := slices.Clone(s.Nices)
	if w, err := s.With("nices=1,2"); err != nil || !slices.Equal(w.Nices, []int{1, 2}) || !slices.Equal(s.Nices, nices) {
		t.Errorf("%v %v, the original %v", w.Nices, err, s.Nices)
	}
	if _, err := s.With("loops=1"); err == nil {
		t.Error("fair has no loops")
	}
}

func TestParseLoad(t *testing.T) {
	for text, want := range map[string]struct{ load, ok bool }{
		"cpu:2": {true, true}, "cpu:0": {true, false}, "cpu:x": {true, false},
		"rt:cpus=0": {true, true}, "rt:cpus=0,2-3,period=10ms,run=1ms": {true, true}, "rt:": {true, false},
		"rt:cpus=0,run=100ms,period=100ms": {true, false}, "rt:period=1ms": {true, false}, "rt:cpus=0,x=1": {true, false},
		"stress-ng --cpu 1": {false, true}, "cpu 2": {false, true}, "make -C /tmp a:b": {false, true},
	} {
		_, load, err := ParseLoad(text)
		if load != want.load || (err == nil) != want.ok {
			t.Errorf("%q: load %t, error %v", text, load, err)
		}
	}
}

func TestPercentiles(t *testing.T) {
	r := &Result{}
	for i := range 1000 {
		r.Latencies = append(r.Latencies, uint32(i+1))
	}
	for p, want := range map[float64]int{0: 1, 0.1: 1, 50: 500, 90: 900, 99: 990, 99.9: 999, 99.95: 1000, 100: 1000} {
		if got := r.Percentile(p); int(got) != want {
			t.Errorf("percentile %v of 1..1000 is %d, want %d", p, got, want)
		}
	}
	if got := (&Result{}).Percentile(50); got != 0 {
		t.Errorf("percentile of nothing is %v", got)
	}
}
