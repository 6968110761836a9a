/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the record `end`, as core/records/record_rows.h has it. No include guard. */
#ifdef FIELD

FIELD(STRING, verdict, "`pass` `fail` `none` `incomplete` `error`", ROLE(TAG))
FIELD(STRINGS, reasons, "Why.")
FIELD(STRING, remark,
      "Of a `pass` that is shorter than its preset's publisher requires: a "
      "sentence.",
      ROLE(TAG))
FIELD(MAYBE, sampled_ns, "Length of all windows of a stage; of several stages, of the shortest.",
      ROLE(TIME), UNIT(LONG_NS))
FIELD(MAYBE, watched_ppm, "Exposure, as the cores' mean, over the time from first to last window.",
      ROLE(VALUE), UNIT(PPM))
FIELD(TOTALS, records, "Records sent on this link, by type, including this one.")
FIELD(U64, gaps_unsent, "Gap records left out by `gaps`, or dropped.", ROLE(COUNT))
FIELD(MAYBE, events_unsent, "Event records left out by `gaps`.")

#endif
