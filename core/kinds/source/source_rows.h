/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the record `source`, as core/records/record_rows.h has it. No include guard. */
#ifdef FIELD

FIELD(STRING, stage, "Stage.", .key = true)
FIELD(STRING, cause, "Cause of the gaps that were searched.")
FIELD(U64, period_ns, "Period.", .key = true, UNIT(NS))
FIELD(U64, jitter_ns, "Deviation of its events from the period.", UNIT(NS))
FIELD(U32, fill_ppm, "Share of the visible slots that have an event.", UNIT(PPM))
FIELD(U64, events, "Events of the source.")
FIELD(I64, chance_milli, "log10 of the probability of a false alarm, in thousandths.")
FIELD(STRING, origin, "The enabled timer that it is likely to be.")
FIELD(STRING, hint, "What else has this period.")

#endif
