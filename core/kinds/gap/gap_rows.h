/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the record `gap`, as core/records/record_rows.h has it. No include guard. */
#ifdef FIELD

FIELD(STRING, stage, "Stage.", .key = true, ROLE(TAG))
FIELD(U32, cpu, "Core.", .key = true, ROLE(TAG))
FIELD(U64, start_tsc, "TSC of the last sample before the gap.", UNIT(TICKS))
FIELD(U64, ticks, "Length.", UNIT(TICKS))
FIELD(U64, t_ns, "Start.", UNIT(NS))
FIELD(U64, len_ns, "Length.", ROLE(TIME), UNIT(NS))
FIELD(STRING, cause, "What caused it.", ROLE(TAG))
FIELD(MAYBE, smi, "SMIs counted across the gap.", .on_smi = true)
FIELD(MAYBE, nmi, "NMIs counted across the gap.", .on_smi = true)
FIELD(MAYBE, mce, "Machine checks counted across the gap; on AArch64 SErrors.")
FIELD(STRING, why, "A sentence: the evidence, or what is missing.")

#endif
