#!/bin/sh
# Builds the three kernels of docs/kernel-ab.md from Debian's linux-source-6.1, in
# a small configuration:
#
#   base    as it is
#   nops    64 nops in front of try_to_wake_up
#   layout  64 nops in a function that nobody calls: only addresses move
#
# usage: scripts/kernel-ab.sh [x86_64|arm64] [DIR]
#
# The images are left in DIR, $MICROCOST_CACHE/kernel-ab by default, as base-ARCH,
# nops-ARCH and layout-ARCH; beside each NAME.config and NAME.vmlinux, the file
# with the symbols; and the source's scripts/bloat-o-meter. What is built already
# is not built again.
set -eu
arch=${1:-x86_64}
cache=${MICROCOST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/microcost}
dir=${2:-$cache/kernel-ab}
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
here=$(dirname "$0")

packages="linux-source-6.1 gcc make flex bison bc libelf-dev libc6-dev xz-utils"
case $arch in
x86_64)
	image=arch/x86/boot/bzImage
	cross=
	[ "$(uname -m)" = x86_64 ] || { cross=x86_64-linux-gnu-; packages="$packages gcc-x86-64-linux-gnu"; }
	;;
arm64)
	image=arch/arm64/boot/Image
	cross=
	[ "$(uname -m)" = aarch64 ] || { cross=aarch64-linux-gnu-; packages="$packages gcc-aarch64-linux-gnu"; }
	;;
*)
	echo "usage: $0 [x86_64|arm64] [DIR]" >&2
	exit 2
	;;
esac
mkdir -p "$dir"
# Two at a time would build in one tree.
exec 9>"$dir/.lock"
flock 9

# What a kernel needs to run the guest: a console, an initramfs, the file systems,
# perf events with tracepoints, and enough of a system for Go (futex, epoll).
# The rest of it is what this measurement is about: the fair scheduler.
cat >"$dir/.config-$arch" <<'CONFIG'
CONFIG_64BIT=y
CONFIG_CC_OPTIMIZE_FOR_PERFORMANCE=y
# CONFIG_CC_OPTIMIZE_FOR_SIZE is not set
CONFIG_KERNEL_GZIP=y
# CONFIG_KERNEL_XZ is not set
CONFIG_SLUB=y
# CONFIG_SLOB is not set
CONFIG_SMP=y
CONFIG_PRINTK=y
CONFIG_BUG=y
CONFIG_KALLSYMS=y
CONFIG_BLK_DEV_INITRD=y
CONFIG_RD_GZIP=y
CONFIG_BINFMT_ELF=y
CONFIG_BINFMT_SCRIPT=y
CONFIG_DEVTMPFS=y
CONFIG_PROC_FS=y
CONFIG_PROC_SYSCTL=y
CONFIG_SYSFS=y
CONFIG_TMPFS=y
CONFIG_SHMEM=y
CONFIG_MULTIUSER=y
CONFIG_FUTEX=y
CONFIG_EPOLL=y
CONFIG_EVENTFD=y
CONFIG_SIGNALFD=y
CONFIG_TIMERFD=y
CONFIG_POSIX_TIMERS=y
CONFIG_HIGH_RES_TIMERS=y
CONFIG_NO_HZ_IDLE=y
CONFIG_HZ_250=y
CONFIG_ADVISE_SYSCALLS=y
CONFIG_MEMBARRIER=y
CONFIG_NET=y
CONFIG_UNIX=y
CONFIG_TTY=y
CONFIG_UNIX98_PTYS=y
CONFIG_SERIAL_8250=y
CONFIG_SERIAL_8250_CONSOLE=y
CONFIG_SERIAL_AMBA_PL011=y
CONFIG_SERIAL_AMBA_PL011_CONSOLE=y
CONFIG_IKCONFIG=y
CONFIG_IKCONFIG_PROC=y
CONFIG_CGROUPS=y
CONFIG_CGROUP_SCHED=y
CONFIG_FAIR_GROUP_SCHED=y
CONFIG_SCHED_DEBUG=y
CONFIG_PREEMPT_VOLUNTARY=y
CONFIG_DEBUG_KERNEL=y
CONFIG_DEBUG_FS=y
CONFIG_PERF_EVENTS=y
CONFIG_PROFILING=y
CONFIG_FTRACE=y
CONFIG_FUNCTION_TRACER=y
CONFIG_DYNAMIC_FTRACE=y
CONFIG_FUNCTION_PROFILER=y
CONFIG_ARM_PMU=y
CONFIG_HW_PERF_EVENTS=y
CONFIG_ACPI=y
CONFIG_PCI=y
CONFIG_X86_LOCAL_APIC=y
CONFIG_X86_IO_APIC=y
CONFIG_HPET_TIMER=y
CONFIG
# The tests boot it in further ways: by its vmlinux, and with tasks whose
# utilization is clamped; the rest is for trials of virtio ports and of counters of
# cgroups.
[ "$arch" = arm64 ] || cat >>"$dir/.config-$arch" <<'CONFIG'
CONFIG_HYPERVISOR_GUEST=y
CONFIG_PVH=y
CONFIG_VIRTIO_MENU=y
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_CONSOLE=y
CONFIG_CPU_FREQ=y
CONFIG_CPU_FREQ_GOV_SCHEDUTIL=y
CONFIG_UCLAMP_TASK=y
CONFIG_UCLAMP_TASK_GROUP=y
CONFIG_CGROUP_PERF=y
CONFIG

