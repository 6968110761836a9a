/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the record `fault`, as core/records/record_rows.h has it. No include guard. */
#ifdef FIELD

FIELD(STRING, stage, "Stage; null: before the first.", .key = true)
FIELD(STRING, kind, "`exception`; `wait`: the probe has given up waiting for something.",
      .key = true)
FIELD(STRING, what, "Which exception, or what was waited for.")
FIELD(MAYBE, cpu, "As Linux numbers it; null: not known.")
FIELD(MAYBE, vector, "x86-64: the exception's vector.")
FIELD(MAYBE, syndrome, "x86-64: its error code; AArch64: ESR.")
FIELD(MAYBE, pc, "Where: RIP or ELR.")
FIELD(MAYBE, image, "Where the probe's image was; `pc` less this is an address of its symbols.")
FIELD(MAYBE, address, "CR2 or FAR: the address that faulted, if the exception has one.")
FIELD(STRING, doing, "The last step of any core.")
FIELD(STRINGS, steps, "Up to 16 steps before that, the last one first.")

#endif
