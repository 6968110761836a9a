#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# May this machine be used? noisefloor-collect-check.sh URL [UUID] asks the collector at
# http://HOST:9464 and prints its answer. Exit status: 0 its latest run passed, 1 it did not, 2 that
# is not known. So a prolog of Slurm and a plugin of node-problem-detector want it.
url=${1:?"http://HOST:9464 of a collector"}
uuid=${2:-$(cat /sys/class/dmi/id/product_uuid)} || exit 2
for pause in 1 1 0; do
	answer=$(curl -s --max-time 5 -w '\n%{http_code}\n' "$url/verdict/$uuid") || exit 2
	case $answer in
	*503) sleep $pause ;; # the verdict may be known then
	*) break ;;
	esac
done
echo "$answer" | head -n 1
case $answer in
*200) exit 0 ;;
*409) exit 1 ;;
*) exit 2 ;;
esac
