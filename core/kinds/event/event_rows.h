/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the record `event`, as core/records/record_rows.h has it. No include guard. */
#ifdef FIELD

FIELD(STRING, stage, "Stage.", .key = true)
FIELD(U64, of, "Events of the stage, with or without a record.")
FIELD(U64, t_ns, "Start of the first gap.", .key = true, UNIT(NS))
FIELD(U64, len_ns, "Length, up to the end of the last gap.", UNIT(NS))
FIELD(U64, gaps, "Gaps in it.")
FIELD(U32, cpus, "Cores that were hit.")
FIELD(STRING, list, "Those cores, as in `0-3,8`; null if the list would be too long.")
FIELD(U32, first, "First core to enter.")
FIELD(U32, last, "Last core to leave.")
FIELD(U64, skew_ns, "From the first to the last core to enter.", UNIT(NS))
FIELD(U64, end_skew_ns, "From the first to the last core to leave.", UNIT(NS))
FIELD(STRING, cause, "Cause of more than half of the gaps' time; else `unknown`.")
FIELD(CAUSES, causes, "Gaps and their time by cause.")
FIELD(STRING, scope, "`cpu` `core` `package` `machine`; null: unknown.")
FIELD(BOOL, partial, "Gaps may be missing: more cores may have been hit.")

#endif
