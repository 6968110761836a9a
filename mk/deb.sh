#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The Debian package of what is installed in a folder: deb.sh FOLDER PACKAGE.deb, with VERSION,
# MAINTAINER, LWIP_LICENSE and QRCODEGEN_LICENSE, files that begin with these licences, and
# SOURCE_DATE_EPOCH, the time of all files. These and the folder's contents make the package, byte
# by byte.
set -eu

: "${VERSION:?}" "${MAINTAINER:?}" "${SOURCE_DATE_EPOCH:?}" "${LWIP_LICENSE:?}" \
	"${QRCODEGEN_LICENSE:?}"
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
umask 022
here=$(cd "$(dirname "$0")" && pwd)
work=$1
package=$(realpath "$2")
root=$work/debian/noisefloor
docs=$root/usr/share/doc/noisefloor

# A package of Debian has no local path, keeps zsh's functions elsewhere, and packs its manual.
move_files() {
	install -d "$root/usr/lib/systemd/system" "$docs" "$root/DEBIAN"
	mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
	install -m 644 "$here"/deb/noisefloor-collect.* "$root/usr/lib/systemd/system"
	strip --strip-unneeded --remove-section=.comment --remove-section=.note \
		"$root/usr/bin/noisefloor"
	gzip -9n "$root"/usr/share/man/man1/*.1
}

# licence NAME FIRST FILE: its text in a file of others, from the word FIRST on, without the frame
# of the comment that it is in.
licence() {
	echo
	echo "License: $1"
	tr -d '\r' <"$3" | sed -n "/$2/,\$p" | sed '/\*\//,$d; /This file is part/,$d' |
		sed 's/^ \*//; s/ *$//; s/^$/./; s/^ *\([^ ]\)/ \1/'
}

write_docs() {
	{
		cat "$here/deb/copyright"
		echo "License: BSD-2-Clause"
		sed '1,4d; s/^$/./; s/^/ /' "$here/../LICENSE"
		licence BSD-3-Clause Redistribution "$LWIP_LICENSE"
		licence Expat Permission "$QRCODEGEN_LICENSE"
	} >"$docs/copyright"
	{
		printf 'noisefloor (%s) unstable; urgency=medium\n\n' "$VERSION"
		printf '  * See the CHANGELOG.md of the sources.\n\n -- %s  %s\n' "$MAINTAINER" \
			"$(date -R -d "@$SOURCE_DATE_EPOCH")"
	} | gzip -9n >"$docs/changelog.gz"
}

write_control() {
	sed "s/@MAINTAINER@/$MAINTAINER/" "$here/deb/control" >"$work/debian/control"
	gzip -dc "$docs/changelog.gz" >"$work/debian/changelog"
	(
		cd "$work"
		dpkg-shlibdeps -Tdebian/substvars debian/noisefloor/usr/bin/noisefloor
		dpkg-gencontrol -pnoisefloor -Pdebian/noisefloor -Tdebian/substvars \
			-fdebian/files >/dev/null
	)
	install -m 755 "$here/deb/postrm" "$root/DEBIAN/postrm"
	(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
}

move_files
write_docs
write_control
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$root" "$package" >/dev/null
