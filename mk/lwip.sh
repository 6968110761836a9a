#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# lwIP's sources into a folder: lwip.sh FOLDER SUMS [TARBALL]. They are Debian's upstream
# tarball, fetched by apt with a state of its own, elsewhere from Debian's archive, or the one
# named; it must be one of those listed in SUMS, as sha256sum writes them. Leaves FOLDER/src.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
sums=$2
tarball=${3:-}
mkdir -p "$1"
folder=$(cd "$1" && pwd)
archive=${DEBIAN_MIRROR:-http://deb.debian.org/debian}/pool/main/l/lwip

give_up() {
	echo "lwip: $1" >&2
	echo "lwip: a copy of the tarball elsewhere can be named: make LWIP_TARBALL=FILE" >&2
	exit 1
}

apt() {
	"$here/mk/apt.sh" "$folder/apt" deb-src "$release" "$@" >>"$folder/log" 2>&1
}

# As the release this is has it. Not Ubuntu's apt-get, which knows no suite of Debian's.
by_apt() {
	# shellcheck disable=SC1091
	release=$(. "${PACKAGES_ROOT:-}/etc/os-release" && [ "$ID" = debian ] &&
		echo "${VERSION_CODENAME:-}") || return 1
	command -v apt-get >/dev/null || return 1
	apt update &&
		(cd "$folder" && apt source --download-only --tar-only lwip) || return 1
	tarball=$(find "$folder" -maxdepth 1 -name 'lwip_*.orig.tar.*' | head -n 1)
	[ "$tarball" ]
}

get() {
	if command -v curl >/dev/null; then
		curl -fsS -o "$folder/$1" "$archive/$1"
	elif command -v wget >/dev/null; then
		wget -nv -O "$folder/$1" "$archive/$1"
	else
		echo "there is neither curl nor wget" && false
	fi >>"$folder/log" 2>&1
}

# The newest that is still there: the archive keeps those of the releases it serves.
from_archive() {
	sed -n 's/^[0-9a-f]*  //p' "$sums" | sort -rV | while read -r name; do
		! get "$name" || { echo "$folder/$name" && break; }
	done
}

download() {
	rm -f "$folder"/lwip_*
	: >"$folder/log"
	by_apt || tarball=$(from_archive)
	[ "$tarball" ] || give_up "not fetched: $(tail -n 1 "$folder/log")"
}

check() {
	[ -f "$tarball" ] || give_up "there is no $tarball"
	found=$(sha256sum "$tarball" | cut -d ' ' -f 1)
	grep -q "^$found " "$sums" ||
		give_up "$tarball has SHA-256 $found, which $sums does not list"
}

unpack() {
	[ "$tarball" ] || download
	check
	rm -rf "$folder/part"
	mkdir "$folder/part"
	tar -x -f "$tarball" -C "$folder/part" --strip-components=1
	mv "$folder/part" "$folder/src"
}

[ -d "$folder/src" ] || unpack
# What 2.2 has in a file of its own is in dhcp.c of 2.1.
acd=$folder/src/src/core/ipv4/acd.c
[ -e "$acd" ] || [ ! -d "${acd%/*}" ] || : >"$acd"
