#!/bin/sh
# Installs Debian packages that are not there yet. It asks apt only when one is
# missing, and says what to do where it cannot install.
set -eu
missing=
for p in "$@"; do
	dpkg-query -W -f '${Status}\n' "$p" 2>/dev/null | grep -q '^install ok installed$' || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
sudo=
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null 2>&1 || { echo "install these packages and try again:$missing" >&2; exit 1; }
	sudo=sudo
fi
command -v apt-get >/dev/null 2>&1 || { echo "this is not Debian; install what these packages hold:$missing" >&2; exit 1; }
echo "installing$missing"
$sudo apt-get update -qq
# shellcheck disable=SC2086 # the list is meant to be split
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing
