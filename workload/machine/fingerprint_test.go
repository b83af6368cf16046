package machine

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"microcost/workload/recording"
)

// machineOf makes a file system of paths and contents.
func machineOf(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for path, text := range files {
		m[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// server is a two-socket x86 machine as root sees it.
var server = map[string]string{
	"proc/sys/kernel/random/boot_id": "6e3c1c4f-0d6b-4f6e-9a55-0f9f7d1f8f00\n",
	"etc/machine-id":                 "0123456789abcdef0123456789abcdef\n",
	"proc/sys/kernel/osrelease":      "6.12.9-test\n",
	"proc/sys/kernel/version":        "#2 SMP PREEMPT_DYNAMIC Mon Jan 1 00:00:00 UTC 2026\n",
	"proc/sys/kernel/hostname":       "secret-name\n",
	"proc/cmdline":                   "BOOT_IMAGE=/vmlinuz root=UUID=1234 rd.luks.uuid=77 ip=10.0.0.1 isolcpus=2-3 mitigations=off quiet -- --password hunter2\n",
	"boot/config-6.12.9-test":        "# Linux/x86 6.12.9\nCONFIG_HZ=1000\n# CONFIG_FOO is not set\nCONFIG_SMP=y\n",
	"proc/cpuinfo": "processor\t: 0\nmodel name\t: Testor X 9000\nmicrocode\t: 0x1\ncpu MHz\t\t: 2100.123\nflags\t\t: fpu vme\n\n" +
		"processor\t: 1\nmodel name\t: not read\n",
	"sys/devices/system/cpu/cpu0/microcode/version":                        "0x2b\n",
	"sys/devices/system/cpu/online":                                        "0-3\n",
	"sys/devices/system/cpu/isolated":                                      "2-3\n",
	"sys/devices/system/cpu/smt/control":                                   "on\n",
	"sys/devices/system/cpu/cpu0/topology/core_cpus_list":                  "0,2\n",
	"sys/devices/system/cpu/cpu0/topology/physical_package_id":             "0\n",
	"sys/devices/system/cpu/cpu2/topology/core_cpus_list":                  "0,2\n",
	"sys/devices/system/cpu/cpu2/topology/physical_package_id":             "0\n",
	"sys/devices/system/cpu/cpu1/topology/core_cpus_list":                  "1,3\n",
	"sys/devices/system/cpu/cpu1/topology/physical_package_id":             "1\n",
	"sys/devices/system/cpu/cpu3/topology/thread_siblings_list":            "1,3\n",
	"sys/devices/system/cpu/cpu3/topology/physical_package_id":             "1\n",
	"sys/devices/system/cpu/cpufreq/policy0/scaling_governor":              "performance\n",
	"sys/devices/system/cpu/cpufreq/policy1/scaling_governor":              "powersave\n",
	"sys/devices/system/cpu/cpufreq/policy2/scaling_governor":              "performance\n",
	"sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference": "performance\n",
	"sys/devices/system/cpu/cpu0/cpufreq/scaling_driver":                   "intel_pstate\n",
	"sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_min_freq":                 "800000\n",
	"sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq":                 "3900000\n",
	"sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq":                 "800000\n",
	"sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq":                 "2100000\n",
	"sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq":                 "2100000\n",
	"sys/devices/system/cpu/intel_pstate/no_turbo":                         "1\n",
	"sys/devices/system/cpu/cpuidle/current_driver":                        "intel_idle\n",
	"sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count":     "3\n",
	"sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count":     "4\n",
	"sys/devices/system/cpu/vulnerabilities/meltdown":                      "Mitigation: PTI\n",
	"proc/loadavg": "0.52 0.58 0.59 1/345 6789\n",
	"proc/meminfo": "MemTotal:       16384 kB\nMemFree: 1 kB\n",
	"sys/kernel/mm/transparent_hugepage/enabled":                      "always [madvise] never\n",
	"sys/devices/system/node/online":                                  "0-1\n",
	"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
	"sys/class/dmi/id/sys_vendor":                                     "Amazon EC2\n",
	"proc/self/cgroup":                                                "0::/user.slice/job\n",
	"sys/fs/cgroup/user.slice/job/cpu.max":                            "max 100000\n",
	"sys/fs/cgroup/user.slice/cpu.max":                                "150000 100000\n",
	"sys/fs/cgroup/user.slice/job/memory.max":                         "1048576\n",
	"sys/fs/cgroup/user.slice/memory.max":                             "2097152\n",
	"sys/fs/cgroup/cpuset.cpus.effective":                             "0-3\n",
	"proc/sys/kernel/perf_event_paranoid":                             "-1\n",
	"proc/sys/kernel/nmi_watchdog":                                    "0\n",
	"proc/sys/kernel/randomize_va_space":                              "2\n",
	"proc/sys/kernel/sched_rt_runtime_us":                             "950000\n",
	"sys/kernel/debug/sched/base_slice_ns":                            "2800000\n",
	"sys/kernel/debug/sched/features":                                 "PLACE_LAG NO_HRTICK\n",
	"sys/kernel/debug/sched/preempt":                                  "none (voluntary) full lazy\n",
	"sys/kernel/sched_ext/state":                                      "enabled\n",
	"sys/kernel/sched_ext/root/ops":                                   "scx_simple\n",
	"proc/modules":                                                    "b 16384 1 a, Live 0xffffffffc0000000\na 4096 0 - Live 0xffffffffc0100000\n",
}

func ptr[T any](v T) *T { return &v }

func TestFingerprint(t *testing.T) {
	got := Fingerprint(machineOf(server))
	if z, err := gzip.NewReader(bytes.NewReader(got.ConfigGZ)); err != nil {
		t.Error(err)
	} else if config, err := io.ReadAll(z); err != nil || string(config) != server["boot/config-6.12.9-test"] {
		t.Errorf("configuration is %q, %v", config, err)
	}
	want := recording.Env{
		OS: got.OS, Arch: got.Arch, PageSize: got.PageSize, ConfigGZ: got.ConfigGZ,
		BootID: "6e3c1c4f-0d6b-4f6e-9a55-0f9f7d1f8f00", Host: hostHash("0123456789abcdef0123456789abcdef"),
		Kernel: "6.12.9-test", Build: "#2 SMP PREEMPT_DYNAMIC Mon Jan 1 00:00:00 UTC 2026",
		CmdLine:      "BOOT_IMAGE=/vmlinuz root=* rd.luks.uuid=* ip=* isolcpus=2-3 mitigations=off quiet",
		ConfigSHA256: configHash([]byte("CONFIG_SMP=y\nCONFIG_HZ=1000\n")),
		CPU:          "Testor X 9000", CPUs: 4, Microcode: "0x2b", Online: "0-3", Isolated: "2-3",
		Sockets: 2, Cores: 2, ThreadsPerCore: 2, SMT: "on",
		Governor: "performance,powersave", Driver: "intel_pstate", Preference: "performance", Turbo: ptr(false),
		MinFrequency: 800e6, MaxFrequency: 3900e6, ScalingMin: 800e6, ScalingMax: 2100e6, Frequency: 2100e6,
		IdleDriver: "intel_idle", Throttles: ptr(uint64(7)), Load: ptr(0.52),
		Mitigations: map[string]string{"meltdown": "Mitigation: PTI"},
		Memory:      16 << 20, HugePages: "madvise", NUMANodes: 2, ClockSource: "tsc", Virtualisation: "none",
		CgroupCPU: "150000 100000", CgroupMemory: "1048576", CgroupCPUs: "0-3",
		Paranoid: ptr(-1), NMIWatchdog: ptr(0), ASLR: ptr(2),
		Preempt: "voluntary", SchedFeatures: []string{"PLACE_LAG", "NO_HRTICK"},
		SchedSysctls: map[string]string{"sched_rt_runtime_us": "950000", "base_slice_ns": "2800000"},
		SchedExt:     "scx_simple", ModulesSHA256: got.ModulesSHA256, Modules: ptr(2),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fingerprint (-want +got):\n%s", diff)
	}
}

// Absent is not zero: a machine that says nothing has nothing in its
// fingerprint.
func TestFingerprintOfNothing(t *testing.T) {
	got := Fingerprint(fstest.MapFS{})
	want := recording.Env{OS: got.OS, Arch: got.Arch, PageSize: got.PageSize}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fingerprint (-want +got):\n%s", diff)
	}
}

func TestFingerprintNamesNobody(t *testing.T) {
	rec := &recording.Recording{Sessions: []recording.Session{{Env: Fingerprint(machineOf(server))}}}
	var buf bytes.Buffer
	if _, err := rec.WriteTo(&buf); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"secret-name", "0123456789abcdef", "hunter2", "UUID=1234", "10.0.0.1", "user.slice"} {
		if strings.Contains(buf.String(), secret) {
			t.Errorf("the fingerprint holds %q", secret)
		}
	}
	p := Private(machineOf(server), "me", []string{"A=b"})
	if diff := cmp.Diff(&recording.Private{HostName: "secret-name", User: "me", Environment: []string{"A=b"}}, p); diff != "" {
		t.Errorf("private (-want +got):\n%s", diff)
	}
}

func TestFingerprintOfThisMachine(t *testing.T) {
	if _, err := os.Stat("/proc/sys/kernel/osrelease"); err != nil {
		t.Skipf("needs /proc: %v", err)
	}
	env := Fingerprint(os.DirFS("/"))
	if env.Kernel == "" || env.CPUs == 0 || env.Memory == 0 || env.BootID == "" {
		t.Errorf("kernel %q, %d processors, %d bytes of memory, boot %q", env.Kernel, env.CPUs, env.Memory, env.BootID)
	}
}

func BenchmarkFingerprint(b *testing.B) {
	for b.Loop() {
		Fingerprint(os.DirFS("/"))
	}
}

func TestParseCPUInfo(t *testing.T) {
	for _, c := range []struct{ name, in, model, microcode string }{
		{"x86", "model name\t: A\nmicrocode\t: 0x5\n", "A", "0x5"},
		{"arm64, two kinds", "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0xd05\nCPU revision\t: 0\n\n" +
			"processor\t: 1\nCPU implementer\t: 0x41\nCPU variant\t: 0x3\nCPU part\t: 0xd0a\nCPU revision\t: 1\n",
			"arm implementer 0x41 part 0xd05 variant 0x1 revision 0 + arm implementer 0x41 part 0xd0a variant 0x3 revision 1", ""},
		{"power", "processor\t: 0\ncpu\t\t: POWER9, altivec supported\nclock\t\t: 3800MHz\n", "POWER9, altivec supported", ""},
		{"riscv", "processor\t: 0\nhart\t\t: 1\nuarch\t\t: sifive,u74-mc\n", "sifive,u74-mc", ""},
		{"nothing", "", "", ""},
	} {
		got := parseCPUInfo([]byte(c.in))
		if got.model != c.model || got.microcode != c.microcode {
			t.Errorf("%s: %q, %q; want %q, %q", c.name, got.model, got.microcode, c.model, c.microcode)
		}
	}
}

func TestConfigFromTheKernelItself(t *testing.T) {
	files := machineOf(server)
	files["proc/config.gz"] = &fstest.MapFile{Data: pack([]byte("CONFIG_HZ=250\n"))}
	if got, want := Fingerprint(files).ConfigSHA256, configHash([]byte("CONFIG_HZ=250\n")); got != want {
		t.Errorf("hash %s, want that of /proc/config.gz", got)
	}
}

func TestVirtualisation(t *testing.T) {
	guest := "model name\t: A\nflags\t\t: fpu hypervisor\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"bare metal", map[string]string{"proc/cpuinfo": "model name\t: A\nflags\t\t: fpu\n", "sys/class/dmi/id/sys_vendor": "Amazon EC2"}, "none"},
		{"qemu", map[string]string{"proc/cpuinfo": guest, "sys/class/dmi/id/sys_vendor": "QEMU\n"}, "qemu"},
		{"hyper-v", map[string]string{"proc/cpuinfo": guest, "sys/class/dmi/id/sys_vendor": "Microsoft Corporation", "sys/class/dmi/id/product_name": "Virtual Machine"}, "hyper-v"},
		{"xen", map[string]string{"proc/cpuinfo": guest, "sys/hypervisor/type": "xen\n"}, "xen"},
		{"no firmware", map[string]string{"proc/cpuinfo": guest}, "unknown"},
		{"arm guest", map[string]string{"proc/device-tree/hypervisor/compatible": "linux,kvm\x00"}, "kvm"},
		{"arm, not known", map[string]string{"proc/cpuinfo": "CPU implementer\t: 0x41\nCPU revision\t: 1\n"}, ""},
	} {
		if got := Fingerprint(machineOf(c.files)).Virtualisation; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCgroupVersion1(t *testing.T) {
	env := Fingerprint(machineOf(map[string]string{
		"proc/self/cgroup":                               "4:cpu,cpuacct:/job\n3:memory:/job\n2:cpuset:/\n0::/\n",
		"sys/fs/cgroup/cpu/job/cpu.cfs_quota_us":         "-1\n",
		"sys/fs/cgroup/cpu/job/cpu.cfs_period_us":        "100000\n",
		"sys/fs/cgroup/memory/job/memory.limit_in_bytes": "9223372036854771712\n",
		"sys/fs/cgroup/cpuset/cpuset.cpus":               "0-1\n",
	}))
	if env.CgroupCPU != "max 100000" || env.CgroupMemory != "max" || env.CgroupCPUs != "0-1" {
		t.Errorf("cpu %q, memory %q, cpus %q", env.CgroupCPU, env.CgroupMemory, env.CgroupCPUs)
	}
}

func TestSchedExt(t *testing.T) {
	for _, c := range [][3]string{{"", "", ""}, {"disabled", "", "disabled"}, {"enabled", "scx_rusty", "scx_rusty"}, {"enabled", "", "enabled"}} {
		if got := schedExt(c[0], c[1]); got != c[2] {
			t.Errorf("state %q, ops %q: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func TestModulesHashIgnoresOrderAndAddresses(t *testing.T) {
	a := Fingerprint(machineOf(map[string]string{"proc/modules": "a 1 0 - Live 0x1\nb 2 0 - Live 0x2\n"}))
	b := Fingerprint(machineOf(map[string]string{"proc/modules": "b 2 9 a, Live 0x3\na 1 5 - Live 0x4\n"}))
	c := Fingerprint(machineOf(map[string]string{"proc/modules": "a 1 0 - Live 0x1\n"}))
	none := Fingerprint(machineOf(map[string]string{"proc/modules": ""}))
	if a.ModulesSHA256 != b.ModulesSHA256 || a.ModulesSHA256 == c.ModulesSHA256 || *none.Modules != 0 {
		t.Errorf("hashes %s, %s, %s; %d modules", a.ModulesSHA256, b.ModulesSHA256, c.ModulesSHA256, *none.Modules)
	}
}

func TestListLen(t *testing.T) {
	for in, want := range map[string]int{"0": 1, "0-3": 4, "0-3,8,10-11": 7, "": 0, "x": 0, "3-1": 0} {
		if got := listLen(in); got != want {
			t.Errorf("listLen(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestVariables(t *testing.T) {
	got := Variables([]string{"HOME=/home/me", "LC_ALL=C", "MALLOC_ARENA_MAX=1", "LD_PRELOAD=/home/me/x.so", "PATH=/bin", "OMP_NUM_THREADS=4", "broken"})
	want := []string{"LC_ALL=C", got[1], "MALLOC_ARENA_MAX=1", "OMP_NUM_THREADS=4"}
	if diff := cmp.Diff(want, got); diff != "" || !strings.HasPrefix(got[1], "LD_PRELOAD=sha256:") {
		t.Errorf("variables %q (-want +got):\n%s", got, diff)
	}
}

func TestIdentify(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	b, err := Identify(f, st.Size())
	if err != nil || len(b.SHA256) != 64 || b.Size != st.Size() || b.BuildID == "" {
		t.Errorf("this test: %+v, %v", b, err)
	}

	script := "#!/bin/sh\n"
	b, err = Identify(strings.NewReader(script), int64(len(script)))
	if err != nil || b.BuildID != "" || !strings.HasPrefix(b.SHA256, "a8076d3d28d21e02") {
		t.Errorf("script: %+v, %v", b, err)
	}
	if _, err := Identify(strings.NewReader("x"), 2); err == nil {
		t.Error("a file that is shorter than it was: no error")
	}
}

func FuzzBuildID(f *testing.F) {
	f.Add([]byte("\x7fELF\x02\x01\x01"))
	f.Fuzz(func(t *testing.T, data []byte) { buildID(bytes.NewReader(data)) })
}

// Taking the fingerprint is cheap beside what it describes: as the median of
// pairs, it takes no longer than starting a few processes.
func TestFingerprintIsCheap(t *testing.T) {
	const processes, pairs = 100, 15 // about 4, and 20 with the race detector
	took := func(f func()) float64 {
		from := time.Now()
		f()
		return time.Since(from).Seconds()
	}
	var ratios []float64
	for range pairs {
		print := took(func() { Fingerprint(os.DirFS("/")) })
		start := took(func() {
			if err := exec.Command("true").Run(); err != nil {
				t.Fatal(err)
			}
		})
		ratios = append(ratios, print/start)
	}
	slices.Sort(ratios)
	t.Logf("a fingerprint takes as long as starting %.1f processes (%.1f to %.1f)", ratios[pairs/2], ratios[0], ratios[pairs-1])
	if ratios[pairs/2] > processes {
		t.Errorf("that is more than %d", processes)
	}
}
