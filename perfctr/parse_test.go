package perfctr

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParseNames checks what names and groups come out, on a fixture each.
func TestParseNames(t *testing.T) {
	check := func(sys, in string, want ...string) {
		t.Helper()
		events, err := fixture(t, sys).Parse(in)
		if err != nil {
			t.Errorf("%s: Parse(%q): %v", sys, in, err)
			return
		}
		var got []string
		for _, e := range events {
			name := e.Name
			if e.Group > 0 {
				name += " in group " + string(rune('0'+e.Group))
			}
			if e.Part {
				name = "  " + name
			}
			got = append(got, name)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: Parse(%q): (-want +got)\n%s", sys, in, d)
		}
	}
	check("intel", "cycles", "cycles")
	check("intel", "cycles,instructions", "cycles", "instructions")
	check("intel", " cycles , instructions\n", "cycles", "instructions")
	check("intel", "cpu-cycles,cs,migrations,faults,branch-instructions", "cycles", "context-switches", "cpu-migrations", "page-faults", "branches")
	check("intel", "idle-cycles-frontend,idle-cycles-backend", "stalled-cycles-frontend", "stalled-cycles-backend")
	check("intel", "duration_time,user_time,system_time,max-rss", "elapsed", "user", "system", "max-rss")
	check("intel", "cycles:u,cycles:k,cycles:uk,cycles:ku,cycles:", "cycles:u", "cycles:k", "cycles:uk", "cycles:uk", "cycles")
	check("intel", "cycles:pp,cycles:P,cycles:kD,cycles:G,cycles:S", "cycles:pp", "cycles:P", "cycles:kD", "cycles:G", "cycles")
	check("intel", "{cycles,instructions}", "cycles in group 1", "instructions in group 1")
	check("intel", "{cycles,instructions}:u,{branches,branch-misses:k}:u,cs", "cycles:u in group 1", "instructions:u in group 1",
		"branches:u in group 2", "branch-misses:uk in group 2", "context-switches")
	check("intel", "{cycles:p,cycles:pGD}:ppH", "cycles:Hppp in group 1", "cycles:GHpppD in group 1")
	check("intel", "{elapsed,cycles}:u", "elapsed in group 1", "cycles:u in group 1")
	check("intel", "{elapsed,cycles}:uW,{cs}", "elapsed", "cycles:u", "context-switches in group 1")
	check("intel", "{cycles,instructions}:W,{cs}", "cycles", "instructions", "context-switches in group 1")
	check("intel", "name{cycles}", "cycles in group 1")
	check("intel", "{cpu/event=0xc0,umask=1/,cs}", "cpu/event=0xc0,umask=1/ in group 1", "context-switches in group 1")
	check("intel", "L1-dcache-load-misses,LLC-loads,dTLB-load-misses,node-loads,L1-icache-load-misses",
		"L1-dcache-load-misses", "LLC-loads", "dTLB-load-misses", "node-loads", "L1-icache-load-misses")
	check("intel", "l1d,l1-d-read-miss,L2-write-refs,d-tlb-misses-store,branch-load-misses,bpc-read", "L1-dcache-loads",
		"L1-dcache-load-misses", "LLC-stores", "dTLB-store-misses", "branch-load-misses", "branch-loads")
	check("intel", "r1a8,r01A8:u", "r1a8", "r1a8:u")
	check("intel", "cpu/event=0xc0,umask=1,name=x/,cs", "x", "context-switches")
	check("intel", "cpu/event=0xc0,name='a,b'/u", "a,b")
	check("intel", "cpu/instructions/k,cpu/instructions/:k,cpu//", "cpu/instructions/k", "cpu/instructions/k", "cpu//")
	check("intel", "tsc,msr/tsc/", "msr/tsc/", "msr/tsc/")
	check("intel", "1:3,0:0,0:0:u,4:0x1a8,3:0x10002:k,50:0x304", "context-switches", "cycles", "cycles:u", "r1a8", "LLC-load-misses:k", "50:772")
	check("intel-hybrid", "4:0x1a8,3:0x10002", "r1a8", "  cpu_atom/r1a8/", "  cpu_core/r1a8/",
		"LLC-load-misses", "  cpu_atom/LLC-load-misses/", "  cpu_core/LLC-load-misses/")
	// Numbers without 0x are decimal, whatever zeros they begin with.
	check("intel", "mem:010,1:03", "mem:0xa:rw", "context-switches")
	check("intel", "cpu/event= 0192 , umask=1/,cpu/cpu-cycles,period=1000,percore,metric-id=x/,cycles/period=1/", "cpu/event= 0192 , umask=1/",
		"cpu/cpu-cycles,period=1000,percore,metric-id=x/", "cycles")
	check("intel", "mem:0x1000,mem:4096/8:w,mem:0x1000/8:x:u", "mem:0x1000:rw", "mem:0x1000/8:w", "mem:0x1000/8:x:u")
	check("intel", "cycles/name=c/,cycles/name=c/u", "c", "c")
	check("intel", "uncore_imc/cas_count_read/", "uncore_imc/cas_count_read/", "  uncore_imc_0/cas_count_read/", "  uncore_imc_1/cas_count_read/")
	check("intel", "imc/cas_count_read/", "imc/cas_count_read/", "  uncore_imc_0/cas_count_read/", "  uncore_imc_1/cas_count_read/")
	check("intel", "cha/clockticks/", "cha/clockticks/", "  uncore_cha_0/clockticks/", "  uncore_cha_1/clockticks/",
		"  uncore_cha_2/clockticks/", "  uncore_cha_10/clockticks/")
	check("intel", "uncore_imc_[1]/cas_count_read/", "uncore_imc_[1]/cas_count_read/")
	check("intel-hybrid", "cycles:u", "cycles:u", "  cpu_atom/cycles/u", "  cpu_core/cycles/u")
	check("intel-hybrid", "cpu_core/cycles/,cpu_atom/LLC-loads/", "cpu_core/cycles/", "cpu_atom/LLC-loads/")
	check("intel-hybrid", "topdown-retiring", "cpu_core/topdown-retiring/")
	check("intel-hybrid", "mem-loads", "mem-loads", "  cpu_atom/mem-loads/", "  cpu_core/mem-loads/")
	check("intel-hybrid", "{cycles,instructions}:k", "cycles:k in group 1", "  cpu_atom/cycles/k in group 1", "  cpu_core/cycles/k in group 1",
		"instructions:k in group 1", "  cpu_atom/instructions/k in group 1", "  cpu_core/instructions/k in group 1")
	check("arm", "armv8_pmuv3/inst_retired/", "armv8_pmuv3/inst_retired/")
	check("powerpc", "hv_24x7/PM_CYC,core=3/", "hv_24x7/PM_CYC,core=3/")
	check("trace", "sched:sched_wakeup,sched:sched_switch:k", "sched:sched_wakeup", "sched:sched_switch:k")
	check("trace", "sched:*", "sched:sched_switch", "sched:sched_wakeup", "sched:sched_wakeup_new")
	check("trace", "sched:sched_wakeup*", "sched:sched_wakeup", "sched:sched_wakeup_new")
	check("trace", "*:*_[er]*", "irq:irq_handler_entry", "syscalls:sys_enter_read")
}

