#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# apt-get with one source and a state of its own: apt.sh STATE TYPE SUITE ARGUMENT...,
# or only the mirror that it would use: apt.sh --mirror.
# The state is in a folder of the source below APT_STATE, where the environment names one for all,
# and else below STATE. `update` fetches the lists of a source once an hour.
# The source is the machine's own Debian mirror and key, with another TYPE (deb, deb-src)
# or SUITE, and for another PROCESSOR where the environment names one. What the system itself
# knows and has installed stays as it is.
set -eu

# The mirror of the machine's own entry for the release it runs.
mirror() {
	release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	# shellcheck disable=SC2016 # the $() are apt-get's own
	site=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' \
		'Origin: Debian' 'Component: main' 'Created-By: Packages' 2>/dev/null |
		sed -n "s/^$release //p" | head -n 1)
	echo "${site:-http://deb.debian.org/debian}"
}

[ "$1" != --mirror ] || {
	mirror
	exit
}

processor=${PROCESSOR:-own}
state=${APT_STATE:-$1}/$2-$3-$processor
type=$2
suite=$3
shift 3
mkdir -p "$state/lists/partial" "$state/cache/archives/partial"

apt() {
	case $processor in
	own | x86_64) ;;
	*)
		debian=$processor
		[ "$debian" != aarch64 ] || debian=arm64
		set -- -o APT::Architecture="$debian" -o APT::Architectures::="$debian" "$@"
		;;
	esac
	apt-get -qq \
		-o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=- \
		-o Dir::State::lists="$state/lists" -o Dir::Cache="$state/cache" \
		-o Dir::Cache::pkgcache=pkgcache.bin -o Dir::Cache::srcpkgcache=srcpkgcache.bin \
		-o APT::Sandbox::User= -o Acquire::Retries=2 -o Acquire::http::Timeout=20 "$@"
}

update() {
	echo "$type [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
		"$(mirror) $suite main" >"$state/sources.list"
	apt -o APT::Update::Error-Mode=any update && touch "$state/updated"
}

# Others may read the lists meanwhile, but not while they are fetched.
exec 8>"$state/used"
if [ "$1" = update ]; then
	flock 8
	[ -n "$(find "$state/updated" -mmin -60 2>/dev/null)" ] || update
else
	flock -s 8
	apt "$@"
fi