complete() {
	cmp -s "$dir/.config-$arch" "$dir/config-$arch" || return 1
	for k in base nops layout; do
		[ -s "$dir/$k-$arch" ] && [ -s "$dir/$k-$arch.vmlinux" ] || return 1
	done
	[ -s "$dir/bloat-o-meter" ]
}
if complete; then
	echo "$dir has the three kernels for $arch"
	exit 0
fi
# What was built with another configuration is another kernel.
cmp -s "$dir/.config-$arch" "$dir/config-$arch" || {
	for k in base nops layout; do
		rm -f "$dir/$k-$arch" "$dir/$k-$arch.vmlinux" "$dir/$k-$arch.config"
	done
	rm -rf "$dir/linux-source-6.1-$arch"
	cp "$dir/.config-$arch" "$dir/config-$arch"
}
# shellcheck disable=SC2086 # a list
"$here/install-tools.sh" $packages

tree=$dir/linux-source-6.1-$arch
# What was interrupted is begun again: half a tree or configuration builds other
# kernels.
if [ ! -f "$tree/.unpacked" ]; then
	echo "unpacking"
	rm -rf "$tree"
	mkdir -p "$tree"
	tar -xf /usr/src/linux-source-6.1.tar.xz -C "$tree" --strip-components=1
	cp "$tree/kernel/sched/core.c" "$dir/core.c-$arch"
	touch "$tree/.unpacked"
fi

# Who builds it, and when, is the same for all three: the texts are part of the
# image.
export ARCH="$arch" CROSS_COMPILE="$cross"
export KBUILD_BUILD_TIMESTAMP='2026-01-01' KBUILD_BUILD_USER=microcost KBUILD_BUILD_HOST=kernel-ab KBUILD_BUILD_VERSION=1

if [ ! -f "$tree/.configured" ]; then
	make -s -C "$tree" tinyconfig >/dev/null 2>&1
	(cd "$tree" && scripts/kconfig/merge_config.sh -m .config "$dir/config-$arch" >/dev/null)
	make -s -C "$tree" olddefconfig
	touch "$tree/.configured"
fi

# build NAME copies the image of the tree as it stands.
build() {
	[ ! -s "$dir/$1-$arch" ] || [ ! -s "$dir/$1-$arch.vmlinux" ] || return 0
	echo "building $1 for $arch with $jobs jobs"
	make -s -C "$tree" -j "$jobs" LOCALVERSION="-$1" "$(basename $image)" >"$dir/build-$1-$arch.log" 2>&1 || {
		tail -20 "$dir/build-$1-$arch.log" >&2
		exit 1
	}
	keep .config "$1-$arch.config"
	keep vmlinux "$1-$arch.vmlinux"
	keep "$image" "$1-$arch"
}

# keep FILE NAME puts a file of the tree into DIR, whole or not at all.
keep() {
	cp "$tree/$1" "$dir/.part"
	mv "$dir/.part" "$dir/$2"
}

core=$tree/kernel/sched/core.c
nops='asm volatile(".rept 64\\n\\tnop\\n\\t.endr");'

cp "$dir/core.c-$arch" "$core"
build base

# The two lines that declare its variables stand at the top of try_to_wake_up and
# nowhere else.
sed "s|^\tint cpu, success = 0;\$|&\n\n\t$nops|" "$dir/core.c-$arch" >"$core"
[ "$(grep -c '\.rept 64' "$core")" = 1 ] || { echo "try_to_wake_up is not as expected" >&2; exit 1; }
build nops

awk -v line='static noinline __used void microcost_layout(void)\n{\n\tasm volatile(".rept 64\\n\\tnop\\n\\t.endr");\n}\n' '
	/^try_to_wake_up\(/ { sub(/^static int$/, "", last); print line; print "static int"; print; last = ""; hold = 0; next }
	hold { print last }
	{ last = $0; hold = 1 }
	END { if (hold) print last }' "$dir/core.c-$arch" >"$core"
[ "$(grep -c 'microcost_layout' "$core")" = 1 ] || { echo "try_to_wake_up is not as expected" >&2; exit 1; }
build layout

keep scripts/bloat-o-meter bloat-o-meter
# 1.5 GB that the next build unpacks again.
rm -rf "$tree" "$dir/core.c-$arch"
ls -l "$dir"/*-"$arch"
