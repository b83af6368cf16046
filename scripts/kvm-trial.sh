#!/bin/sh
# Tries `microcost kernel --engine kvm` where there is no KVM: in an emulated arm64
# machine with EL2 and a PMU. In it Debian's kernel has a /dev/kvm that runs guests
# and gives them counters, and microcost boots the kernels of docs/kernel-ab.md there
# with the QEMU of Debian's arm64.
#
# usage: scripts/kvm-trial.sh [TRIAL...]
#
#   compare  base against nops, three boots each
#   loop     a program of 2,000,000 instructions, counted in user mode; two CPUs
#   stop     ^C while a guest runs, once and twice, and kill -9: no QEMU is left
#   nopmu    the machine has no PMU: the error, then what can be measured without
#   nokvm    the machine has no EL2, so no /dev/kvm; then one that may not be opened
#
# All of them by default. Everything is emulated twice: compare takes some ten
# minutes, the others fewer. What is fetched (QEMU with all that it depends on, 50 MB)
# is unpacked below $MICROCOST_CACHE/kvm-trial, ~/.cache/microcost without it;
# nothing of another architecture is installed.
set -eu
cache=${MICROCOST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/microcost}
dir=$cache/kvm-trial
here=$(cd "$(dirname "$0")" && pwd)
. "$here/own-apt.sh"
[ $# -gt 0 ] || set -- compare loop stop nopmu nokvm
for trial in "$@"; do
	case $trial in
	compare | loop | stop | nopmu | nokvm) ;;
	*) echo "usage: $0 [compare|loop|stop|nopmu|nokvm]..." >&2; exit 2 ;;
	esac
done
"$here/install-tools.sh" qemu-system-arm cpio binutils gcc-aarch64-linux-gnu
"$here/fetch-kernels.sh" >/dev/null
"$here/kernel-ab.sh" arm64 >/dev/null
mkdir -p "$dir"
exec 9>"$dir/.lock"
flock 9

# fetch unpacks QEMU for arm64, what it depends on, and a static shell, into
# $dir/debian, with an apt that has a state of its own.
fetch() {
	[ ! -x "$dir/debian/usr/bin/qemu-system-aarch64" ] || return 0
	state=$dir/apt
	rm -rf "$state" "$dir/debian.part"
	mkdir -p "$dir/debian.part"
	echo "fetching QEMU for arm64"
	own_apt "$state" arm64
	apt-get install --download-only -y -qq qemu-system-arm busybox-static >/dev/null
	for deb in "$state"/cache/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$dir/debian.part"
	done
	unset APT_CONFIG
	rm -rf "$state"
	mv "$dir/debian.part" "$dir/debian" # whole or not there
}

