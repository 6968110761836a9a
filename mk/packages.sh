#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# See that Debian packages are there: packages.sh STAMP PACKAGE...
# Missing ones are named on one line, then installed by root or through sudo.
# STAMP lists the packages with their versions and is rewritten only when that
# list changes, so what depends on it is rebuilt after an upgrade and not else.
set -eu

stamp=$1
log=$(dirname "$stamp")/apt.log
shift

if ! command -v dpkg-query >/dev/null; then
	if [ ! -e "$stamp" ]; then
		echo "packages: this is no Debian system; needed are what Debian calls: $*" >&2
		mkdir -p "$(dirname "$stamp")"
		echo "$*" >"$stamp"
	fi
	touch "$stamp"
	exit 0
fi

installed() {
	# dpkg-query fails for a name it has never heard of; that one is missing.
	# shellcheck disable=SC2016 # the ${} are dpkg-query's own
	dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\n' "$@" 2>/dev/null |
		sed -n 's/ installed$//p'
}

missing() {
	have=" $(installed "$@" | cut -d ' ' -f 1 | tr '\n' ' ')"
	for package; do
		case $have in
		*" $package "*) ;;
		*) printf ' %s' "$package" ;;
		esac
	done
}

give_up() {
	echo "packages: $1; install them with:" >&2
	echo "  apt-get update && apt-get install -y --no-install-recommends$lacking" >&2
	exit 1
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif [ -t 0 ]; then
		sudo "$@"
	else
		sudo -n "$@"
	fi
}

# What apt-get says is of interest only when it fails.
apt_get() {
	as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 \
		"$@" >"$log" 2>&1 </dev/null || {
		tail -n 20 "$log" >&2
		return 1
	}
}

install_missing() {
	# Another group of the same build may have installed them meanwhile.
	lacking=$(missing "$@")
	[ -n "$lacking" ] || return 0
	echo "packages: missing:$lacking" >&2
	[ "$(id -u)" = 0 ] || command -v sudo >/dev/null || give_up "neither root nor sudo"
	updated=$(dirname "$stamp")/updated
	if [ -z "$(find "$updated" -mmin -60 2>/dev/null)" ]; then
		apt_get update || give_up "apt-get update failed"
		touch "$updated"
	fi
	# shellcheck disable=SC2086 # a list of words
	apt_get install -y --no-install-recommends $lacking || give_up "apt-get install failed"
	lacking=$(missing "$@")
	[ -z "$lacking" ] || give_up "still missing after apt-get install:$lacking"
}

mkdir -p "$(dirname "$stamp")"
if [ -n "$(missing "$@")" ]; then
	(
		flock 9
		install_missing "$@"
	) 9>"$(dirname "$stamp")/lock"
fi

installed "$@" >"$stamp.$$"
if cmp -s "$stamp.$$" "$stamp"; then
	rm -f "$stamp.$$"
else
	mv -f "$stamp.$$" "$stamp"
fi
