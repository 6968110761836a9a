#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# See that what groups need is there: packages.sh STAMP GROUP..., by the rows of packages.txt.
# What is missing is named, with the package that brings it; on Debian the packages are then
# installed by root or through sudo. STAMP lists what was found, with times and sizes, and is
# rewritten only when that changes, so what depends on it is rebuilt after an upgrade and not
# else. The compiler comes from CC. Tests set PACKAGES_ROOT, below which all files are looked for.
set -eu

stamp=$1
shift
groups=$*
here=$(dirname "$0")
log=$(dirname "$stamp")/apt.log
given_up=$(dirname "$stamp")/given_up
root=${PACKAGES_ROOT:-}
compiler=${CC:-gcc}
python=$root/usr/bin/python3

# This system's name, and those of what it is like.
# shellcheck disable=SC1091
names=$(. "$root/etc/os-release" 2>/dev/null && echo "${ID:-} ${ID_LIKE:-}") || names=

# The column of packages.txt for this system; 0: none.
column() {
	for name in $names; do
		case $name in
		debian | ubuntu) echo 3 && return ;;
		fedora | rhel | centos) echo 4 && return ;;
		arch) echo 5 && return ;;
		opensuse* | suse*) echo 6 && return ;;
		esac
	done
	echo 0
}

# Path of a library, as the compiler COMMAND finds it.
library() {
	file=$($1 -print-file-name="$2" 2>/dev/null) && [ "$file" != "$2" ] && echo "$file"
}

python_module() {
	$python -c '
import importlib.util, sys
print(importlib.util.find_spec(sys.argv[1]).origin)' "$1" 2>/dev/null
}

# The program by which source.sh downloads.
downloader() {
	case $names in
	"debian "*) command -v apt-get && return ;;
	esac
	command -v curl || command -v wget
}

# The file that meets one need, on stdout; fails where nothing does.
find_one() {
	case $1 in
	CC) command -v "${compiler%% *}" ;;
	DOWNLOAD) downloader ;;
	SANITIZERS)
		echo 'int main(void) { return 0; }' | $compiler -fsanitize=address,undefined \
			-x c -o "$stamp.try.$$" - 2>/dev/null &&
			rm -f "$stamp.try.$$" && command -v "${compiler%% *}"
		;;
	FUZZER) library clang libclang_rt.fuzzer-x86_64.a || library clang libclang_rt.fuzzer.a ;;
	/*) [ -e "$root$1" ] && echo "$root$1" ;;
	'<'*)
		header=${1#<}
		echo "#include $1" | $compiler -M -MG -x c - 2>/dev/null | tr ' ' '\n' |
			grep -m 1 "^/.*/${header%>}\$"
		;;
	*.a) library "$compiler" "$1" ;;
	python:*) python_module "${1#python:}" ;;
	firmware:*) $python -B "$here/../qemu/firmware.py" "${1#firmware:}" 2>/dev/null ;;
	*) command -v "$1" ;;
	esac
}

# The first of "a|b" that is found.
find_any() {
	for one in $(echo "$1" | tr '|' ' '); do
		find_one "$one" && return
	done
	return 1
}

# The rows of $groups: need and package.
rows() {
	awk -v groups=" $groups " -v column="$column" \
		'{ $0 = held $0 }
		sub(/\\$/, "") { held = $0; next }
		{ held = "" }
		index(groups, " " $1 " ") { print $2, column ? $column : "-", $3 }' \
		"$here/packages.txt" | sort -u
}

package_of() {
	case $1 in
	CC) basename "${compiler%% *}" ;;
	*) echo "$1" | tr '+' ' ' ;;
	esac
}

# Rows of what is missing.
missing() {
	rows | while read -r need package debian; do
		find_any "$need" >/dev/null || echo "$need $package $debian"
	done
}

found() {
	rows | while read -r need _; do
		find_any "$need"
	done | xargs -d '\n' stat -L -c '%n %Y %s' | sort -u
}

