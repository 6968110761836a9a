#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# lwIP's sources into a folder: lwip.sh FOLDER SHA256 [TARBALL]. They are Debian's upstream
# tarball, fetched by apt with a state of its own, or the one named; either must have
# that checksum. Leaves FOLDER/src.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
sum=$2
tarball=${3:-}
mkdir -p "$1"
folder=$(cd "$1" && pwd)

give_up() {
	echo "lwip: $1" >&2
	echo "lwip: a copy of the tarball elsewhere can be named: make LWIP_TARBALL=FILE" >&2
	exit 1
}

release=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")
apt() {
	"$here/mk/apt.sh" "$folder/apt" deb-src "$release" "$@" >>"$folder/log" 2>&1 ||
		give_up "apt-get $1: $(tail -n 1 "$folder/log")"
}

download() {
	: >"$folder/log"
	apt update
	(cd "$folder" && apt source --download-only --tar-only lwip)
	tarball=$(find "$folder" -maxdepth 1 -name 'lwip_*.orig.tar.*' | head -n 1)
	[ "$tarball" ] || give_up "apt-get source brought no tarball"
}

[ ! -d "$folder/src" ] || exit 0
[ "$tarball" ] || download
[ -f "$tarball" ] || give_up "there is no $tarball"
found=$(sha256sum "$tarball" | cut -d ' ' -f 1)
[ "$found" = "$sum" ] || give_up "$tarball has SHA-256 $found, not $sum"
rm -rf "$folder/part"
mkdir "$folder/part"
tar -x -f "$tarball" -C "$folder/part" --strip-components=1
mv "$folder/part" "$folder/src"
