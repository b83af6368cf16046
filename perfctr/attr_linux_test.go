package perfctr

import (
	"testing"
	"unsafe"

	perf "github.com/hodgesds/perf-utils"
	"golang.org/x/sys/unix"
)

// TestAttrOfFixtures checks what the kernel would be told on machines that are
// not this one, written out. TestLikePerf asks perf about the same machines. The
// numbers of the hybrid machine are those of
// tools/perf/Documentation/intel-hybrid.txt.
func TestAttrOfFixtures(t *testing.T) {
	type want struct {
		pmu    string
		typ    uint32
		config uint64
		config1,
		config2 uint64
		cpus   string
		uncore bool
	}
	check := func(sys, in string, wants ...want) {
		t.Helper()
		events, err := fixture(t, sys).Parse(in)
		if err != nil {
			t.Errorf("%s: %v", sys, err)
			return
		}
		if len(events) != len(wants) {
			t.Errorf("%s: %q is %d events, want %d", sys, in, len(events), len(wants))
			return
		}
		for i, e := range events {
			got := want{e.PMU, e.Attr.Type, e.Attr.Config, e.Attr.Config1, e.Attr.Config2, e.CPUs, e.Uncore}
			if got != wants[i] {
				t.Errorf("%s: %s: %+v, want %+v", sys, e, got, wants[i])
			}
			if e.Sum == 0 && e.Attr.Flags != ExcludeGuest {
				t.Errorf("%s: %s: flags %b, want exclude_guest only", sys, e, e.Attr.Flags)
			}
		}
	}
	sum := want{}

	check("intel", "cycles,instructions,branches,branch-misses", want{"cpu", 0, 0, 0, 0, "", false}, want{"cpu", 0, 1, 0, 0, "", false},
		want{"cpu", 0, 4, 0, 0, "", false}, want{"cpu", 0, 5, 0, 0, "", false})
	check("intel", "L1-dcache-load-misses,LLC-stores,dTLB-prefetch-misses,iTLB-loads,branch-load-misses,node-loads",
		want{"cpu", 3, 0x10000, 0, 0, "", false}, want{"cpu", 3, 0x102, 0, 0, "", false}, want{"cpu", 3, 0x10203, 0, 0, "", false},
		want{"cpu", 3, 0x4, 0, 0, "", false}, want{"cpu", 3, 0x10005, 0, 0, "", false}, want{"cpu", 3, 0x6, 0, 0, "", false})
	check("intel", "r1a8,cpu/r1a8/,cpu/config=0x1a8/", want{"cpu", 4, 0x1a8, 0, 0, "", false}, want{"cpu", 4, 0x1a8, 0, 0, "", false},
		want{"cpu", 4, 0x1a8, 0, 0, "", false})
	check("intel", "cpu/event=0xc0,umask=1,name=x/,cpu/event=0xa3,umask=0x6,cmask=6,inv,edge/",
		want{"cpu", 4, 0x1c0, 0, 0, "", false}, want{"cpu", 4, 0x68406a3, 0, 0, "", false})
	check("intel", "cpu/mem-loads/,cpu/mem-loads,ldlat=30/,cpu/event=0xb7,umask=1,offcore_rsp=0x3fffc00244/",
		want{"cpu", 4, 0x1cd, 3, 0, "", false}, want{"cpu", 4, 0x1cd, 31, 0, "", false}, want{"cpu", 4, 0x1b7, 0x3fffc00244, 0, "", false})
	check("intel", "msr/tsc/,power/energy-pkg/", want{"msr", 9, 0, 0, 0, "", false}, want{"power", 21, 2, 0, 0, "0", true})
	check("intel", "imc/cas_count_read/", sum, want{"uncore_imc_0", 50, 0x304, 0, 0, "0,16", true}, want{"uncore_imc_1", 51, 0x304, 0, 0, "0,16", true})

	check("intel-hybrid", "cycles", sum, want{"cpu_atom", 0, 0xa00000000, 0, 0, "16-23", false}, want{"cpu_core", 0, 0x400000000, 0, 0, "0-15", false})
	check("intel-hybrid", "instructions", sum, want{"cpu_atom", 0, 0xa00000001, 0, 0, "16-23", false}, want{"cpu_core", 0, 0x400000001, 0, 0, "0-15", false})
	check("intel-hybrid", "LLC-load-misses", sum, want{"cpu_atom", 3, 0xa00010002, 0, 0, "16-23", false}, want{"cpu_core", 3, 0x400010002, 0, 0, "0-15", false})
	check("intel-hybrid", "r1a8", sum, want{"cpu_atom", 10, 0x1a8, 0, 0, "16-23", false}, want{"cpu_core", 4, 0x1a8, 0, 0, "0-15", false})
	check("intel-hybrid", "cpu_core/event=0xc0/,cpu_atom/instructions/,cpu_core/cycles/", want{"cpu_core", 4, 0xc0, 0, 0, "0-15", false},
		want{"cpu_atom", 10, 0xc0, 0, 0, "16-23", false}, want{"cpu_core", 0, 0x400000000, 0, 0, "0-15", false})
	check("intel-hybrid", "cpu/event=0xc0/", sum, want{"cpu_atom", 10, 0xc0, 0, 0, "16-23", false}, want{"cpu_core", 4, 0xc0, 0, 0, "0-15", false})
	check("intel-hybrid", "task-clock", want{"software", 1, 1, 0, 0, "", false})

	check("amd", "cpu/event=0x1c2,umask=0x3/,stalled-cycles-frontend", want{"cpu", 4, 0x1000003c2, 0, 0, "", false}, want{"cpu", 0, 7, 0, 0, "", false})
	check("amd", "amd_df/event=0x1f47,umask=0xfe/", want{"amd_df", 12, df(0x1f47, 0xfe), 0, 0, "0", true})
	check("amd", "amd_l3/event=0x04,umask=0xff,slicemask=0xf,threadmask=0xff/", want{"amd_l3", 13, 0xff0f00000000ff04, 0, 0, "0,8", true})

	check("arm", "cycles,r11,armv8_pmuv3_0/inst_retired/", want{"armv8_pmuv3_0", 0, 0, 0, 0, "", false},
		want{"armv8_pmuv3_0", 4, 0x11, 0, 0, "", false}, want{"armv8_pmuv3_0", 8, 8, 0, 0, "", false})
	check("arm", "armv8_pmuv3/cpu_cycles,long/", want{"armv8_pmuv3_0", 8, 0x11, 1, 0, "", false})
	check("arm", "arm_cmn/hnf_cache_miss,nodeid=0x48,bynodeid=1/", want{"arm_cmn_0", 9, 0x4880010005, 0, 0, "0", true})
	check("arm-biglittle", "instructions", sum, want{"armv8_cortex_a53", 0, 0x800000001, 0, 0, "0-3", false}, want{"armv8_cortex_a72", 0, 0x900000001, 0, 0, "4-5", false})
	check("powerpc", "hv_24x7/PM_CYC,core=3/", want{"hv_24x7", 15, 0xe000030002, 0, 0, "0", true})
	check("trace", "sched:sched_wakeup", want{"tracepoint", 2, 318, 0, 0, "", false})
	check("trace", "mem:0x1000/8:w", want{"breakpoint", 5, 0, 0x1000, 8, "", false})
}

// df puts an event and umask where AMD's data fabric wants them: the event in
// bits 0-7, 32-35 and 59-60, written out by hand.
func df(event, umask uint64) uint64 {
	return event&0xff | umask<<8 | event>>8&0xf<<32 | event>>12&3<<59
}

// TestUnits checks that units and scales of sysfs become base units.
func TestUnits(t *testing.T) {
	events, err := fixture(t, "intel").Parse("power/energy-pkg/,imc/cas_count_read/,task-clock,cycles")
	if err != nil {
		t.Fatal(err)
	}
	check := func(i int, unit Unit, raw, value float64) {
		t.Helper()
		if e := events[i]; e.Unit != unit || e.Value(raw) != value {
			t.Errorf("%s: %v of %v raw, want %v %s", e, e.Value(raw), raw, value, unit)
		}
	}
	check(0, UnitJoules, 1<<32, 1)
	check(1, UnitBytes, 1, 64) // the sum
	check(2, UnitBytes, 1, 64) // one controller: a cache line for each count
	check(4, UnitNanoseconds, 5, 5)
	check(5, UnitCount, 5, 5)
}

// TestModifierFlags checks the bits against those perf stat -vv shows.
func TestModifierFlags(t *testing.T) {
	check := func(letters string, want Flags, domain Domain) {
		t.Helper()
		m, bad := parseModifiers(letters)
		if bad >= 0 {
			t.Fatalf("%q: bad at %d", letters, bad)
		}
		if got := m.flags(); got != want || m.domain() != domain {
			t.Errorf("%q: flags %08b domain %q, want %08b %q", letters, got, m.domain(), want, domain)
		}
	}
	check("", ExcludeGuest, DomainAll)
	check("u", ExcludeKernel|ExcludeHV|ExcludeGuest, DomainUser)
	check("k", ExcludeUser|ExcludeHV|ExcludeGuest, DomainKernel)
	check("h", ExcludeUser|ExcludeKernel|ExcludeGuest, DomainHypervisor)
	check("uk", ExcludeHV|ExcludeGuest, DomainAll)
	check("ukh", ExcludeGuest, DomainAll)
	check("G", ExcludeHost, DomainAll)
	check("H", ExcludeGuest, DomainAll)
	check("GH", 0, DomainAll)
	check("uG", ExcludeKernel|ExcludeHV|ExcludeHost, DomainUser)
	check("I", ExcludeIdle|ExcludeGuest, DomainAll)
	check("D", Pinned|ExcludeGuest, DomainAll)
	check("e", Exclusive|ExcludeGuest, DomainAll)
}

