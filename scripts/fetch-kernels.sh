#!/bin/sh
# Fetches the kernels that the tests boot and read: of Debian's cloud kernels the
# newest two and the oldest for amd64, and the newest for arm64. They are unpacked,
# not installed, and apt works on a state of its own, so that the machine's
# packages, its list of architectures and its sources stay as they are.
#
# usage: scripts/fetch-kernels.sh [--debug] [DIR]
#
# DIR is $MICROCOST_CACHE/guest-kernels by default, below ~/.cache/microcost
# without it. There will be amd64-1 (newest), amd64-2, amd64-old and arm64-1, each
# with boot/ as in the package; amd64-1 and amd64-old, which are far enough apart to
# differ in size, have the modules of net/, too. With --debug these two have their
# vmlinux with symbols and DWARF as usr/lib/debug/boot/vmlinux-* (600 MB to fetch,
# 1.2 GB on disk). What is there is not fetched again.
set -eu
debug=
if [ "${1:-}" = --debug ]; then
	debug=1
	shift
fi
case ${1:-} in
-*) echo "usage: $0 [--debug] [DIR]" >&2; exit 2 ;;
esac
cache=${MICROCOST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/microcost}
dir=${1:-$cache/guest-kernels}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
. "$(dirname "$0")/own-apt.sh"
# Two at a time would work in one another's files.
exec 9>"$dir/.lock"
flock 9

has() { # PLACE PATTERN
	# shellcheck disable=SC2086 # a pattern
	ls -d "$dir/$1"/$2 >/dev/null 2>&1
}
whole() { # PLACE
	case $1 in
	amd64-1 | amd64-old) has "$1" 'lib/modules/*/kernel/net' || return 1 ;;
	esac
	has "$1" 'boot/vmlinuz-*'
}
complete() {
	for k in amd64-1 amd64-2 amd64-old arm64-1; do
		whole $k || return 1
	done
	[ -z "$debug" ] || { has amd64-1 'usr/lib/debug/boot/vmlinux-*' && has amd64-old 'usr/lib/debug/boot/vmlinux-*'; }
}
if complete; then
	echo "$dir is complete"
	exit 0
fi
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || {
	echo "this is not Debian: put the kernels into $dir/amd64-1, amd64-2, amd64-old and arm64-1 as boot/vmlinuz-VERSION and lib/modules/VERSION" >&2
	exit 1
}

state=$dir/apt
own_apt "$state" amd64 arm64

# kernels ARCH lists the cloud kernels of Linux 6.1, the newest first.
kernels() {
	apt-cache pkgnames 'linux-image-6.1.0-' |
		sed 's/:.*//' | grep -E "^linux-image-6\.1\.0-[0-9]+-cloud-$1-unsigned\$" | sort -u -t- -k4,4nr
}

# unpack PACKAGE:ARCH DIR PATTERN... puts what the patterns name into DIR.
unpack() {
	echo "fetching $1"
	(cd "$state/cache" && rm -f ./*.deb && apt-get download -qq "$1")
	into=$2
	shift 2
	dpkg-deb --fsys-tarfile "$state"/cache/*.deb | tar -x -C "$into" --wildcards "$@"
	rm -f "$state"/cache/*.deb
}

fetch() { # PACKAGE ARCH PLACE PATTERN...
	if whole "$3"; then return; fi
	package=$1:$2 place=$3
	shift 3
	rm -rf "$dir/$place.part"
	mkdir "$dir/$place.part"
	unpack "$package" "$dir/$place.part" "$@"
	rm -rf "${dir:?}/$place"
	mv "$dir/$place.part" "$dir/$place" # whole or not there
}

amd64=$(kernels amd64) arm64=$(kernels arm64)
[ "$(echo "$amd64" | wc -l)" -ge 3 ] && [ -n "$arm64" ] || { echo "apt offers no three cloud kernels of Linux 6.1 for amd64 and one for arm64" >&2; exit 1; }
# Of the modules, which are most of a package, some hundred are enough.
fetch "$(echo "$amd64" | sed -n 1p)" amd64 amd64-1 './boot/*' './lib/modules/*/kernel/net/*'
fetch "$(echo "$amd64" | sed -n 2p)" amd64 amd64-2 './boot/*'
fetch "$(echo "$amd64" | sed -n '$p')" amd64 amd64-old './boot/*' './lib/modules/*/kernel/net/*'
fetch "$(echo "$arm64" | sed -n 1p)" arm64 arm64-1 './boot/*'
if [ -n "$debug" ]; then
	for k in amd64-1 amd64-old; do
		! has $k 'usr/lib/debug/boot/vmlinux-*' || continue
		release=$(basename "$dir/$k"/boot/vmlinuz-*)
		release=${release#vmlinuz-}
		rm -rf "$state/debug"
		mkdir "$state/debug"
		unpack "linux-image-$release-dbg:amd64" "$state/debug" "./usr/lib/debug/boot/vmlinux-$release"
		mkdir -p "$dir/$k/usr/lib/debug"
		mv "$state/debug/usr/lib/debug/boot" "$dir/$k/usr/lib/debug/boot"
	done
fi
complete || { echo "the packages are not as expected: $dir is not complete" >&2; exit 1; }
rm -rf "$state"
ls "$dir"/*/boot/vmlinuz-*
