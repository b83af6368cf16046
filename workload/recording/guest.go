package recording

import "time"

// A Guest says on what a session ran that was measured in a virtual machine
// booted for it. Session.Env describes the guest, not the host.
type Guest struct {
	Engine  string        `json:"engine"`           // "emulate", "kvm"
	QEMU    string        `json:"qemu,omitempty"`   // its version
	Label   string        `json:"label"`            // of the kernel's variant
	Image   string        `json:"image"`            // the kind of image: "bzImage"
	SHA256  string        `json:"image_sha256"`     // of the file
	Version string        `json:"linux_version"`    // "Linux version ...", with compiler and builder
	Boot    int           `json:"boot"`             // number of the boot, from 0, in the order of their start
	Round   int           `json:"round"`            // every round boots each kernel once
	Seed    uint64        `json:"seed"`             // of the machine's random numbers and the workload's pauses
	Delay   time.Duration `json:"start_delay_ns"`   // before the first run
	Repeats int           `json:"repeats"`          // runs in the boot
	CPUs    int           `json:"cpus"`             // of the machine
	Memory  uint64        `json:"memory_bytes"`     // likewise
	Append  string        `json:"append,omitempty"` // what the user added to the command line
	Extra   Extra         `json:"-"`
}
