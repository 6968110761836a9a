# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# bash completion of noisefloor. Printed by `make docs` from the tables of options and keys.

# The words for a place: a subcommand, SUBCOMMAND/ for options, /= for keys,
# /OPTION= or /KEY= for values.
_noisefloor_words() {
	case $1 in
	'')
		echo show diff compare advise measure boot fleet hunt predict --help \
			--version
		;;
	show/)
		echo --format --json --jsonl --run --preset --began --output --share --qr \
			--quiet --verbose --help --version
		;;
	show/--format=)
		echo text json jsonl junit influx html ctf
		;;
	show/--preset= | compare/--preset=)
		echo openshift rhel-rt rhel-rt-virt bits hft
		;;
	diff/)
		echo --force --stage --before --after --spread --format --json --quiet \
			--verbose --help --version
		;;
	diff/--stage= | compare/--stage= | advise/--stage= | hunt/--stage= | predict/--stage=)
		echo firmware bare acpi handoff linux
		;;
	diff/--format= | compare/--format=)
		echo text json junit
		;;
	compare/)
		echo --stage --run --list --force --max --max-noise --preset --format \
			--json --quiet --verbose --help --version
		;;
	advise/)
		echo --bios --stage --run --format --json --quiet --verbose --help \
			--version
		;;
	advise/--format= | fleet-list/--format= | fleet-status/--format= | fleet-attest/--format= \
	| hunt/--format= | predict/--format=)
		echo text json
		;;
	measure/)
		echo --output --help --version
		;;
	measure/=)
		echo mode= duration= window= quiet= threshold= cpus= services= \
			service_calls= max= max_smi= max_noise= service_max= preset= stop= \
			stop_total= records= gaps= selftest= live=
		;;
	measure/mode=)
		echo gaps services
		;;
	measure/quiet= | measure/selftest= | measure/live= | boot-stick/quiet= | \
	boot-stick/selftest= | boot-stick/clear_logs= | boot-stick/live= | boot-stick/lava= | \
	boot-once/quiet= | boot-once/selftest= | boot-once/clear_logs= | boot-once/live= | \
	boot-once/lava=)
		echo no yes
		;;
	measure/cpus= | measure/services= | boot-stick/kernel= | boot-stick/cpus= | \
	boot-stick/services= | boot-once/kernel= | boot-once/cpus= | boot-once/services=)
		echo all
		;;
	measure/max= | measure/max_smi= | measure/max_noise= | measure/service_max= | \
	measure/stop= | measure/stop_total= | boot-stick/smi= | boot-stick/max= | \
	boot-stick/max_smi= | boot-stick/max_noise= | boot-stick/max_stretch= | \
	boot-stick/service_max= | boot-stick/stop= | boot-stick/stop_total= | boot-stick/vlan= | \
	boot-stick/key= | boot-once/smi= | boot-once/max= | boot-once/max_smi= | \
	boot-once/max_noise= | boot-once/max_stretch= | boot-once/service_max= | boot-once/stop= | \
	boot-once/stop_total= | boot-once/vlan= | boot-once/key=)
		echo none
		;;
	measure/preset= | boot-stick/preset= | boot-once/preset=)
		echo none openshift rhel-rt rhel-rt-virt bits hft
		;;
	measure/records= | boot-stick/records= | boot-stick/nic= | boot-once/records= | \
	boot-once/nic=)
		echo auto
		;;
	measure/gaps= | boot-stick/gaps= | boot-once/gaps=)
		echo auto all
		;;
	boot/=)
		echo stick install once fetch remove
		;;
	boot-stick/)
		echo --conf --image --size --yes --help --version
		;;
	boot-stick/= | boot-once/=)
		echo mode= kernel= duration= window= quiet= threshold= cpus= stages= \
			services= service_calls= service_writes= smi= max= max_smi= max_noise= \
			max_stretch= service_max= preset= stop= stop_total= records= gaps= serial= \
			baud= report= ip= vlan= nic= key= linger= save= attest= selftest= \
			clear_logs= live= lava= countdown= then=
		;;
	boot-stick/mode= | boot-once/mode=)
		echo gaps stretch survey services
		;;
	boot-stick/serial= | boot-once/serial=)
		echo auto off
		;;
	boot-stick/baud= | boot-once/baud=)
		echo 1200 2400 4800 9600 19200 38400 57600 115200 230400 460800 921600
		;;
	boot-stick/ip= | boot-once/ip=)
		echo dhcp
		;;
	boot-stick/save= | boot-once/save=)
		echo auto file nvram none
		;;
	boot-stick/attest= | boot-once/attest=)
		echo auto yes no
		;;
	boot-stick/countdown= | boot-once/countdown=)
		echo 0
		;;
	boot-stick/then= | boot-once/then=)
		echo auto reset shutdown halt exit qemu-exit
		;;
	boot-install/)
		echo --image --esp --efivars --efibootmgr --disk --part --help --version
		;;
	boot-once/)
		echo --esp --efivars --efibootmgr --force --kexec --one-way --image \
			--kernel --initrd --help --version
		;;
	boot-fetch/)
		echo --output --delete --efivars --setup-data --help --version
		;;
	boot-remove/)
		echo --esp --efivars --efibootmgr --help --version
		;;
	boot/ | fleet-check/ | fleet/)
		echo --help --version
		;;
	fleet/=)
		echo list status export import check key attest
		;;
	fleet-list/)
		echo --format --json --help --version
		;;
	fleet-status/)
		echo --dir --max-age --format --json --help --version
		;;
	fleet-export/)
		echo --run --output --help --version
		;;
	fleet-import/)
		echo --dir --help --version
		;;
	fleet-key/)
		echo --fleet --node --help --version
		;;
	fleet-attest/)
		echo --image --key --enroll --loader --config --run --format --json \
			--quiet --verbose --help --version
		;;
	hunt/)
		echo --stage --plan --format --json --quiet --verbose --help --version
		;;
	predict/)
		echo --nodes --grain --unseen --stage --run --format --json --quiet \
			--verbose --help --version
		;;
	esac
}

_noisefloor() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local at=${COMP_WORDS[1]}/
	[[ $at == @(boot|fleet)/ && $COMP_CWORD -gt 2 ]] && at=${at%/}-${COMP_WORDS[2]}/

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
