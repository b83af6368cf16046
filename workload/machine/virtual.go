package machine

import (
	"strings"

	"microcost/workload/recording"
)

// readVirtualisation names the hypervisor, if there is one. On x86 the
// processor says whether (see readCPU) and the firmware which; elsewhere only
// the device tree may say.
func readVirtualisation(t tree, env *recording.Env) {
	env.ClockSource = t.text("sys/devices/system/clocksource/clocksource0/current_clocksource")
	vendor := t.text("sys/class/dmi/id/sys_vendor") + " " + t.text("sys/class/dmi/id/product_name")
	switch {
	case env.Virtualisation == "none": // firmware of bare metal clouds names the cloud too
		return
	case t.text("sys/hypervisor/type") != "":
		env.Virtualisation = t.text("sys/hypervisor/type")
	case hypervisorOf(vendor) != "":
		env.Virtualisation = hypervisorOf(vendor)
	case strings.Contains(string(t.bytes("proc/device-tree/hypervisor/compatible")), "kvm"), env.ClockSource == "kvm-clock":
		env.Virtualisation = "kvm"
	}
}

func hypervisorOf(vendor string) string {
	for _, known := range [][2]string{
		{"QEMU", "qemu"}, {"KVM", "kvm"}, {"Amazon EC2", "amazon"}, {"Google", "google"}, {"VMware", "vmware"},
		{"innotek", "virtualbox"}, {"VirtualBox", "virtualbox"}, {"Virtual Machine", "hyper-v"}, {"Xen", "xen"},
		{"Parallels", "parallels"}, {"Apple Virtualization", "apple"}, {"Firecracker", "firecracker"},
	} {
		if strings.Contains(vendor, known[0]) {
			return known[1]
		}
	}
	return ""
}
