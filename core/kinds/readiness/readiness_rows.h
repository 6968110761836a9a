/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the record `readiness`, as core/records/record_rows.h has it. No include guard. */
#ifdef FIELD

FIELD(STRING, stage, "Stage.", .key = true)
FIELD(STRING, item, "The setting, `turbo`.", .key = true)
FIELD(STRING, profile, "Who asks for it, `rhel-rt`; null: no profile does.", .key = true)
FIELD(STRING, state, "As it is, `on`; where cores differ, `on 0-3, off 4-7`; null: not known.")
FIELD(STRING, wants, "What the profile asks for.")
FIELD(STRING, judged, "`ready`, `not ready`, `unknown`; null: nobody asks.")

#endif
