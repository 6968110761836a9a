#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# TF-A for QEMU's virt, with the tests' injector in it and U-Boot above, as its flash:
# build.sh FOLDER TFA_TARBALL=[FILE]. mk/source.sh fetches the source package of Debian's. Leaves
# FOLDER/uboot.bin. Where it cannot be had, prints the reason on stderr and into FOLDER/why, and
# exits 1.
set -eu

here=$(cd "$(dirname "$0")/../../../.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
sums=$here/tests/inject/aarch64/tfa/arm-trusted-firmware.sha256
cross=aarch64-linux-gnu-
fip=0x40000 # in the flash: PLAT_QEMU_FIP_BASE

give_up() {
	echo "$1" >"$folder/why"
	echo "tfa: $1" >&2
	exit 1
}

# Not with what our own make has in its environment.
build() {
	env -i PATH="$PATH" NOISEFLOOR="$here" \
		MAKEFILES="$here/tests/inject/aarch64/tfa/injector.mk" \
		make -C "$folder/src" -j "$(nproc)" PLAT=qemu CROSS_COMPILE="$cross" \
		QEMU_USE_GIC_DRIVER=QEMU_GICV3 BUILD_BASE="$folder/out" BL33="$uboot" \
		bl1 bl2 bl31 fip >"$folder/build.log" 2>&1
}

exec 9>"$folder/lock"
flock 9
rm -f "$folder/uboot.bin"
command -v "${cross}gcc" >/dev/null || give_up "there is no ${cross}gcc"
uboot=$("$here/qemu/firmware.py" uboot-aarch64) || give_up "there is no U-Boot: u-boot-qemu"
"$here/mk/source.sh" arm-trusted-firmware "$folder" "$sums" "$2" 2>"$folder/fetch.log" ||
	give_up "$(sed 1q "$folder/fetch.log")"
build || give_up "$(grep -m 1 -i 'error' "$folder/build.log")"
out=$folder/out/qemu/release
cp "$out/bl1.bin" "$folder/part"
dd if="$out/fip.bin" of="$folder/part" bs="$((fip))" seek=1 conv=notrunc status=none
mv "$folder/part" "$folder/uboot.bin"
rm -f "$folder/why"
echo "tfa: in $folder/uboot.bin"
