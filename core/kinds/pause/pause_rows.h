/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the record `pause`, as core/records/record_rows.h has it. No include guard. */
#ifdef FIELD

FIELD(STRING, stage, "Stage.")
FIELD(U64, from_ns, "It began after this.", UNIT(NS))
FIELD(U64, until_ns, "It ended before this.", UNIT(NS))
FIELD(U64, least_ns, "Its length at least.", UNIT(NS))
FIELD(U64, most_ns, "Its length at most.", UNIT(NS))
FIELD(U64, pauses, "Pauses taken together.")
FIELD(U64, worst_ns, "The longest of several, at least.", UNIT(NS))
FIELD(BOOL, forward, "The TSC ran ahead; else it stood still or was set back.")
FIELD(STRING, clock, "The clock that saw it.")

#endif
