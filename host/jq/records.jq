# SPDX-License-Identifier: BSD-2-Clause
# What programs of `show --format` begin with: `records` are those of all runs, in their order. One
# that came in several lines is put together, and left out where lines of it were lost.
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
# Each measured stage: its cores, its windows as [start_ns, len_ns, windows], if wanted its gaps as
# [t_ns, len_ns, cpu], and `run`: what stands about it in the line behind each capture, the only one
# without "nf" (host/forms/show_jq.c). All is kept in one array of small ones until then, since jq
# 1.6 copies an array in an object with each element that is added.
def row($value): [.sid, .stage // "n/a", .type] + $value;
def capture($gaps):
  [label $over | records
   | if .nf == null then ., break $over
     elif .type == "cpu" then row([.])
     elif .type == "window" then row([.start_ns, .len_ns, .windows])
     elif $gaps and .type == "gap" then row([.t_ns, .len_ns, .cpu])
     else empty end];
def stages($gaps):
  def captures: capture($gaps) | select(.[-1] | type == "object") | ., captures;
  def of($type): map(select(.[2] == $type) | .[3:]);
  captures | .[-1] as $c | .[:-1] as $all | $c.runs[] | (. + {file: $c.name}) as $run
  | $all | map(select(.[0] == $run.sid))
  | (reduce .[][1] as $name ([]; if index([$name]) then . else . + [$name] end)) as $names
  | [$names[] as $name | map(select(.[1] == $name))
     | {run: $run, name: $name, cpus: of("cpu") | map(.[0]) | sort_by(.cpu),
        windows: of("window"), gaps: of("gap")}
     | select(.cpus[0])]
  | (length - 1) as $last | to_entries[] | .value + {is_last: (.key == $last)};
def div($by): (. - . % $by) / $by;
def padded($digits): tostring | "0" * ($digits - length) + .;
# With three decimals.
def fixed: . * 1000 + 0.5 | floor | "\(div(1000)).\(. % 1000 | padded(3))";
