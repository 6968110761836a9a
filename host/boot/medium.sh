#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Make a medium to boot from:
#   medium.sh [-m MIB] [-d BYTES] OUT CONFIGURATION README BOOTX64.EFI=APPLICATION...
# Name each application as the firmware of its processor looks for it.
#
# OUT.iso boots as a CD and as a disk. Any other OUT is a disk (GPT, one EFI system partition), as
# `noisefloor boot stick` writes it: BYTES long, with the second partition table at its end; only
# the first MIB are used. /proc/self/fd/N is an open file, which is written in place. Any other OUT
# is complete, or does not exist.
#
# The same input gives the same bytes: names, serial numbers and times are fixed, the last by
# SOURCE_DATE_EPOCH; without it, files have the current time.
set -eu

# sgdisk and mkfs.fat may be outside a user's PATH.
export PATH="$PATH:/usr/sbin:/sbin"
export TZ=UTC0 LC_ALL=C MTOOLSRC=/dev/null MTOOLS_SKIP_CHECK=1
case ${SOURCE_DATE_EPOCH:=$(date +%s)} in
*[!0-9]*)
	echo "medium: SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH: accepted: seconds since 1970" >&2
	exit 1
	;;
esac
# FAT's times begin in 1980; without a battery, a clock starts in 1970.
[ "$SOURCE_DATE_EPOCH" -ge 315532800 ] || SOURCE_DATE_EPOCH=315532800
export SOURCE_DATE_EPOCH

label=NOISEFLOOR
volume_id=4e464c52
disk_guid=9F3C2D50-6E66-4F41-8D0B-4E4F49534546
esp_guid=9F3C2D51-6E66-4F41-8D0B-4E4F49534546

# FAT32 needs 65525 clusters, here of 512 bytes. Most of the space is for results.
disk_mib=64
disk_bytes=
while getopts m:d: option; do
	case $option in
	m) disk_mib=$OPTARG ;;
	d) disk_bytes=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
: "${disk_bytes:=$((disk_mib << 20))}"
esp_start=2048 # sectors; ends where the second GPT begins, on a whole MiB
esp_mib=$((disk_mib - 2))

# The CD's partition is read-only: just large enough. El Torito counts its sectors in 16 bits.
cd_mib=4

out=$1
conf=$2
readme=$3
shift 3

missing=
need() {
	command -v "$1" >/dev/null || missing="$missing${missing:+, }$1 (Debian's package $2)"
}

need sgdisk gdisk
need mkfs.fat dosfstools
need mcopy mtools
case $out in
*.iso) need xorriso xorriso ;;
esac
if [ "$missing" ]; then
	echo "medium: not installed: $missing" >&2
	exit 1
fi

case $out in
/proc/self/fd/*) part=$out new='' ;;
*) part=$out.part new=$part ;;
esac
work=$(mktemp -d)

# The output of the tools matters only when they fail.
finish() {
	code=$?
	[ $code = 0 ] || cat "$work/log" >&2
	rm -rf "$work" ${new:+"$new"}
	exit $code
}
trap finish EXIT
trap 'exit 1' HUP INT TERM
: >"$work/log"

# Print a text with lines that end in CR LF, for any editor.
text() {
	awk '{ sub(/\r*$/, "\r"); print }' "$1"
}

# Copy the medium's files to $work/tree, with fixed times.
lay_out() {
	mkdir -p "$work/tree/EFI/BOOT"
	for app; do
		install -m 644 "${app#*=}" "$work/tree/EFI/BOOT/${app%%=*}"
	done
	text "$conf" >"$work/tree/noisefloor.conf"
	text "$readme" >"$work/tree/README.txt"
	find "$work/tree" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
}

# fill VOLUME: copy the tree to a formatted volume, which is named as mtools expect.
fill() {
	mmd -i "$1" ::/EFI ::/EFI/BOOT
	mcopy -m -i "$1" "$work"/tree/EFI/BOOT/* ::/EFI/BOOT
	mcopy -m -i "$1" "$work/tree/noisefloor.conf" "$work/tree/README.txt" ::/
}

disk() {
	truncate -s "$disk_bytes" "$part"
	sgdisk --clear --set-alignment=2048 --new=1:$esp_start:+${esp_mib}M --typecode=1:ef00 \
		--change-name=1:$label --disk-guid=$disk_guid --partition-guid=1:$esp_guid \
		"$part" >"$work/log" 2>&1
	mkfs.fat --invariant -F 32 -n $label -i $volume_id -h $esp_start \
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

[ ! "$new" ] || mkdir -p "$(dirname "$out")"
lay_out "$@"
case $out in
*.iso) cd_rom ;;
*) disk ;;
esac
[ ! "$new" ] || mv "$new" "$out"
