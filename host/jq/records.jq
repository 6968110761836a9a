# SPDX-License-Identifier: BSD-2-Clause
# Definitions for the filters beside this file, which read the lines of `noisefloor show --jsonl`:
#
#     noisefloor show --jsonl run.log | jq -nr -f perfetto.jq
#
# `records` has the records of all runs, in their order. A record that came in several lines is put
# together; it is left out if one of its lines was lost, which `show` reports.
def joined($more):
  reduce ($more | to_entries[]) as {$key, $value} (.;
    .[$key] |= if type == "array" and ($value | type) == "array" then . + $value
               elif type == "object" and ($value | type) == "object" then . + $value
               else $value end);
def records:
  foreach inputs as $r ({kept: {}};
    .out = null
    | if $r.part == null then .out = $r
      elif $r.part == 0 then .kept[$r.sid] = $r
      elif .kept[$r.sid].part == $r.part - 1 then .kept[$r.sid] |= (del(.more) | joined($r))
      else del(.kept[$r.sid]) end
    | if $r.part and ($r.more | not) then .out = .kept[$r.sid] | del(.kept[$r.sid]) else . end;
    .out | select(.) | del(.part, .more));
def div($by): (. - . % $by) / $by;
def padded($digits): tostring | "0" * ($digits - length) + .;
# A number with three decimals.
def fixed: . * 1000 + 0.5 | floor | "\(div(1000)).\(. % 1000 | padded(3))";
# The threshold of a configuration, ns.
def threshold:
  capture("(^| )threshold=(?<n>[0-9]+)(?<unit>ns|us|ms|s|m|h|d)( |$)")
  | (.n | tonumber) * {ns: 1, us: 1e3, ms: 1e6, s: 1e9, m: 6e10, h: 36e11, d: 864e11}[.unit];
# Seconds since 1970 of a time as "2026-11-22T18:10:15+01:00"; without a zone it is UTC.
def seconds:
  def ahead: capture("^(?<sign>[-+])(?<h>[0-9]{2}):(?<m>[0-9]{2})$")
    | ((.h | tonumber) * 60 + (.m | tonumber)) * if .sign == "-" then -60 else 60 end;
  (.[:19] + "Z" | fromdateiso8601) - (.[19:] | if . == "" or . == "Z" then 0 else ahead end);
# A run, by its records begin and end. A run without an end is incomplete.
def run($begun; $ended; $windows):
  {threshold_ns: (first($begun.config // "" | threshold) // 1000),
   hz: ($begun.clock.hz // 0),
   began: (try ($begun.began | seconds) catch null),
   length_ns: ([$windows[] | .[0] + .[1]] | max // 0),
   machine: ([$begun.machine | (.vendor, .product, .board)? // empty] | join(" ")),
   version: ($begun.version // ""),
   exit_code: ({pass: 0, none: 0, fail: 1, error: 2}[$ended.verdict // ""] // 3)};
# Each stage that was measured for gaps: its cores, its windows as [start_ns, len_ns, windows], its
# gaps as [t_ns, len_ns, cpu] if `$gaps`, and `run`. All rows are kept in one array of small arrays:
# jq 1.6 copies an array in an object with each element that is added. A run without such a stage is
# an error, because an empty output would look like that of a quiet machine.
def row($value): [.sid, .stage // "n/a", .type] + $value;
def stages($gaps):
  def of($type): map(select(.[2] == $type) | .[3:]);
  def names(f): reduce .[] as $row ([]; ($row | f) as $name
                                        | if index([$name]) then . else . + [$name] end);
  [records
   | if .type == "cpu" or .type == "begin" or .type == "end" then row([.])
     elif .type == "window" then row([.start_ns, .len_ns, .windows])
     elif $gaps and .type == "gap" then row([.t_ns, .len_ns, .cpu])
     else empty end] as $all
  | ($all | names(.[0]))[] as $sid | $all | map(select(.[0] == $sid))
  | run((of("begin")[0] // [null])[0]; (of("end")[0] // [null])[0]; of("window")) as $run
  | [names(.[1])[] as $name | map(select(.[1] == $name))
     | {run: ($run + {sid: $sid}), name: $name, cpus: of("cpu") | map(.[0]) | sort_by(.cpu),
        windows: of("window"), gaps: of("gap")}
     | select(.cpus[0])]
  | if length == 0 then error("run \($sid) has no core that was measured for gaps") else . end
  | (length - 1) as $last | to_entries[] | .value + {is_last: (.key == $last)};