// TestParseErrors checks the message, the offset and the proposals.
func TestParseErrors(t *testing.T) {
	check := func(sys, in, msg string, offset int, near ...string) {
		t.Helper()
		events, err := fixture(t, sys).Parse(in)
		var pe *ParseError
		if !errors.As(err, &pe) {
			t.Errorf("%s: Parse(%q) = %v, %v; want a *ParseError", sys, in, events, err)
			return
		}
		if pe.Input != in || pe.Offset != offset || !strings.Contains(pe.Msg, msg) {
			t.Errorf("%s: Parse(%q): offset %d, %q; want offset %d and %q", sys, in, pe.Offset, pe.Msg, offset, msg)
		}
		for _, n := range near {
			if !slices.Contains(pe.Near, n) {
				t.Errorf("%s: Parse(%q): near %q; want %q among them", sys, in, pe.Near, n)
			}
		}
		if len(near) > 0 && !strings.Contains(pe.Hint(), near[0]) {
			t.Errorf("%s: Parse(%q): hint %q", sys, in, pe.Hint())
		}
	}
	check("intel", "", "an event is missing", 0)
	check("intel", "cycles,", "an event is missing", 7)
	check("intel", "cycles,,cs", "an event is missing", 7)
	check("intel", "cycels", `unknown event "cycels"`, 0, "cycles")
	check("intel", "cs,instrutions:u", `unknown event "instrutions"`, 3, "instructions")
	check("intel", "cs, L1-dcache-laod-misses", "unknown event", 4, "L1-dcache-load-misses")
	check("intel", "iTLB-stores", "unknown event", 0, "dTLB-stores")
	check("intel", "L1-dcache-load-load", "unknown event", 0)
	check("intel", "cycles:x", "unknown modifier 'x'", 7)
	check("intel", "{cycles}:", "modifiers are missing", 9)
	check("intel", "cs,cycles:uku", "modifier 'u' stands there twice", 12)
	check("intel", "{cs,cycles:pp}:pp", "three levels", 15)
	check("intel", "cycles:pppp", "three levels", 10)
	check("intel", "cycles:b", "BPF", 7)
	check("intel", "cs:u:k", "unknown modifier ':'", 4)
	check("intel", "{cycles,instructions", "not closed", 0)
	check("intel", "{cycles}:z", "unknown modifier 'z'", 9)
	check("intel", "{}", "an event is missing", 1)
	check("intel", "cycles}", "'}' where a comma", 6)
	check("intel", "{cycles,{cs}}", "an event is missing", 8)
	check("intel", "elapsed:u", "has no modifiers", 7)
	check("intel", "cpu/event=0xc0", "no second slash", 3)
	check("intel", "cpu/event=/", "has no value", 10)
	check("intel", "cpu/event=0xc0,/", "a term is missing", 15)
	check("intel", "cpu/evnt=0xc0/", `has no event or term "evnt"`, 4, "event")
	check("intel", "cpu/event=0x100/", "largest is 0xff", 10)
	check("intel", "cpu/event=zz/", "not a number", 10)
	check("intel", "cpu/event=0x10000000000000000/", "not a number", 10)
	check("intel", "cpu/name='x/", "not closed", 9)
	check("intel", "cpu/instrutions/", "has no event or term", 4, "instructions")
	check("intel", "cpu/cycles,freq=1000/", "about sampling", 11)
	check("intel", "cpu/event=0300/", "largest is 0xff", 10)
	check("intel", "cpuu/cycles/", `no PMU "cpuu"`, 0, "cpu")
	check("intel", "cycles/event=1/", "takes no term but name=", 7)
	check("intel", "mem:zz", "not an address", 4)
	check("intel", "mem:0x1000:y", "not an access", 11)
	check("intel", "mem:0x1000/0:w", "not a length", 11)
	check("intel", "prog.o", "BPF program", 0)
	check("intel", "sched:sched_wakeup", "tracefs is not mounted", 0)
	check("intel", "cycels:foo", "unknown event", 0, "cycles")
	check("trace", "sched:sched_wakup", `no tracepoint "sched_wakup" in sched`, 6, "sched:sched_wakeup")
	check("trace", "cs,shced:sched_wakeup", `no tracepoints "shced"`, 3, "sched")
	check("trace", "sched:x*", `no tracepoint "x*"`, 6)
	check("trace", "sched:enable", "no tracepoint", 6)
	check("powerpc", "hv_24x7/PM_CYC/", "needs core=VALUE", 8)
}