# companions copies the libraries that a program asks for, and theirs.
companions() { # FILE
	for name in $(readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'); do
		[ ! -e "$root/lib/aarch64-linux-gnu/$name" ] || continue
		for place in lib usr/lib; do
			[ -e "$dir/debian/$place/aarch64-linux-gnu/$name" ] || continue
			cp -L "$dir/debian/$place/aarch64-linux-gnu/$name" "$root/lib/aarch64-linux-gnu/"
			companions "$root/lib/aarch64-linux-gnu/$name"
			break
		done
	done
}

# assemble makes what the machine starts from: QEMU, microcost and the kernels.
assemble() {
	root=$dir/root
	rm -rf "$root"
	mkdir -p "$root/bin" "$root/lib/aarch64-linux-gnu" "$root/proc" "$root/sys" "$root/dev" "$root/tmp" "$root/etc" "$root/k"
	cp "$dir/debian/usr/bin/qemu-system-aarch64" "$dir/debian/bin/busybox" "$root/bin/"
	companions "$root/bin/qemu-system-aarch64"
	ln -s aarch64-linux-gnu/ld-linux-aarch64.so.1 "$root/lib/ld-linux-aarch64.so.1"
	for word in sh cat cut dmesg grep kill mount pidof poweroff sleep start-stop-daemon; do
		ln -s busybox "$root/bin/$word"
	done
	echo nobody:x:65534:65534::/tmp:/bin/sh >"$root/etc/passwd"
	(cd "$here/.." && GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$root/bin/microcost" .)
	for k in base nops; do
		cp "$cache/kernel-ab/$k-arm64" "$root/k/$k"
		cp "$cache/kernel-ab/$k-arm64.config" "$root/k/$k.config"
	done
	# 2,000,000 instructions and a few around them.
	printf '%s\n' '.globl _start' '_start: movz x0, #0x4240' 'movk x0, #0xf, lsl #16' '1: subs x0, x0, #1' 'b.ne 1b' \
		'mov x0, #0' 'mov x8, #93' 'svc #0' |
		aarch64-linux-gnu-gcc -nostdlib -static -x assembler -o "$root/bin/loop" -
	cat >"$root/init" <<'INIT'
#!/bin/sh
export PATH=/bin HOME=/tmp
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
dmesg -n 1
run() {
	echo "\$ microcost $*"
	microcost "$@" >/tmp/out 2>&1
	status=$?
	cat /tmp/out
	echo "exit $status"
}
# begun waits until a guest boots: the probe has none of the pattern's.
begun() {
	n=0
	until grep -q 'init[r]d' /proc/[0-9]*/cmdline 2>/dev/null || [ $n -gt 200 ]; do
		sleep 0.1
		n=$((n + 1))
	done
	sleep 0.3
	echo "QEMU before: $(pidof qemu-system-aarch64 || echo none)"
}
ended() {
	wait "$1"
	echo "exit $?"
	cat /tmp/out
	left
}
left() {
	sleep 1
	echo "QEMU left: $(pidof qemu-system-aarch64 || echo none)"
}
. /trial
poweroff -f
INIT
	chmod +x "$root/init"
	gzip -dc "$cache"/guest-kernels/arm64-1/boot/vmlinuz-* >"$dir/Image" 2>/dev/null || cp "$cache"/guest-kernels/arm64-1/boot/vmlinuz-* "$dir/Image"
}

# boot starts the machine and carries out the commands of the input in it.
boot() { # VIRTUALIZATION CPU
	echo "=== $trial"
	cat >"$root/trial"
	(cd "$root" && find . | cpio -o -H newc --quiet) >"$dir/initramfs"
	# icount: QEMU's PMU counts instructions only then.
	timeout 3600 qemu-system-aarch64 -nodefaults -no-user-config -display none -monitor none -serial stdio -no-reboot \
		-M "virt,virtualization=$1,gic-version=3,dtb-randomness=off" -cpu "$2" -m 2G -icount shift=0,sleep=off \
		-kernel "$dir/Image" -initrd "$dir/initramfs" -append "console=ttyAMA0 panic=-1 nokaslr loglevel=1" </dev/null |
		tr -d '\r' | grep -v 'reboot: Power down'
}

fetch
assemble
for trial in "$@"; do
	case $trial in
	compare)
		boot on neoverse-n1 <<'DO'
dmesg | grep -E 'kvm|perfevents' | cut -c16-
run kernel --engine kvm -q --seed 1 --boots 3 --repeats 3 --workload pipe,loops=500 /k/base /k/nops
DO
		;;
	loop)
		boot on neoverse-n1 <<'DO'
run kernel --engine kvm -q --seed 1 --boots 1 --repeats 2 --warmup 0 -e instructions:u,instructions:k,cycles:u,branch-misses /k/base /k/nops -- /bin/loop
run kernel --engine kvm -q --seed 1 --boots 1 --repeats 1 --warmup 0 --smp 2 --workload pipe,loops=100 /k/base /k/nops
DO
		;;
	stop)
		boot on neoverse-n1 <<'DO'
microcost kernel --engine kvm -q --boots 3 --repeats 1 --workload pipe,loops=100 /k/base /k/nops >/tmp/out 2>&1 &
echo "one ^C"
begun
kill -INT $!
ended $!
microcost kernel --engine kvm -q --boots 3 --workload pipe,loops=1000000 /k/base /k/nops >/tmp/out 2>&1 &
echo "two ^C"
begun
kill -INT $!
sleep 0.5
kill -INT $!
ended $!
microcost kernel --engine kvm -q --boots 3 --workload pipe,loops=1000000 /k/base /k/nops >/tmp/out 2>&1 &
echo "kill -9"
begun
kill -KILL $!
ended $!
DO
		;;
	nopmu)
		boot on neoverse-n1,pmu=off <<'DO'
run kernel --engine kvm -q --seed 1 --boots 1 --workload pipe,loops=100 /k/base /k/nops
left
run kernel --engine kvm -q --seed 1 --boots 1 --repeats 1 --warmup 0 -e instructions,task-clock,sched:sched_wakeup,sched:sched_switch --workload pipe,loops=100 /k/base /k/nops
DO
		;;
	nokvm)
		boot off neoverse-n1 <<'DO'
run kernel --engine kvm -q --boots 1 --workload pipe /k/base /k/nops
DO
		boot on neoverse-n1 <<'DO'
echo '$ start-stop-daemon -S -c nobody -x /bin/microcost -- kernel --engine kvm -q --workload pipe /k/base /k/nops'
start-stop-daemon -S -c nobody -x /bin/microcost -- kernel --engine kvm -q --workload pipe /k/base /k/nops
echo "exit $?"
DO
		;;
	esac
done
