# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# bash completion of noisefloor. Subcommands and options are what the program's own
# --help says; the values of options stand below.

_noisefloor_subcommands() {
	"$1" --help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p'
}

_noisefloor_options() {
	"$1" "$2" --help 2>/dev/null | grep -oE '^  (-[a-zA-Z], )?--[a-z]+(, --[a-z]+)*' |
		grep -oE -- '--?[a-z]+'
}

# What an option takes: words, or nothing where it is a file, a number or a name of the run's.
_noisefloor_values() {
	case $1/$2 in
	show/--format) echo text json jsonl junit tap influx prom hwlatdetect sysjitter ;;
	compare/--format | diff/--format) echo text json junit tap influx prom ;;
	predict/--format) echo text json influx prom ;;
	*/--preset) echo openshift rhel-rt rhel-rt-virt bits hft ;;
	*/--stage) echo firmware bare acpi handoff ;;
	predict/--cores) echo auto merged apart together ;;
	esac
}

_noisefloor() {
	local program=${COMP_WORDS[0]} subcommand=${COMP_WORDS[1]}
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		words="$(_noisefloor_subcommands "$program") --help --version"
	elif [[ $word == -?* ]]; then
		words=$(_noisefloor_options "$program" "$subcommand")
	else
		words=$(_noisefloor_values "$subcommand" "$before")
	fi
	[ -z "$words" ] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

# Where there are no words, files.
complete -o default -F _noisefloor noisefloor
