#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The contents of a file of Debian's into a folder: source.sh NAME FOLDER SUMS VARIABLE=[FILE].
# It is the upstream tarball of the source package NAME, or a .deb made from it, whichever SUMS
# lists, as sha256sum writes it; of several releases, any listed one. Apt fetches it, with a state
# of its own, elsewhere it comes from Debian's archive; FILE is a copy of it, which users name to
# make by VARIABLE. Leaves the file under its listed name and FOLDER/src.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
name=$1
sums=$3
variable=${4%%=*}
file=${4#*=}
mkdir -p "$2"
folder=$(cd "$2" && pwd)

listed() {
	sed -n 's/^[0-9a-f]*  //p' "$sums"
}

package=$(listed | sed -n '1s/_.*//p')
case $(listed | sed 1q) in
*.deb)
	type=deb
	pattern="${package}_*.deb"
	set -- download "$package"
	;;
*)
	type=deb-src
	pattern="${package}_*.orig.tar.?z*"
	set -- source --download-only --tar-only "$package"
	;;
esac

give_up() {
	echo "$name: $1" >&2
	echo "$name: a copy of the file elsewhere can be named: make $variable=FILE" >&2
	exit 1
}

apt() {
	"$here/mk/apt.sh" "$folder/apt" "$type" "$release" "$@" >>"$folder/log" 2>&1
}

# By this release's own sources. Not Ubuntu's apt-get, which knows no suite of Debian's.
by_apt() {
	# shellcheck disable=SC1091
	release=$(. "${PACKAGES_ROOT:-}/etc/os-release" && [ "$ID" = debian ] &&
		echo "${VERSION_CODENAME:-}") || return 1
	command -v apt-get >/dev/null || return 1
	apt update && (cd "$folder" && apt "$@") || return 1
	file=$(find "$folder" -maxdepth 1 -name "$pattern" | sed 1q)
	[ "$file" ] && listed | grep -qx "${file##*/}"
}

# Debian's archive has a folder per letter, and more for libraries.
pool() {
	case $name in
	lib?*) letter=${name%"${name#????}"} ;;
	*) letter=${name%"${name#?}"} ;;
	esac
	echo "${DEBIAN_MIRROR:-http://deb.debian.org/debian}/pool/main/$letter/$name"
}

get() {
	if command -v curl >/dev/null; then
		curl -fsS -o "$folder/$1" "$(pool)/$1"
	elif command -v wget >/dev/null; then
		wget -nv -O "$folder/$1" "$(pool)/$1"
	else
		echo "there is neither curl nor wget" && false
	fi >>"$folder/log" 2>&1
}

# The newest that is still there: the archive keeps those of the releases it serves.
from_archive() {
	listed | sort -rV | while read -r one; do
		! get "$one" || { echo "$folder/$one" && break; }
	done
}

download() {
	rm -f "$folder/$package"_*
	: >"$folder/log"
	by_apt "$@" || file=$(from_archive)
	[ "$file" ] || give_up "not fetched: $(tail -n 1 "$folder/log")"
}

check() {
	[ -f "$file" ] || give_up "there is no $file"
	found=$(sha256sum "$file" | cut -d ' ' -f 1)
	grep -q "^$found " "$sums" ||
		give_up "$file has SHA-256 $found, which $sums does not list"
}

# A .deb is an archive of ar with a tarball in it, whose root is the system's.
unpack() {
	rm -rf "$folder/part"
	mkdir "$folder/part"
	if [ "$type" = deb ]; then
		ar p "$1" "$(ar t "$1" | grep '^data\.tar')" >"$folder/data"
		tar -x -f "$folder/data" -C "$folder/part"
		rm "$folder/data"
	else
		tar -x -f "$1" -C "$folder/part" --strip-components=1
	fi
	mv "$folder/part" "$folder/src"
}

[ ! -d "$folder/src" ] || exit 0
if [ "$file" ]; then
	check
	copy=$folder/$(sed -n "s/^$found  //p" "$sums")
	cp "$file" "$copy.part"
	mv "$copy.part" "$copy"
	file=$copy
else
	download "$@"
	check
fi
unpack "$file"
