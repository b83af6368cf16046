#!/bin/sh
# Fetches the Debian kernels that tests read into the cache, MICROCOST_CACHE or
# ~/.cache/microcost, below kernels/RELEASE. What is there is left alone. With
# --debug also their vmlinux with symbols and DWARF (600 MB to fetch, 1.2 GB on
# disk). Exits 0 with a message where a kernel cannot be had, because Debian
# removes old ones: tests that need it are skipped then; --require makes it fail.
set -eu
debug= require=
for arg in "$@"; do
	case $arg in
	--debug) debug=1 ;;
	--require) require=1 ;;
	*) echo "usage: $0 [--debug] [--require]" >&2; exit 2 ;;
	esac
done
cache=${MICROCOST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/microcost}/kernels
mkdir -p "$cache"
work=$(mktemp -d "$cache/.fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
updated=

# fetch PACKAGE: its .deb, in $work.
fetch() {
	(cd "$work" && apt-get download -qq "$1" 2>/dev/null) && return 0
	# No package list yet, or an old one. Only root can renew it.
	[ -z "$updated" ] || return 1
	updated=1
	[ "$(id -u)" = 0 ] || return 1
	apt-get update -qq >&2 || return 1
	(cd "$work" && apt-get download -qq "$1")
}

missing=
for release in 6.1.0-47-cloud-amd64 6.1.0-54-cloud-amd64; do
	dir=$cache/$release
	if [ ! -e "$dir/boot/vmlinuz-$release" ]; then
		if fetch "linux-image-$release-unsigned"; then
			mkdir "$work/$release"
			dpkg-deb -x "$work/linux-image-$release-unsigned"_*.deb "$work/$release"
			rm -rf "$dir"
			mv "$work/$release" "$dir" # complete or not there
		else
			missing="$missing linux-image-$release-unsigned"
			continue
		fi
	fi
	vmlinux=usr/lib/debug/boot/vmlinux-$release
	if [ -n "$debug" ] && [ ! -e "$dir/$vmlinux" ]; then
		if fetch "linux-image-$release-dbg"; then
			dpkg-deb --fsys-tarfile "$work/linux-image-$release-dbg"_*.deb | tar -x -C "$work" "./$vmlinux"
			mkdir -p "$dir/usr/lib/debug/boot"
			mv "$work/$vmlinux" "$dir/$vmlinux"
			rm -f "$work"/*.deb
		else
			missing="$missing linux-image-$release-dbg"
		fi
	fi
done
if [ -n "$missing" ]; then
	echo "not to be had:$missing" >&2
	[ -z "$require" ] || exit 1
fi
