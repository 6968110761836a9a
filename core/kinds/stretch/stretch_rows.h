/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the record `stretch`, as core/records/record_rows.h has it. No include guard. */
#ifdef FIELD

FIELD(STRING, stage, "Stage.", .key = true, ROLE(TAG))
FIELD(STRING, kernel, "What the work is: `adds` `l2` `llc` `dram` `fma`.", .key = true, ROLE(TAG))
FIELD(STRING, phase,
      "Who works besides: `alone` nobody, `all` cores, `siblings` the core's "
      "threads, `victims` each group of cores in turn.",
      .key = true, ROLE(TAG))
FIELD(U32, cpu, "Core.", .key = true, ROLE(TAG))
FIELD(U64, quanta, "Quanta measured.", ROLE(COUNT))
FIELD(U64, work, "Additions, loads, reads or multiplications in one.")
FIELD(U64, best, "The core's best: one of 100 quanta alone took no longer.", UNIT(TICKS))
FIELD(MAYBE, min, "Its quickest quantum, of all phases.", UNIT(TICKS))
FIELD(U64, p50, "The median above the best: 50000 is 1.05 times.", ROLE(VALUE), UNIT(PPM))
FIELD(U64, p90, "90 % of the quanta took no longer.", ROLE(VALUE), UNIT(PPM))
FIELD(U64, p99, "99 %.", ROLE(VALUE), UNIT(PPM))
FIELD(U64, p999, "99.9 %; `max_stretch` limits it.", ROLE(VALUE), UNIT(PPM))
FIELD(U64, max, "The longest.", ROLE(VALUE), UNIT(PPM))
FIELD(U64, mean, "The mean.", ROLE(VALUE), UNIT(PPM))
FIELD(MAYBE, gaps, "Factors of the mean, 1000000 is 1: all time over that outside gaps.",
      ROLE(VALUE), UNIT(PPM))
FIELD(MAYBE, clock, "The core's clock in the quickest over that in the mean.", ROLE(VALUE),
      UNIT(PPM))
FIELD(MAYBE, cpi, "Cycles per instruction in the mean over those of the quickest.", ROLE(VALUE),
      UNIT(PPM))
FIELD(MAYBE, rest, "What these leave of it, null ones included.", ROLE(VALUE), UNIT(PPM))
FIELD(PAIRS, hist, "All quanta: `[ppm above the best, count]`, ...")
FIELD(PAIRS, course,
      "The clock's course, empty where it is not counted: when each turn ended, "
      "and APERF over MPERF in its quanta without a gap, on AArch64 cycles per ns, `[ns, ppm]`, "
      "...")
FIELD(PAIRS, throttled,
      "Turns in which the core newly logged that it throttles, of all phases, "
      "`[ns, bits]`, ...: 1 thermal, 2 PROCHOT, 4 critical, 8 power limit, 16 current limit, 32 "
      "another domain. Logs stay set, so a further time may be missing.")

#endif
