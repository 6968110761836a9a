# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# bash completion of noisefloor. Printed by `make docs` from the tables of options and keys.

# The words for a place: a subcommand, SUBCOMMAND/ for options, /= for keys,
# /OPTION= or /KEY= for values.
_noisefloor_words() {
	case $1 in
	'')
		echo show compare runs measure harvest stick install once uninstall diff \
			report fleet predict advise hunt --help --version
		;;
	show/)
		echo --format --json --jsonl --run --preset --began --output --share --qr \
			--quiet --verbose --help --version
		;;
	show/--format=)
		echo text json jsonl junit tap influx prom lava ctf
		;;
	show/--preset= | compare/--preset= | report/--preset=)
		echo openshift rhel-rt rhel-rt-virt bits hft
		;;
	compare/)
		echo --stage --run --number --force --max --max-noise --preset --unit \
			--threshold --format --json --quiet --verbose --help --version
		;;
	compare/--stage= | diff/--stage= | report/--stage= | predict/--stage= | advise/--stage= | \
	hunt/--stage=)
		echo firmware bare acpi handoff
		;;
	compare/--unit= | runs/--unit=)
		echo auto us ns
		;;
	compare/--format= | diff/--format=)
		echo text json junit tap
		;;
	runs/)
		echo --unit --threshold --format --json --quiet --verbose --help --version
		;;
	runs/--format= | fleet-list/--format= | fleet-status/--format= | fleet-attest/--format= | \
	predict/--format= | advise/--format= | hunt/--format=)
		echo text json
		;;
	measure/)
		echo --output --tracefs --help --version
		;;
	measure/=)
		echo mode= kernel= duration= window= quiet= threshold= cpus= services= \
			service_calls= max= max_smi= max_noise= max_stretch= service_max= preset= \
			stop= stop_total= records= gaps= selftest= live=
		;;
	measure/mode= | stick/mode= | once/mode=)
		echo gaps stretch survey services
		;;
	measure/kernel= | measure/cpus= | measure/services= | stick/kernel= | stick/cpus= | \
	stick/services= | once/kernel= | once/cpus= | once/services=)
		echo all
		;;
	measure/quiet= | measure/selftest= | measure/live= | stick/quiet= | stick/selftest= | \
	stick/clear_logs= | stick/live= | stick/lava= | once/quiet= | once/selftest= | \
	once/clear_logs= | once/live= | once/lava=)
		echo yes no
		;;
	measure/max= | measure/max_smi= | measure/max_noise= | measure/max_stretch= | \
	measure/service_max= | measure/stop= | measure/stop_total= | stick/smi= | stick/max= | \
	stick/max_smi= | stick/max_noise= | stick/max_stretch= | stick/service_max= | stick/stop= \
	| stick/stop_total= | stick/vlan= | stick/key= | once/smi= | once/max= | once/max_smi= | \
	once/max_noise= | once/max_stretch= | once/service_max= | once/stop= | once/stop_total= | \
	once/vlan= | once/key=)
		echo none
		;;
	measure/preset= | stick/preset= | once/preset=)
		echo none openshift rhel-rt rhel-rt-virt bits hft
		;;
	measure/records= | stick/records= | stick/nic= | once/records= | once/nic=)
		echo auto
		;;
	measure/gaps= | stick/gaps= | once/gaps=)
		echo auto all
		;;
	harvest/)
		echo --output --delete --efivars --help --version
		;;
	stick/)
		echo --conf --image --size --yes --help --version
		;;
	stick/= | once/=)
		echo mode= kernel= duration= window= quiet= threshold= cpus= stages= \
			services= service_calls= service_writes= smi= max= max_smi= max_noise= \
			max_stretch= service_max= preset= stop= stop_total= records= gaps= serial= \
			baud= report= ip= vlan= nic= key= linger= save= checkpoint= attest= \
			selftest= clear_logs= live= lava= countdown= then=
		;;
	stick/serial= | once/serial=)
		echo auto off
		;;
	stick/baud= | once/baud=)
		echo 1200 2400 4800 9600 19200 38400 57600 115200 230400 460800 921600
		;;
	stick/ip= | once/ip=)
		echo dhcp
		;;
	stick/save= | once/save=)
		echo auto file nvram none
		;;
	stick/checkpoint= | once/checkpoint=)
		echo auto none
		;;
	stick/attest= | once/attest=)
		echo auto yes no
		;;
	stick/countdown= | once/countdown=)
		echo 0
		;;
	stick/then= | once/then=)
		echo auto reset shutdown halt exit qemu-exit
		;;
	install/)
		echo --image --esp --efivars --efibootmgr --disk --part --ordered --help \
			--version
		;;
	once/)
		echo --esp --efivars --efibootmgr --force --help --version
		;;
	uninstall/)
		echo --esp --efivars --efibootmgr --help --version
		;;
	diff/)
		echo --force --stage --before --after --spread --format --json --quiet \
			--verbose --help --version
		;;
	report/)
		echo --output --inside --stage --force --run --preset --quiet --verbose \
			--help --version
		;;
	fleet/=)
		echo list status merge export import check key attest
		;;
	fleet-list/)
		echo --policy --format --json --help --version
		;;
	fleet-status/)
		echo --dir --expect --policy --max-age --format --json --help --version
		;;
	fleet-merge/)
		echo --output --help --version
		;;
	fleet-export/)
		echo --run --output --help --version
		;;
	fleet-import/)
		echo --dir --help --version
		;;
	fleet-check/ | fleet/)
		echo --help --version
		;;
	fleet-key/)
		echo --fleet --node --help --version
		;;
	fleet-attest/)
		echo --image --key --enroll --loader --config --run --format --json \
			--quiet --verbose --help --version
		;;
	predict/)
		echo --nodes --grain --unseen --cores --kernel --phase --stage --run \
			--format --json --quiet --verbose --help --version
		;;
	predict/--cores=)
		echo auto merged apart together
		;;
	advise/)
		echo --bios --kernel --stage --run --format --json --quiet --verbose \
			--help --version
		;;
	hunt/)
		echo --stage --plan --format --json --quiet --verbose --help --version
		;;
	esac
}

_noisefloor() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local at=${COMP_WORDS[1]}/
	[[ $at == @(fleet)/ && $COMP_CWORD -gt 2 ]] && at=${at%/}-${COMP_WORDS[2]}/

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
	mapfile -t COMPREPLY < <(compgen -W "$(_noisefloor_words "$at")" -- "$word")
}

# Where there are no words, files.
complete -o default -F _noisefloor noisefloor