// TestFormat checks how lists are printed, and that they come back.
func TestFormat(t *testing.T) {
	check := func(sys, in, want string) {
		t.Helper()
		s := fixture(t, sys)
		events, err := s.Parse(in)
		if err != nil {
			t.Fatalf("%s: Parse(%q): %v", sys, in, err)
		}
		if got := Format(events); got != want {
			t.Errorf("%s: Format of %q: %q, want %q", sys, in, got, want)
		}
		again, err := s.Parse(want)
		if d := cmp.Diff(events, again); d != "" || err != nil {
			t.Errorf("%s: %q does not come back: %v\n%s", sys, want, err, d)
		}
	}
	check("intel", "cs,{cpu-cycles,instructions}:u,{r1a8},tsc", "context-switches,{cycles:u,instructions:u},{r1a8},msr/tsc/")
	check("intel", "cpu/event=0xc0,umask=1,name=x/:u", "cpu/event=0xc0,umask=1,name=x/u")
	check("intel", "power/energy-pkg/,imc/cas_count_read/,mem:0x10/8:w:u", "power/energy-pkg/,imc/cas_count_read/,mem:0x10/8:w:u")
	check("intel-hybrid", "{cycles,instructions},r1a8,cpu/instructions/", "{cycles,instructions},r1a8,cpu/instructions/")
	check("trace", "sched:sched_w*:k", "sched:sched_wakeup:k,sched:sched_wakeup_new:k")
}

