#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A medium to boot from: image.sh OUT.img|OUT.iso CONFIGURATION README BOOTX64.EFI=APPLICATION...
# Applications are named as the firmware of their processor looks for them.
# The .img is a disk (GPT, one EFI system partition) for a stick; the .iso boots as a CD and
# as a disk. The same input gives the same bytes: names, serial numbers and times are fixed,
# the last by SOURCE_DATE_EPOCH.
set -eu

out=$1
conf=$2
readme=$3
shift 3

export TZ=UTC0 LC_ALL=C MTOOLSRC=/dev/null MTOOLS_SKIP_CHECK=1
: "${SOURCE_DATE_EPOCH:?}"
export SOURCE_DATE_EPOCH

label=NOISEFLOOR
volume_id=4e464c52
disk_guid=9F3C2D50-6E66-4F41-8D0B-4E4F49534546
esp_guid=9F3C2D51-6E66-4F41-8D0B-4E4F49534546

# FAT32 wants 65525 clusters, here of 512 bytes. Most of it is free, for results.
disk_mib=64
esp_start=2048 # sectors; ends where the second GPT begins, on a whole MiB
esp_mib=62

# The CD's partition is read-only: just large enough. El Torito has 16 bits for its sectors.
cd_mib=4

work=$(mktemp -d)
part=$out.part

# The output of the tools matters only when they fail.
finish() {
	code=$?
	[ $code = 0 ] || cat "$work/log" >&2
	rm -rf "$work" "$part"
	exit $code
}
trap finish EXIT
: >"$work/log"

# What the medium holds, with lines ended for any editor and times fixed.
lay_out() {
	mkdir -p "$work/tree/EFI/BOOT"
	for app; do
		install -m 644 "${app#*=}" "$work/tree/EFI/BOOT/${app%%=*}"
	done
	sed 's/\r*$/\r/' "$conf" >"$work/tree/noisefloor.conf"
	sed 's/\r*$/\r/' "$readme" >"$work/tree/README.txt"
	find "$work/tree" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
}

# fill VOLUME: copy the tree to a formatted volume, named as mtools name it.
fill() {
	mmd -i "$1" ::/EFI ::/EFI/BOOT
	mcopy -m -i "$1" "$work"/tree/EFI/BOOT/* ::/EFI/BOOT
	mcopy -m -i "$1" "$work/tree/noisefloor.conf" "$work/tree/README.txt" ::/
}

disk() {
	truncate -s "${disk_mib}M" "$part"
	sgdisk --clear --set-alignment=2048 --new=1:$esp_start:+${esp_mib}M --typecode=1:ef00 \
		--change-name=1:$label --disk-guid=$disk_guid --partition-guid=1:$esp_guid \
		"$part" >"$work/log" 2>&1
	mkfs.fat --invariant -F 32 -s 1 -n $label -i $volume_id -h $esp_start \
		--offset $esp_start "$part" $((esp_mib * 1024)) >"$work/log" 2>&1
	fill "$part@@$((esp_start * 512))"
}

cd_rom() {
	truncate -s "${cd_mib}M" "$work/esp"
	mkfs.fat --invariant -F 16 -s 1 -n $label -i $volume_id "$work/esp" >"$work/log" 2>&1
	fill "$work/esp"
	xorriso -no_rc -as mkisofs -quiet -V $label -r -J -o "$part" \
		--gpt_disk_guid $disk_guid -appended_part_as_gpt \
		-append_partition 2 C12A7328-F81F-11D2-BA4B-00A0C93EC93B "$work/esp" \
		-e --interval:appended_partition_2:all:: -no-emul-boot "$work/tree" 2>"$work/log"
}

mkdir -p "$(dirname "$out")"
lay_out "$@"
case $out in
*.iso) cd_rom ;;
*) disk ;;
esac
mv "$part" "$out"
