#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The Debian packages of what is installed in FOLDER/debian/noisefloor: deb.sh FOLDER TOOL.deb
# COLLECTOR.deb, with VERSION, MAINTAINER, LWIP_LICENSE, QRCODEGEN_LICENSE and ZLIB_LICENSE, files
# that begin with these licences, and SOURCE_DATE_EPOCH, the time of all files. These and the
# folder's contents make the packages, byte by byte.
set -eu

: "${VERSION:?}" "${MAINTAINER:?}" "${SOURCE_DATE_EPOCH:?}" "${LWIP_LICENSE:?}" \
	"${QRCODEGEN_LICENSE:?}" "${ZLIB_LICENSE:?}"
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
umask 022
here=$(cd "$(dirname "$0")" && pwd)
work=$1
root_of() {
	echo "$work/debian/$1"
}

# A package of Debian has no local path and keeps zsh's functions elsewhere.
move_files() {
	from=$(root_of noisefloor) to=$(root_of noisefloor-collect)
	mv "$from/usr/share/zsh/site-functions" "$from/usr/share/zsh/vendor-completions"
	# The collector's files.
	(cd "$from" && find usr -type f -name "*noisefloor-collect*") | while read -r file; do
		install -d "$to/$(dirname "$file")"
		mv "$from/$file" "$to/$file"
	done
	units=$to/usr/lib/systemd/system
	install -d "$units"
	install -m 644 "$here/deb/noisefloor-collect.service" \
		"$here/deb/noisefloor-collect.socket" "$units"
}

own_licence() {
	echo "License: BSD-2-Clause"
	sed '1,4d; s/^$/./; s/^/ /' "$here/../LICENSE"
}

# licence NAME FIRST FILE: its text in a file of others, from the word FIRST on, without the frame
# of the comment that it is in.
licence() {
	echo
	echo "License: $1"
	tr -d '\r' <"$3" | sed -n "/$2/,\$p" |
		sed '/\*\//,$d; /This file is part/,$d; /^  Jean-loup/,$d' |
		sed 's/^ \*//; s/ *$//; s/^$/./; s/^ *\([^ ]\)/ \1/'
}

# The collector has nothing of what the EFI application is made of.
write_copyright() {
	if [ "$1" = noisefloor-collect ]; then
		sed '/^Files: libfdt/,$d' "$here/deb/copyright"
		own_licence
	else
		cat "$here/deb/copyright"
		own_licence
		licence BSD-3-Clause Redistribution "$LWIP_LICENSE"
		licence Expat Permission "$QRCODEGEN_LICENSE"
		licence Zlib "This software" "$ZLIB_LICENSE"
	fi
}

write_docs() {
	docs=$(root_of "$1")/usr/share/doc/$1
	install -d "$docs"
	write_copyright "$1" >"$docs/copyright"
	{
		printf 'noisefloor (%s) unstable; urgency=medium\n\n' "$VERSION"
		printf '  * See the CHANGELOG.md of the sources.\n\n -- %s  %s\n' "$MAINTAINER" \
			"$(date -R -d "@$SOURCE_DATE_EPOCH")"
	} | gzip -9n >"$docs/changelog.gz"
}

write_control() {
	root=$(root_of "$1")
	install -d "$root/DEBIAN"
	sed "s/@MAINTAINER@/$MAINTAINER/" "$here/deb/control" >"$work/debian/control"
	gzip -dc "$root/usr/share/doc/$1/changelog.gz" >"$work/debian/changelog"
	(
		cd "$work"
		dpkg-shlibdeps -Tdebian/substvars "debian/$1/usr/bin/$1"
		dpkg-gencontrol "-p$1" "-Pdebian/$1" -Tdebian/substvars -fdebian/files >/dev/null
	)
	for script in postinst prerm postrm; do
		[ ! -e "$here/deb/$1.$script" ] ||
			install -m 755 "$here/deb/$1.$script" "$root/DEBIAN/$script"
	done
	(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
}

# pack PACKAGE FILE.deb
pack() {
	root=$(root_of "$1")
	strip --strip-unneeded --remove-section=.comment --remove-section=.note "$root/usr/bin/$1"
	gzip -9n "$root"/usr/share/man/man1/*.1
	write_docs "$1"
	write_control "$1"
	find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
	dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$root" "$2" >/dev/null
}

move_files
pack noisefloor "$2"
pack noisefloor-collect "$3"
