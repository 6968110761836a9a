#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# gnu-efi's headers for a processor that this machine does not have, into a folder:
# gnu_efi.sh FOLDER PROCESSOR. They are of Debian's package for that processor, which is unpacked
# and not installed; apt has a state of its own. Leaves FOLDER/usr/include/efi/PROCESSOR.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
case $2 in
aarch64) debian=arm64 ;;
*) debian=$2 ;;
esac

give_up() {
	echo "gnu-efi: $1: $(tail -n 1 "$folder/log")" >&2
	exit 1
}

apt() {
	"$here/mk/apt.sh" "$folder/apt" deb "$release" -o APT::Architecture="$debian" \
		-o APT::Architectures::="$debian" "$@" >>"$folder/log" 2>&1
}

: >"$folder/log"
# shellcheck disable=SC1091
release=$(. /etc/os-release && [ "$ID" = debian ] && echo "${VERSION_CODENAME:-}") ||
	give_up "/usr/include/efi/$2 is missing, and only Debian's can be fetched"
apt update || give_up "apt-get update for $debian"
rm -f "$folder"/*.deb
(cd "$folder" && apt download gnu-efi) || give_up "download for $debian"
dpkg-deb -x "$folder"/gnu-efi_*.deb "$folder" || give_up "it cannot be unpacked"