// FuzzParse: an error or events, and events that are printed come back.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"cycles", "{cycles,cs}:u,r1a8:k", "cpu/event=0xc0,umask=1,name='x,y'/pp", "sched:*", "mem:0x1000/8:x:u",
		"L1-dcache-load-misses:G", "uncore_imc/cas_count_read/", "msr/tsc/,1:3:u", "cpu//,cpu/r3c/", "a{cs:D}:W", "hv_24x7/PM_CYC,core=3/",
		"{elapsed,cycles:k}:uW,{cs}", "cpu/r0x1a8,period=1/", strings.Repeat("\xd6", 5000)} {
		f.Add(seed)
	}
	var systems []*System
	for _, name := range fixtures(f) {
		systems = append(systems, fixture(f, name))
	}
	f.Fuzz(func(t *testing.T, in string) {
		for _, s := range systems {
			events, err := s.Parse(in)
			if (err == nil) != (len(events) > 0) {
				t.Fatalf("Parse(%q) = %v, %v: neither or both", in, events, err)
			}
			var pe *ParseError
			if err != nil && (!errors.As(err, &pe) || pe.Offset < 0 || pe.Offset > len(in)) {
				t.Fatalf("Parse(%q): %#v", in, err)
			}
			if err != nil {
				continue
			}
			out := Format(events)
			again, err := s.Parse(out)
			if err != nil {
				t.Fatalf("Parse(%q) is printed %q, which does not parse: %v", in, out, err)
			}
			if d := cmp.Diff(events, again); d != "" {
				t.Fatalf("Parse(%q) is printed %q and comes back as\n%s", in, out, d)
			}
		}
	})
}

func FuzzParseCPUs(f *testing.F) {
	for _, seed := range []string{"0-3,8", "", "0", "5-4", "-1", "0,0", "65535"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		cpus, err := ParseCPUs(in)
		if err != nil {
			if cpus != nil {
				t.Fatalf("ParseCPUs(%q) = %v, %v", in, cpus, err)
			}
			return
		}
		again, err := ParseCPUs(FormatCPUs(cpus))
		slices.Sort(cpus)
		if cpus = slices.Compact(cpus); err != nil || !slices.Equal(cpus, again) {
			t.Fatalf("ParseCPUs(%q) = %v comes back as %v, %v", in, cpus, again, err)
		}
	})
}

// FuzzField: a format line is an error or a field that holds its largest value.
func FuzzField(f *testing.F) {
	for _, seed := range []string{"config:0-7,32-35", "config1:0", "config3:0-63", "attr:1", "config:9-3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		fl, err := parseField(in)
		if err != nil {
			return
		}
		var a Attr
		fl.put(&a, fl.largest())
		if got := []uint64{a.Config, a.Config1, a.Config2, a.Config3}[fl.word]; got != fl.mask {
			t.Fatalf("field %q: largest value fills %#x of %#x", in, got, fl.mask)
		}
	})
}
