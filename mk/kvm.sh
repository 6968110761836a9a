#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A Debian kernel with KVM for AMD's processors into a folder, not into the system: kvm.sh FOLDER.
# Leaves FOLDER/vmlinuz, and in FOLDER/modules the modules, named so that they can be loaded in
# their order. Where it cannot be had, prints the reason on stderr and into FOLDER/why, and exits 1.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")

give_up() {
	echo "$1" >"$folder/why"
	echo "kvm: $1" >&2
	exit 1
}

apt() {
	"$here/mk/apt.sh" "$folder/apt" deb "$release" "$@" >>"$folder/log" 2>&1 ||
		give_up "apt-get: $(tail -n 1 "$folder/log")"
}

exec 9>"$folder/lock"
flock 9
[ ! -e "$folder/vmlinuz" ] || exit 0
[ "$release" ] || give_up "this is no Debian system"
rm -rf "$folder/debs" "$folder/part" "$folder/modules"
mkdir -p "$folder/debs" "$folder/part" "$folder/modules"
cd "$folder/debs"
apt update
# The package without a version names the one with it.
apt download linux-image-cloud-amd64
image=$(dpkg-deb -f linux-image-cloud-amd64*.deb Depends | sed 's/[ ,(].*//')
apt download "$image"
dpkg-deb -x "$image"*.deb "$folder/part" || give_up "$image cannot be unpacked"
# Below /usr since Debian 13.
modules=$(find "$folder"/part/lib/modules "$folder"/part/usr/lib/modules -maxdepth 2 \
	-name kernel 2>/dev/null) || true
n=10
for name in virt/lib/irqbypass drivers/crypto/ccp/ccp arch/x86/kvm/kvm arch/x86/kvm/kvm-amd; do
	[ ! -e "$modules/$name.ko" ] || # built in
		cp "$modules/$name.ko" "$folder/modules/$n-$(basename "$name").ko"
	n=$((n + 1))
done
cp "$folder"/part/boot/vmlinuz-* "$folder/vmlinuz.part"
mv "$folder/vmlinuz.part" "$folder/vmlinuz"
rm -rf "$folder/debs" "$folder/part" "$folder/apt" "$folder/why"
echo "kvm: $image: in $folder"
