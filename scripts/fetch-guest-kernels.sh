#!/bin/sh
# Fetches the kernels that the tests boot: of Debian's cloud kernels the newest two
# for amd64 and the newest for arm64. They are unpacked, not installed, and apt
# works on a state of its own, so that the machine's packages, its list of
# architectures and its sources stay as they are.
#
# usage: scripts/fetch-guest-kernels.sh [DIR]
#
# DIR is $MICROCOST_CACHE/guest-kernels by default, below ~/.cache/microcost
# without it. There will be amd64-1 (newest), amd64-2 and arm64-1, each with boot/
# as in the package. What is there is not fetched again.
set -eu
cache=${MICROCOST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/microcost}
dir=${1:-$cache/guest-kernels}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

complete() {
	for k in amd64-1 amd64-2 arm64-1; do
		ls "$dir/$k"/boot/vmlinuz-* >/dev/null 2>&1 || return 1
	done
}
if complete; then
	echo "$dir is complete"
	exit 0
fi
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || {
	echo "this is not Debian: put the kernels into $dir/amd64-1, amd64-2 and arm64-1 as boot/vmlinuz-VERSION" >&2
	exit 1
}

state=$dir/apt
mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/preferences.d"
: >"$state/status"
cat >"$state/apt.conf" <<CONF
Dir::State "$state";
Dir::State::Lists "$state/lists";
Dir::State::status "$state/status";
Dir::Cache "$state/cache";
APT::Architecture "amd64";
APT::Architectures { "amd64"; "arm64"; };
APT::Get::List-Cleanup "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
CONF
export APT_CONFIG="$state/apt.conf"
echo "reading the package lists of amd64 and arm64"
apt-get update -qq

# newest N ARCH lists the N newest cloud kernels of Linux 6.1.
newest() {
	apt-cache pkgnames 'linux-image-6.1.0-' |
		sed 's/:.*//' | grep -E "^linux-image-6\.1\.0-[0-9]+-cloud-$2-unsigned\$" | sort -u -t- -k4,4nr | head -n "$1"
}

fetch() { # PACKAGE ARCH PLACE
	if ls "$dir/$3"/boot/vmlinuz-* >/dev/null 2>&1; then return; fi
	echo "fetching $1:$2"
	(cd "$state/cache" && rm -f ./*.deb && apt-get download -qq "$1:$2")
	rm -rf "$dir/$3.part"
	mkdir "$dir/$3.part"
	# The modules are most of the package, and the guest loads none.
	dpkg-deb --fsys-tarfile "$state"/cache/*.deb | tar -x -C "$dir/$3.part" ./boot
	rm -f "$state"/cache/*.deb
	rm -rf "${dir:?}/$3"
	mv "$dir/$3.part" "$dir/$3"
}

n=0
for p in $(newest 2 amd64); do
	n=$((n + 1))
	fetch "$p" amd64 "amd64-$n"
done
for p in $(newest 1 arm64); do
	fetch "$p" arm64 arm64-1
done
complete || { echo "apt offers no two cloud kernels of Linux 6.1 for amd64 and one for arm64" >&2; exit 1; }
rm -rf "$state"
ls "$dir"/*/boot/vmlinuz-*
