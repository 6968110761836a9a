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
