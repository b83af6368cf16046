package perfctr

// A trial is what is asked of both with one fixture. Lists are separated by new
// lines, because commas and spaces are part of the question.
type trial struct {
	fixture string
	same    string   // both take them, and mean the same
	refused string   // both refuse them
	more    []string // we take them, perf 6.1 does not
	less    []string // perf 6.1 takes them, we do not
	other   []string // both take them and mean something else
}

// trials are the lists of perf list, perf-list(1) and perf-stat(1) in all their
// spellings. Each difference has its reason.
func trials() []trial {
	return []trial{
		{fixture: "intel",
			same:    genericTrials + cacheTrials + modifierTrials + listTrials + termTrials + breakpointTrials,
			refused: refusedTrials,
			more: []string{
				"cycles:X",             // perf takes it since 6.10
				"cpu/event=0xc0/:u",    // what everybody types
				"cpu/config3=1/",       // since 6.3
				"cpu/cycles/",          // since 6.5
				"cpu/L1-dcache-loads/", // since 6.5
				"cpu/event=0xc0,name='a b'/",
				// perf-stat(1) has patterns; 6.1 compares the number behind the name
				// with the pattern.
				"uncore_imc_*/cas_count_read/", "uncore_imc_[01]/cas_count_read/", "uncore_*/cas_count_read/",
				"branches-load", // since 6.4
			},
			less: []string{
				"cycles:b",              // through a BPF program
				"{dummy",                // a mistake that perf does not see
				"L1-dcache-load-load",   // another
				"mem:0x1000/0:w",        // another: it counts four bytes
				"cycles/config=1/",      // another: it counts instructions
				"@cycles", "\"cycles\"", // bytes that perf passes over
				"duration_time:u", // a clock has no modes
			},
			// We say so and try from the top; perf finds out before it says anything.
			other: []string{"cycles:P", "cpu/mem-loads/P"},
		},
		{fixture: "intel-hybrid",
			same: hybridTrials, refused: "{dummy,cycles:ppp}:p\nnosuch",
			// cpu stands for all kinds of cores: perf since 6.5.
			more: []string{"cpu/event=0xc0/", "cpu/cycles/", "cpu/r1a8/", "cpu_*/cycles/"},
			// perf 6.1 makes a hardware event of the cache event.
			other: []string{"3:0x10002"},
		},
		{fixture: "amd", same: amdTrials, refused: "amd_df/event=0x4000/\namd_iommu_0/mem_pass_untrans/\nibs_op//"},
		{fixture: "arm", same: armTrials, more: []string{"cpu/event=0x76/"}},
		{fixture: "arm-biglittle",
			same: "cpu_cycles\narmv8_cortex_a53/inst_retired/\narmv8_cortex_a72/r11/\narmv8_cortex_a72/event=0x11,long/u\n" +
				"armv8_cortex_a53/config=0x11,config1=1/",
			more: []string{"armv8_cortex_a53/cycles/", "cpu/event=0x76/"},
			// perf 6.1 leaves it to the kernel which kind of core counts.
			other: []string{"cycles", "instructions", "r11"},
		},
		{fixture: "powerpc", same: "cycles\nhv_24x7/PM_CYC,core=3/", refused: "hv_24x7/PM_CYC/"},
		{fixture: "trace", same: traceTrials, refused: "sched:nosuch\nsched:x*\nsched:\n:sched_wakeup\nnosuch:sched_wakeup\nsched:sched_wakeup/name=x/",
			// perf wants every subsystem that a pattern matches to have the name, and
			// knows brackets for subsystems only.
			more: []string{"*:sched_wakeup", "sched:sched_wake[u]p"}},
	}
}

// genericTrials are generic, raw and numbered events, and names of sysfs without a PMU.
const genericTrials = `cycles
cpu-cycles
instructions
cache-references
cache-misses
branches
branch-instructions
branch-misses
bus-cycles
stalled-cycles-frontend
idle-cycles-frontend
stalled-cycles-backend
idle-cycles-backend
ref-cycles
cpu-clock
task-clock
page-faults
faults
context-switches
cs
cpu-migrations
migrations
minor-faults
major-faults
alignment-faults
emulation-faults
cgroup-switches
dummy
bpf-output
duration_time
user_time
system_time
cycles
r1a8
r01a8
r1A8
r0
rffffffffffffffff
tsc
mem-loads
energy-pkg
cas_count_read
clockticks
el-start
`

