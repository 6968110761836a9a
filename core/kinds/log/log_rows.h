/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the record `log`, as core/records/record_rows.h has it. No include guard. */
#ifdef FIELD

FIELD(STRING, level, "`info` `warning` `error`")
FIELD(STRING, text, "A sentence.")

#endif
