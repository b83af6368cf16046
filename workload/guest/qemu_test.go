package guest

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestMissingQEMU(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for arch, want := range map[Arch]string{AMD64: "qemu-system-x86", ARM64: "qemu-system-arm"} {
		_, err := FindQEMU(arch)
		var missing *MissingError
		if !errors.As(err, &missing) || missing.Package != want {
			t.Errorf("%s: %v, want the package %s", arch, err, want)
		}
	}
}

func TestArguments(t *testing.T) {
	check := func(m Machine, arch Arch, words ...string) {
		t.Helper()
		args := strings.Join(m.arguments(arch, "K", "I", "LINE", 5), " ")
		for _, w := range words {
			if without, not := strings.CutPrefix(w, "!"); strings.Contains(args, without) == not {
				t.Errorf("%+v on %s: %s: want %q", m, arch, args, w)
			}
		}
	}
	check(Machine{Engine: Emulate}, AMD64, "-icount shift=0,sleep=off", "-M q35", "-cpu max", "-seed 5", "-smp 1", "-m 512", "-no-reboot", "-kernel K -initrd I -append LINE")
	check(Machine{Engine: Emulate, CPUs: 4, Memory: 2048}, ARM64, "-M virt,dtb-randomness=off", "-smp 4", "-m 2048")
	check(Machine{Engine: KVM}, AMD64, "-accel kvm", "-cpu host,pmu=on", "!icount", "!-seed")
}

func TestCommandLine(t *testing.T) {
	check := func(m Machine, arch Arch, user, want string) {
		t.Helper()
		got := strings.Fields(m.commandLine(arch, user))
		slices.Sort(got)
		w := strings.Fields(want)
		slices.Sort(w)
		if !slices.Equal(got, w) {
			t.Errorf("command line %q, want the words of %q", got, want)
		}
	}
	check(Machine{Engine: Emulate}, AMD64, "", "console=ttyS0 panic=-1 nokaslr tsc=reliable")
	check(Machine{Engine: KVM}, AMD64, "preempt=full", "console=ttyS0 panic=-1 nokaslr preempt=full")
	check(Machine{Engine: Emulate}, ARM64, "", "console=ttyAMA0 panic=-1 nokaslr")
	check(Machine{Engine: Emulate}, ARM64, "console=hvc0", "panic=-1 nokaslr console=hvc0")
}