// cacheTrials are hardware cache events in several spellings; all combinations are in TestCacheLikePerf.
const cacheTrials = `L1-dcache-load-misses
l1-d-read-misses
L1-dcache-loads:u
L1-dcache
l1d
LLC
LLC-loads
L2-loads
LLC-load-misses
dTLB-loads
d-tlb-read-refs
dTLB
iTLB
node
branch
branch-loads
branch-load-misses
bpu-load
bpc
btb-read-miss
L1-dcache-misses-load
L1-dcache-misses
node-prefetch-misses
LLC-prefetch-misses
LLC-speculative-read-miss
L1-data-Reference
L1-data-load-refs
L1-data-load-ops
L1-data-load-access
L1-dcache-load
L1-dcache-prefetch
L1-icache-prefetch-misses
l1i-prefetch
`

// modifierTrials are letters behind a colon.
const modifierTrials = `cycles:u
cycles:k
cycles:h
cycles:uk
cycles:ukh
cycles:kh
cycles:G
cycles:H
cycles:GH
cycles:uG
cycles:uH
cycles:I
cycles:p
cycles:pp
cycles:ppp
cycles:upp
cycles:ppu
cycles:pup
cycles:D
cycles:e
cycles:uD
cycles:S
cycles:W
cycles:
cs:u
cs:D
cs:e
cs:p
task-clock:u
r1a8:u
1:3
0:0
1:3:u
4:0x1a8
0x1:0x3
99:1
1:99
`

// listTrials are commas, spaces and braces.
const listTrials = `cycles,instructions
cycles, instructions
cycles , instructions
 cycles
cycles 
cycles,instructions
{cycles}
{dummy,cycles,instructions}
{dummy,cycles,instructions}:u
{dummy,cycles:k,instructions}:u
{dummy,cycles:u,instructions:k}:H
{dummy,cycles}:S
{dummy,cycles}:D
{dummy,cycles}:e
{dummy,cycles}:W
{dummy,cycles}:p
{dummy, cycles}
{ dummy,cycles }
{dummy ,cycles}
{dummy,cycles},instructions
{dummy,cycles},{cs,instructions}
name{dummy,cycles}
{dummy,cpu/event=0xc0,umask=1/}:k
cpu/event=0xc0/,cpu/event=0xc4/
cpu/event=0xc0,umask=1/,cycles:u,{dummy,cs}:u
`

// termTrials are terms between slashes.
const termTrials = `cpu/event=0xc0/
cpu/event=0xc0,umask=1/
cpu/event=0xc0,umask=0x1,name=x/
cpu/event=0xc0,umask=1,name=x/u
cpu/event=0xc0/uk
cpu/event=0xc0/pp
cpu/event=0xc0, umask=1/
cpu/ event=0xc0/
cpu/event =0xc0/
cpu/event= 0xc0/
cpu/event=0xc0 /
cpu/event=192/
cpu/umask=1/
cpu//
cpu/config=0x1a8/
cpu/config=1,config1=2,config2=3/
cpu/config1=0x10/
cpu/r1a8/
cpu/r1a8,umask=1/
cpu/r0x1a8/
cpu/r0x1a8,umask=1/
cpu/event=0xa8,umask=0x1,name=LSD.UOPS_CYCLES,cmask=0x1/
cpu/event=0xa8,umask=0x1,cmask=0x1,name='LSD.UOPS_CYCLES:cmask=0x1'/
cpu/event=0,umask=0x3,percore=1/
cpu/event=0xc0,name=instructions/
cha/clockticks,filter_tid=3/
cstate_core/c6-residency/
power/energy-cores/
cpu/instructions/
cpu/cpu-cycles/
cpu/cpu-cycles/k
cpu/mem-loads/
cpu/mem-loads,ldlat=30/
cpu/mem-loads,ldlat=3/
cpu/edge/
cpu/edge=1/
cpu/edge=0/
cpu/event=0xa3,umask=0x6,cmask=6,inv,edge/
cpu/event=0xc0,event=0xc4/
cpu/event=0xc0,name='a,b'/
cpu/event=0xc0,name=a.b/
cpu/event=0xc0,name=a-b:c/
cpu/period=1000,event=0xc0/
cpu/event=0xc0,period=1000/
cpu/event=0xc0,percore/
cpu/event=0xc0,metric-id=x/
cpu/branch-instructions,name=foo/
msr/tsc/
msr/tsc/u
msr/event=0/
power/energy-pkg/
uncore_imc/cas_count_read/
uncore_imc_0/cas_count_read/
imc/cas_count_read/
cha/clockticks/
cycles/name=c/
cycles/name=c/u
cs/name=z/
cycles/period=1/
cycles//
instructions/name=a,name=b/
L1-dcache-loads/name=q/
task-clock/name=q/u
r1a8/name=q/
cpu/r1a8,name=q/u
`

// breakpointTrials are breakpoints.
const breakpointTrials = `mem:0x1000
mem:0x1000:rw
mem:0x1000:r
mem:0x1000:w
mem:0x1000:x
mem:0x1000/8
mem:0x1000/8:w
mem:0x1000/8:w:u
mem:0x1000:u
mem:4096
mem:0x1000/16:w
mem:1000
`

