# SPDX-License-Identifier: BSD-2-Clause
# Prints Prometheus' text format, for node_exporter's textfile collector. A run is a sample of
# noisefloor_info, and has its verdict, which is `incomplete` unless the end counts the records that
# came. What is not known has no sample.
include "records" {search: "./"};

# By type, the fields that are families, and their names behind noisefloor_.
def families:
  def named($type; $unit): map({(.): "\($type)_\(.)\($unit)"}) | add;
  {cpu: {exposure_ns: "exposure_seconds", noise_ns: "noise_seconds", max_ns: "max_gap_seconds",
         gaps: "gaps", dropped: "dropped", smi: "smis", nmi: "nmis", mce: "mces"},
   stretch: ((["quanta"] | named("stretch"; ""))
             + (["p50", "p90", "p99", "p999", "max", "mean", "gaps", "clock", "cpi", "rest"]
                | named("stretch"; "_ppm"))),
   interfere: (["ratio", "bound"] | named("interfere"; "_ppm")),
   service: (["calls", "failed", "smi", "smi_quiet", "smi_others", "stopped", "overlaps",
              "controls", "control_overlaps"] | named("service"; ""))};
def tags:
  {cpu: ["stage", "cpu"], stretch: ["stage", "kernel", "phase", "cpu"],
   interfere: ["stage", "kernel", "victim", "aggressor", "group"], service: ["stage", "service"]};
def edges_us:
  [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6];
# A text with Prometheus' escapes, which are those of JSON once there is no other control character.
def quoted: tostring | gsub("[[:cntrl:]]"; "?") | tojson;
def sample($type; $family; $suffix; $labels; $value):
  {$type, $family,
   line: "\($family)\($suffix){\([$labels | to_entries[] | select(.value != null)
                                 | "\(.key)=\(.value | quoted)"] | join(","))} \($value)"};
def gauge($family; $labels; $value): sample("gauge"; "noisefloor_" + $family; ""; $labels; $value);
def number($labels; $family; $value):
  gauge($family; $labels; if $family | endswith("_seconds") then $value / 1e9 else $value end);
def histogram($labels):
  "noisefloor_gap_length_seconds" as $family | (.histogram // []) as $pairs
  | ([$pairs[][1]] | add // 0) as $count
  | (edges_us[] as $us
     | sample("histogram"; $family; "_bucket"; $labels + {le: ($us / 1e6)};
              [$pairs[] | select(.[0] < $us * 1e3)[1]] | add // 0)),
    sample("histogram"; $family; "_bucket"; $labels + {le: "+Inf"}; $count),
    sample("histogram"; $family; "_sum"; $labels; .noise_ns / 1e9),
    sample("histogram"; $family; "_count"; $labels; $count);
def series:
  . as $r | ({run: .sid} + (tags[.type] | map({(.): $r[.]}) | add)) as $labels
  | (families[.type] | to_entries[] | select($r[.key] != null) | number($labels; .value; $r[.key])),
    (.cause | objects | to_entries[] | ($labels + {cause: .key}) as $labels | .value
     | number($labels; "cause_gaps"; .gaps), number($labels; "cause_seconds"; .ns)),
    (select(.type == "cpu") | histogram($labels));
def info:
  {run: .sid} as $labels
  | gauge("info"; $labels + {version} + (.machine // {} | del(.board, .bios_vendor))
                  + {brand: .cpu.brand, hypervisor, began}; 1),
    (try (.began | seconds) catch empty | gauge("began_seconds"; $labels; .));
# Rows are of one run, [sid, seq, type] and, where it is printed, the record; of a window, its end.
def outcome:
  (map(select(.[2] == "end"))[0] // [])[3] as $last
  | ([group_by(.[2])[] | {(.[0][2]): length}] | add) as $came
  | ($last != null and $came == ($last.records | with_entries(select(.value > 0)))) as $whole
  | (if $whole or ($last.verdict | IN("fail", "error")) then $last.verdict
     else "incomplete" end) as $verdict
  | {run: .[0][0]} as $labels
  | gauge("complete"; $labels; if $whole then 1 else 0 end),
    ([.[] | select(.[2] == "window")[3]] | max // empty
     | gauge("duration_seconds"; $labels; . / 1e9)),
    (("none", "pass", "fail", "incomplete", "error") as $one
     | gauge("verdict"; $labels + {verdict: $one}; if $one == $verdict then 1 else 0 end)),
    (select($last.watched_ppm) | gauge("watched_ratio"; $labels; $last.watched_ppm / 1e6));
def printed: IN("begin", "end", (families | keys[]));

[records | [.sid, .seq, .type] + if .type | printed then [.]
                                 elif .type == "window" then [.start_ns + .len_ns] else [] end]
| [group_by(.[0])[]
   | if any(group_by(.[1])[]; map(.[2:]) | unique | length > 1)
     then error("run \(.[0][0]) came by several links: give one of them") else . end
   | unique_by(.[1])
   | outcome, (.[][3] | objects | if .type == "begin" then info
                                  elif .type == "end" then empty else series end)]
| group_by(.family)[] | "# TYPE \(.[0].family) \(.[0].type)", .[].line
