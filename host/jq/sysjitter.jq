# SPDX-License-Identifier: BSD-2-Clause
# Prints a block per stage, with a column per core, in the format of sysjitter 1.4. Quantiles are
# lower edges of buckets, which are at most 1.6 % wide; int_max and the sums are exact.
include "records" {search: "./"};

def line($name; cell): "\($name) \([.cpus[] | cell | tostring] | join(" "))";
# The sum per unit of the exposure; $unit is in ns, or 100 for per cent.
def rate($sum; $unit): if .exposure_ns > 0 then $sum * $unit / .exposure_ns else 0 end | fixed;
# The length, ns, that this share of the gaps does not exceed.
def quantile($share):
  .histogram as $h
  | (if all(range(1; $h | length); $h[.][0] > $h[. - 1][0]) then
       ([$h[][1]] | add) as $count
       | first(foreach ($h[] | select(.[1] > 0)) as [$low, $count_here] (0; . + $count_here;
                 select(. >= $share * $count) | $low))
     else null end)
    // if .gaps > 0 then "n/a" else 0 end;
def block:
  .run as $run
  | line("core_i:"; .cpu),
    line("threshold(ns):"; $run.threshold_ns),
    line("cpu_mhz:"; $run.hz | div(1e6)),
    line("runtime(ns):"; .exposure_ns),
    line("runtime(s):"; .exposure_ns / 1e9 | fixed),
    line("int_n:"; .gaps),
    line("int_n_per_sec:"; rate(.gaps; 1e9)),
    line("int_min(ns):"; quantile(0)),
    line("int_median(ns):"; quantile(0.5)),
    line("int_mean(ns):"; if .gaps > 0 then .gaps as $n | .noise_ns | div($n) else 0 end),
    line("int_90(ns):"; quantile(0.9)),
    line("int_99(ns):"; quantile(0.99)),
    line("int_999(ns):"; quantile(0.999)),
    line("int_9999(ns):"; quantile(0.9999)),
    line("int_99999(ns):"; quantile(0.99999)),
    line("int_max(ns):"; .max_ns),
    line("int_total(ns):"; .noise_ns),
    line("int_total(%):"; rate(.noise_ns; 100));

foreach stages(false) as $stage (-1; . + 1; (select(. > 0) | ""), ($stage | block))
