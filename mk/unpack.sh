#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Debian packages unpacked into a folder and not installed: unpack.sh FOLDER PACKAGE...
# So no daemon is started, no user made, and what the system runs stays as it is. Leaves
# FOLDER/root. Where they cannot be had, writes the reason to stderr and FOLDER/why, and exits 1.
# They are of the release that the machine runs, or of SUITE.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift

give_up() {
	echo "$1" >"$folder/why"
	echo "unpack: $1" >&2
	exit 1
}

# The last line that a failed command left in the log.
reason() {
	tail -n 1 "$folder/log"
}

release=$(. /etc/os-release && echo "${VERSION_CODENAME:+${SUITE:-$VERSION_CODENAME}}")
apt() {
	"$here/mk/apt.sh" "$folder/apt" deb "$release" "$@" >>"$folder/log" 2>&1
}

fetch() {
	[ "$release" ] || give_up "this is no Debian system"
	: >"$folder/log"
	apt update || give_up "apt-get update: $(reason)"
	rm -rf "$folder/debs" "$folder/part"
	mkdir -p "$folder/debs" "$folder/part"
	(cd "$folder/debs" && apt download "$@") || give_up "download: $(reason)"
	for deb in "$folder"/debs/*.deb; do
		dpkg-deb -x "$deb" "$folder/part" || give_up "$deb cannot be unpacked"
	done
	rm -rf "$folder/debs" "$folder/apt"
	mv "$folder/part" "$folder/root"
}

exec 9>"$folder/lock"
flock 9
if [ ! -d "$folder/root" ]; then
	fetch "$@"
	rm -f "$folder/why"
	echo "unpack: $*: in $folder/root"
fi