// TestAttrBytes checks the struct that the kernel gets, by the offsets of
// include/uapi/linux/perf_event.h.
func TestAttrBytes(t *testing.T) {
	k := kernelAttr(Attr{Type: 0x01020304, Config: 0x1122, Config1: 0x33, Config2: 0x44, BPType: 7, Precise: 2,
		Flags: ExcludeUser | ExcludeKernel | ExcludeHV | ExcludeIdle | ExcludeHost | ExcludeGuest | Pinned | Exclusive})
	k.Bits |= Command().bits(true)
	words := (*[17]uint64)(unsafe.Pointer(&k))
	const (
		bits = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<4 | 1<<5 | 1<<6 | 1<<7 | // disabled, inherit, pinned, exclusive, exclude_user, kernel, hv, idle
			1<<12 | 2<<15 | 1<<19 | 1<<20 // enable_on_exec, precise_ip, exclude_host, exclude_guest
		readFormat = 1 | 2 // TOTAL_TIME_ENABLED, TOTAL_TIME_RUNNING
	)
	want := [17]uint64{0: 0x01020304 | 128<<32, 1: 0x1122, 4: readFormat, 5: bits, 6: 7 << 32, 7: 0x33, 8: 0x44}
	if *words != want {
		t.Errorf("perf_event_attr:\n%x, want\n%x", *words, want)
	}
	if unsafe.Sizeof(k) != attrSize8 {
		t.Errorf("perf_event_attr takes %d bytes", unsafe.Sizeof(k))
	}
	if k := kernelAttr(Attr{Config3: 9}); k.Size != attrSize8 || (*[17]uint64)(unsafe.Pointer(&k))[16] != 9 {
		t.Errorf("config3 is not at the end: %+v", k)
	}
	if k := kernelAttr(Attr{Precise: PreciseMax}); k.Bits != 3<<15 {
		t.Errorf(":P gives the bits %#x", k.Bits)
	}
	for _, c := range []struct {
		target Target
		leader bool
		want   uint64
	}{
		{Command(), true, 1<<0 | 1<<1 | 1<<12}, {Command(), false, 1 << 1},
		{Process(1), true, 1<<0 | 1<<1}, {CPUs(), true, 1 << 0}, {Cgroup("x"), false, 0},
	} {
		if got := c.target.bits(c.leader); got != c.want {
			t.Errorf("%v, leader %v: bits %#x, want %#x", c.target, c.leader, got, c.want)
		}
	}
}

// TestGenericNumbers checks the numbers of the names, which come from
// perf-utils, against the kernel's header as the unix package has it.
func TestGenericNumbers(t *testing.T) {
	hw := []string{"cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses", "bus-cycles",
		"stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"}
	sw := []string{"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults", "major-faults",
		"alignment-faults", "emulation-faults", "dummy", "bpf-output", "cgroup-switches"}
	for typ, names := range map[uint32][]string{unix.PERF_TYPE_HARDWARE: hw, unix.PERF_TYPE_SOFTWARE: sw} {
		for number, name := range names {
			g, ok := findGeneric(name)
			if !ok || g.typ != typ || genericConfig(name) != uint64(number) {
				t.Errorf("%s: type %d, config %d; want %d, %d", name, g.typ, genericConfig(name), typ, number)
			}
		}
	}
	for _, id := range cacheIDs() {
		if want := uint64(id.cache | id.op<<8 | id.result<<16); cacheConfig(id) != want {
			t.Errorf("%s: config %#x, want %#x", id, cacheConfig(id), want)
		}
		if back, ok := findCache(id.String()); !ok || back != id {
			t.Errorf("%s comes back as %v, %v", id, back, ok)
		}
	}
	if a := perf.CPUCyclesEventAttr(); a.Bits&unix.PerfBitExcludeKernel == 0 {
		t.Error("perf-utils no longer excludes kernel mode by default: its attrs could be used as they are")
	}
}
