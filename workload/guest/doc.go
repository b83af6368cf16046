// Package guest boots kernels in QEMU and measures inside them.
//
// An Image is a kernel file, a Machine what it is booted on. For each Boot the
// package makes an initramfs whose /init is this very program: it mounts what the
// kernel has, carries out the Plan that lies beside it, and sends each sample home
// over the serial console as it is taken. Run starts the boots of several kernels
// in random order and calls back with what they say.
//
// Under the engine Emulate the guest's clock advances by one nanosecond for each
// instruction, so that counts are exact whatever the host is doing; under KVM the
// guest uses the real processor and, where the host has one to give, its PMU.
//
// The package prints nothing and judges nothing. Every QEMU that it starts has
// ended when Run returns, and dies with this process if that is killed.
package guest
