# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# bash completion of noisefloor-collect. Printed by `make docs` from the tables of options and keys.

# The words for a place: a subcommand, SUBCOMMAND/ for options, /= for keys,
# /OPTION= or /KEY= for values.
_noisefloor_collect_words() {
	case $1 in
	'' | /)
		echo --listen --dir --key --old-key --revoked --runs --runs-per-host \
			--runs-per-node --bytes-per-run --bytes-per-node --bytes-per-host \
			--disk-free --keep --policy --metrics --max-age --forward --cacert \
			--netrc-file --authorization --junit --quiet --help --version
		;;
	esac
}

_noisefloor_collect() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local at=${COMP_WORDS[1]}/
	at=/

	# bash takes key=value for three words.
	if [ "$word" = "=" ]; then
		at+=$before= word=
	elif [ "$before" = "=" ]; then
		at+=${COMP_WORDS[COMP_CWORD - 2]}=
	elif [ "$COMP_CWORD" = 1 ]; then
		at=
	elif [[ $word != -?* && $before == -?* ]]; then
		at+=$before=
	elif [[ $word != -?* ]]; then
		at+="="
		compopt -o nospace 2>/dev/null
	fi
	mapfile -t COMPREPLY < <(compgen -W "$(_noisefloor_collect_words "$at")" -- "$word")
}

# Where there are no words, files.
complete -o default -F _noisefloor_collect noisefloor-collect
