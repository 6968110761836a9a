#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Packages of Debian's for a processor that this machine does not have, into a folder:
# foreign.sh FOLDER PROCESSOR PACKAGE... They are unpacked and not installed, and are only those;
# apt has a state of its own.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
processor=$2
shift 2

give_up() {
	echo "$processor: $1: $(tail -n 1 "$folder/log")" >&2
	exit 1
}

apt() {
	PROCESSOR=$processor "$here/mk/apt.sh" "$folder/apt" deb "$release" "$@" \
		>>"$folder/log" 2>&1
}

: >"$folder/log"
# shellcheck disable=SC1091
release=$(. /etc/os-release && [ "$ID" = debian ] && echo "${VERSION_CODENAME:-}") ||
	give_up "$* can be fetched on Debian only"
apt update || give_up "apt-get update"
rm -f "$folder"/*.deb
(cd "$folder" && apt download "$@") || give_up "download of $*"
for deb in "$folder"/*.deb; do
	dpkg-deb -x "$deb" "$folder" || give_up "$deb cannot be unpacked"
done
rm -f "$folder"/*.deb
