# SPDX-License-Identifier: BSD-2-Clause
# Prints a block per stage in the format of hwlatdetect (rt-tests 2.6 to 2.9), lines in its order.
# Lengths are whole us, rounded down as hwlat's are. A gap has no inner and outer half, so all of it
# is `inner`. Times are s since the run's begin. SMIs are printed only if they were counted.
include "records" {search: "./"};

def us: div(1000);
def cpu_list:
  reduce .cpus[].cpu as $cpu ([]; if .[-1][1] >= $cpu - 1 then .[-1][1] = $cpu
                                  else . + [[$cpu, $cpu]] end)
  | map(unique | join("-")) | join(",");
def parameters:
  ([.windows[][2]] | add // 0) as $count
  | (if $count > 0 then ([.windows[] | .[0] + .[1]] | max) - ([.windows[][0]] | min)
     else 0 end) as $all
  | (if $count > 0 then $all | div($count) else 0 end) as $apart
  | (if $count > 0 then [.windows[][1]] | add | div($count) else 0 end) as $length
  | "hwlatdetect:  test duration \([$all, .cpus[].exposure_ns] | max + 5e8 | div(1e9)) seconds",
    "   detector: noisefloor",
    "   parameters:",
    "        CPU list:          \(cpu_list)",
    "        Latency threshold: \(.run.threshold_ns | us)us",
    "        Sample window:     \($apart | us)us",
    "        Sample width:      \($length | us)us",
    "     Non-sampling period:  \([$apart - $length, 0] | max | us)us",
    "        Output File:       None",
    "",
    "Starting test",
    "test finished";
def samples:
  .gaps | sort_by(.[0])[]
  | "ts: \(.[0] | div(1e9)).\(.[0] % 1e9 | padded(9)), " +
    "inner:\(.[1] | us), outer:0, cpu:\(.[2])";
def block:
  ([.cpus[].gaps] | add) as $gaps
  | parameters,
    "Max Latency: \(if $gaps > 0 then "\([.cpus[].max_ns] | max | us)us"
                    else "Below threshold" end)",
    "Samples recorded: \(.gaps | length)",
    "Samples exceeding threshold: \($gaps)",
    # hwlatdetect spells it so.
    (select(all(.cpus[]; .smi))
     | (.cpus[] | select(.smi > 0) | "\(.smi) SMIs occured on cpu \(.cpu)"),
       "SMIs during run: \([.cpus[].smi] | add)"),
    samples;

foreach stages(true) as $stage (-1; . + 1; (select(. > 0) | ""), ($stage | block))