// refusedTrials are mistakes.
const refusedTrials = `r0x1a8
cpu/r0X1A8/
@
cpu/event=-1/
cpu/event=0xc0 umask=1/
cpu/event=1e2/
cpu/event=1.5/
cpu/event=0x/
cpu/event=0xzz/
cpu/event=0x1,,umask=1/
cpu/long=1/
intel_pt//u
cycles:0
cycles;instructions
cycles\tinstructions
cycles:pppp
cycles:uu
cycles:uku
cycles:x
cycles:u:k
cycles:R
R1a8
r
rg
r10000000000000000
rffffffffffffffff0
4:r1a8
cpu/event=0xc0,/
cpu/event=/
cpu/event=0x100/
cpu/event=zz/
cpu/event=0300/
cpu/
cpu/nosuch/
cpu/event=0xc0,name=/
cpu/event=0xc0,freq=99/
cpu/event=0xc0,call-graph=fp/
cpu/event=0xc0,time=1/
nosuch/event=1/
msr/nosuch/
uncore_im/cas_count_read/
{dummy,cycles}:x
{dummy,cycles}:
{}
dummy}
{dummy,{cs}}
a:b{dummy}
,
,cycles
cycles,
cycles,,cs
L1-dcache-foo
L1-icache-stores
L1-icache-store-misses
iTLB-stores
iTLB-prefetches
branch-stores
mem:zz
mem:0x1000:y
mem:0x1000:rr
mem:0x1000/8/w
CYCLES
Cycles
cycle
instructionss
foo
foo:bar
foo-bar
foo.o
foo.c
-
cycles-ct
cpu/cycles
/cycles/
`

// hybridTrials are about a processor with two kinds of cores. Whole groups of hardware events are not
// among them: perf ends at the first leader that it cannot open.
const hybridTrials = `cycles
instructions:u
cycles:k
{dummy,cycles,instructions}:u
{dummy,cycles:p}:pp
{dummy,cycles:G}:H
{dummy,cycles:h}:k
r1a8
r1a8:u
0:1
4:0x1a8
cpu_core/event=0xc0,umask=1,name=x/
cpu_core/event=0xc0/u
cpu_atom/instructions/
cpu_atom/instructions/k
cpu_core/cycles/
cpu_core/cpu-cycles/
cpu_core/mem-loads,ldlat=30/
cpu_core/r1a8/
cpu_atom/r1a8/
cpu_core/config=0x1a8/
cpu_atom/config=0x1a8,config1=3/
cpu_core//
cpu_atom//
topdown-retiring
mem-loads
cpu-cycles
branch-instructions
task-clock
cs,cycles
power/energy-pkg/
energy-pkg
msr/tsc/
{dummy,cpu_core/cycles/}:u
mem:0x1000
`

// amdTrials are fields in pieces, and PMUs of a package.
const amdTrials = `cycles
r76
r1000000c0
cpu/event=0x1c2,umask=0x3/
cpu/event=0x76/
cpu/cpu-cycles/
stalled-cycles-frontend
amd_df/event=0x1f47,umask=0xfe/
amd_df/event=0x07,umask=0x38/
amd_df/event=0x3fff/
amd_l3/event=0x04,umask=0xff/
amd_l3/event=0x04,umask=0xff,slicemask=0xf,threadmask=0xff/
amd_l3/event=0x9a,umask=0x1f,slicemask=1/
amd_l3/config=0xff0f00000000ff04/
`

// armTrials are PMUs with a number in their names.
const armTrials = `arm_spe_0//
arm_spe_0/min_latency=10,load_filter=1/
arm_spe/ts_enable=1,pa_enable=1/u
cpu_cycles
inst_retired
armv8_pmuv3_0/inst_retired/
armv8_pmuv3/inst_retired/
armv8_pmuv3_0/event=0x11/
armv8_pmuv3_0/cpu_cycles,long/
armv8_pmuv3/cpu_cycles,long/u
armv8_pmuv3_0/r11/
armv8_pmuv3_0/config=0x11,config1=1/
r11
arm_cmn/hnf_cache_miss,nodeid=0x48,bynodeid=1/
arm_cmn_0/hnf_cache_miss/
arm_cmn_0/type=0x5,eventid=1/
cycles
r76
`

// traceTrials are tracepoints and patterns.
const traceTrials = `sched:sched_wakeup
sched:sched_switch:k
sched:sched_*
sched:*
sched:sched_wakeup:u
syscalls:sys_enter_r*
{dummy,sched:sched_wakeup}:u
sched:sched_wakeup_new
sched:sched_wake??
`
