/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the record `window`, as core/records/record_rows.h has it. No include guard. */
#ifdef FIELD

FIELD(STRING, stage, "Stage.", .key = true)
FIELD(U64, n, "Number of the first window, from 1.", .key = true)
FIELD(U64, windows, "Neighbouring windows in this record.", TOTAL(SUM))
FIELD(U64, start_ns, "Begin of the first one.", UNIT(NS))
FIELD(U64, len_ns, "Length, up to the end of the last one.", UNIT(NS))
FIELD(U64, gaps, "Gaps of all cores.", TOTAL(SUM))
FIELD(U64, noise_ns, "Sum of their lengths.", TOTAL(SUM), UNIT(NS))
FIELD(U64, max_ns, "The longest of them.", TOTAL(MAX), UNIT(NS))
FIELD(MAYBE, smi, "SMIs inside the window, all cores.", TOTAL(SUM), .on_smi = true)
FIELD(MAYBE, nmi, "NMIs inside the window, all cores.", TOTAL(SUM), .on_smi = true)
FIELD(MAYBE, smi_out, "SMIs since the window before, all cores.", TOTAL(SUM), .on_smi = true)
FIELD(MAYBE, nmi_out, "NMIs since the window before, all cores.", TOTAL(SUM), .on_smi = true)

#endif
