# SPDX-License-Identifier: BSD-2-Clause
# Prints Chrome's trace events, which ui.perfetto.dev and chrome://tracing read. A run is a process
# with a thread for its windows, one for its events and one per core. Times are us since its begin.
include "records" {search: "./"};

def named($what; $in; $tid; $name):
  {ph: "M", name: $what, pid: $in.pid, tid: $tid, args: {name: $name}};
def slice($in; $tid; $name; $at; $args):
  {ph: "X", name: $name, cat: "\(.type),\($name)", pid: $in.pid, tid: $tid,
   ts: ($at / 1000), dur: (.len_ns / 1000), args: $args};
def events($in):
  if .type == "begin" then
    named("process_name"; $in; 0; "noisefloor \(.sid)" +
      (.machine.product | if . then " on \(.)" else "" end)),
    named("thread_name"; $in; 1; "windows"), named("thread_name"; $in; 2; "events")
  elif .type == "window" then slice($in; 1; .stage; .start_ns; {})
  elif .type == "event" then
    slice($in; 2; .cause; .t_ns; {stage, scope, cpus, first, last, skew_ns})
  elif .type == "gap" then
    (select($in.is_new) | named("thread_name"; $in; .cpu + 3; "cpu \(.cpu)")),
    slice($in; .cpu + 3; .cause; .t_ns; {stage, smi, nmi, mce})
  else empty end;

"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[",
(foreach (foreach records as $r ({pids: {}, cpus: {}};
            (if .pids[$r.sid] then . else .pids[$r.sid] = (.pids | length) + 1 end)
            | .pid = .pids[$r.sid]
            | if $r.type == "gap" then
                "\($r.sid) \($r.cpu)" as $cpu
                | .is_new = (.cpus[$cpu] | not)
                | if .is_new then .cpus[$cpu] = true else . end
              else . end;
            {pid, is_new} as $in | $r | events($in))) as $e
   (-1; . + 1; (if . > 0 then "," else "" end) + ($e | tojson))),
"]}"
