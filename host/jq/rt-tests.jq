# SPDX-License-Identifier: BSD-2-Clause
# Prints the last measured stage of a run in the format of `oslat --json` of rt-tests 2.8
# (file_version 1). Times are whole us, rounded down. A bucket's label is its upper edge. The lowest
# bucket has the turns of the loop without a gap, the highest has all longer gaps, too. A gap is
# counted at the lower edge of its bucket in the record, which is at most 1.6 % wide. The number of
# turns, and so `avg`, is estimated from the median turn. `max` is exact.
include "records" {search: "./"};

def buckets: 32; # oslat's default
# A date as "Sun, 22 Nov 2026 18:10:15 +0000"; null if the time is not known.
def date: if . then strftime("%a, %d %b %Y %H:%M:%S +0000") else null end | tojson;
# A number with nine digits, and a point.
def real:
  (if . > 0 then pow(10; 8 - (log10 | floor)) else 1 end) as $unit
  | . * $unit | round / $unit | tostring | if test("[.e]") then . else . + ".0" end;
def histogram($lowest; $turns):
  [$turns + 0.5 | floor, (range(1; buckets) | 0)] as $none
  | reduce .histogram[] as [$low, $count] ($none;
      ([[($low | div(1000)) + 1 - $lowest, 0] | max, buckets - 1] | min) as $n
      | .[$n] += $count)
  | to_entries | map("        \"\($lowest + .key)\": \(.value)") | join(",\n");
def thread($run; $number):
  (if $run.hz > 0 then .interval_p50 * 1e9 / $run.hz else 0 end) as $turn
  | (if $turn > 0 then ([.exposure_ns - .noise_ns, 0] | max) / $turn else 0 end) as $turns
  | ([($run.threshold_ns + 999 | div(1000)), 1] | max) as $lowest
  | "    \"\($number)\": {\n" +
    "      \"cpu\": \(.cpu),\n" +
    "      \"freq\": \($run.hz | div(1e6)),\n" +
    # Half of the turns are no longer than the median.
    "      \"min\": \(if $turn > 0 and $turn < 1000 then 0 else null end),\n" +
    "      \"avg\": \(if $turns > 0 then .exposure_ns / 1000 / ($turns + .gaps) | real
                       else null end),\n" +
    "      \"max\": \(if .gaps > 0 then .max_ns else [$run.threshold_ns - 1, 0] | max end
                       | div(1000)),\n" +
    "      \"duration\": \(.exposure_ns | div(1e6) / 1000 | real),\n" +
    "      \"histogram\": {\n\(histogram($lowest; $turns))\n      }\n    }";
# `sysinfo` names noisefloor, because no kernel was running.
def document:
  .run as $run
  | $run.began as $began
  | "{
  \"file_version\": 1,
  \"cmdline:\": \"oslat --json, by noisefloor\",
  \"rt_test_version:\": \"2.80\",
  \"start_time\": \($began | date),
  \"end_time\": \(if $began then $run.length_ns | div(1e9) + $began else null end | date),
  \"return_code\": \($run.exit_code),
  \"sysinfo\": {
    \"sysname\": \"noisefloor\",
    \"nodename\": \($run.machine | tojson),
    \"release\": \($run.version | tojson),
    \"version\": \("stage \(.name)" | tojson),
    \"machine\": \"n/a\",
    \"realtime\": 0
  },
  \"num_threads\": \(.cpus | length),
  \"thread\": {
\([.cpus | to_entries[] | .key as $n | .value | thread($run; $n)] | join(",\n"))
  }
}";

# The file holds one test.
foreach (stages(false) | select(.is_last)) as $stage (-1; . + 1;
  if . == 0 then $stage | document
  else ($stage.run | "run \(.sid) is left out: the file holds one" | debug | empty) end)
