#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# apt-get with one source and a state of its own: apt.sh STATE TYPE SUITE ARGUMENT...,
# or only the mirror that it would use: apt.sh --mirror.
# The source is the machine's own Debian mirror and key, with another TYPE (deb, deb-src)
# or SUITE, and for another PROCESSOR where the environment names one. What the system itself
# knows and has installed stays as it is.
set -eu

# The mirror of the machine's own entry for the release it runs.
mirror() {
	# shellcheck disable=SC2016 # the $() are apt-get's own
	apt-get indextargets --format '$(CODENAME) $(REPO_URI)' \
		'Origin: Debian' 'Component: main' 'Created-By: Packages' 2>/dev/null |
		sed -n "s/^$release //p" | head -n 1
}

release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
site=$(mirror)
site=${site:-http://deb.debian.org/debian}
[ "$1" != --mirror ] || {
	echo "$site"
	exit
}

state=$1
type=$2
suite=$3
shift 3
mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
echo "$type [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
	"$site $suite main" >"$state/sources.list"
case ${PROCESSOR:-} in
"" | x86_64) ;;
*)
	debian=$PROCESSOR
	[ "$debian" != aarch64 ] || debian=arm64
	set -- -o APT::Architecture="$debian" -o APT::Architectures::="$debian" "$@"
	;;
esac
exec apt-get -qq \
	-o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=- \
	-o Dir::State::lists="$state/lists" -o Dir::Cache="$state/cache" \
	-o APT::Sandbox::User= -o Acquire::Retries=2 -o Acquire::http::Timeout=20 "$@"