# Where a firmware was looked for.
looked_for() {
	$python -B "$here/../qemu/firmware.py" "$1" 2>&1 || true
}

# For people: the need, where it was looked for, its package.
name_missing() {
	echo "$lacking" | while read -r need package debian; do
		case $need in
		CC) need=${compiler%% *} ;;
		DOWNLOAD) need="curl or wget" ;;
		SANITIZERS) need="a compiler's -fsanitize=address,undefined" ;;
		FUZZER) need="clang's -fsanitize=fuzzer" ;;
		firmware:*)
			need="firmware ${need#firmware:}"
			[ ! -x "$python" ] ||
				need=$(looked_for "${need#* }")
			;;
		esac
		case $package in
		-) package="in Debian: $(package_of "$debian")" ;;
		*) package="package $(package_of "$package")" ;;
		esac
		echo "packages: missing: $(echo "$need" | sed 's/|/ or /g') ($package)"
	done
}

# The packages that bring what is missing, each once.
wanted() {
	echo "$lacking" | while read -r _ package _; do
		[ "$package" = - ] || package_of "$package"
	done | tr ' ' '\n' | sort -u | tr '\n' ' '
}

# Name all that is needed at once: whatever the group is for is built first.
name_all() {
	case $groups in
	build | fetch) groups="build fetch" ;;
	*) groups="build fetch $groups" ;;
	esac
	lacking=$(missing)
	packages=$(wanted)
	packages=${packages% }
	name_missing >&2
}

give_up() {
	echo "packages: $1${2:+; install with:}" >&2
	[ -z "${2:-}" ] || echo "  $2" >&2
	: >"$given_up"
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

# The output of apt-get matters only when it fails.
apt_get() {
	as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 \
		"$@" >"$log" 2>&1 </dev/null || {
		tail -n 20 "$log" >&2
		return 1
	}
}

install_by_apt() {
	by_hand="apt-get update && apt-get install -y --no-install-recommends"
	if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
		name_all
		give_up "neither root nor sudo" "$by_hand $packages"
	fi
	echo "packages: missing, to be installed: $packages" >&2
	updated=$(dirname "$stamp")/updated
	if [ -z "$(find "$updated" -mmin -60 2>/dev/null)" ]; then
		apt_get update || give_up "apt-get update failed" "$by_hand $packages"
		touch "$updated"
	fi
	# shellcheck disable=SC2086 # a list of words
	apt_get install -y --no-install-recommends $packages ||
		give_up "apt-get install failed" "$by_hand $packages"
	lacking=$(missing)
	[ -z "$lacking" ] || {
		name_missing >&2
		give_up "still missing after apt-get install $packages"
	}
}

install_missing() {
	# Another group of the same build has named what these need, too, and more: name_all().
	case $groups in
	build | fetch) [ -z "$(find "$given_up" -newer "$stamp.$$" 2>/dev/null)" ] || exit 1 ;;
	esac
	# Another group of the same build may have installed them meanwhile.
	lacking=$(missing)
	[ -n "$lacking" ] || return 0
	packages=$(wanted)
	packages=${packages% }
	[ "$column" != 3 ] || {
		install_by_apt
		return
	}
	name_all
	case $column in
	4) give_up "not installed" "dnf install $packages" ;;
	5) give_up "not installed" "pacman -S --needed $packages" ;;
	6) give_up "not installed" "zypper install $packages" ;;
	*) give_up "this system's packages are not known" ;;
	esac
}

column=$(column)
mkdir -p "$(dirname "$stamp")"
: >"$stamp.$$" # for its time
trap 'rm -f "$stamp.$$"' EXIT
if [ -n "$(missing)" ]; then
	(
		flock 9
		install_missing
	) 9>"$(dirname "$stamp")/lock"
fi

found >"$stamp.$$"
if cmp -s "$stamp.$$" "$stamp"; then
	rm -f "$stamp.$$"
else
	mv -f "$stamp.$$" "$stamp"
fi
