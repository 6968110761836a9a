/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the record `interfere`, as core/records/record_rows.h has it. No include guard. */
#ifdef FIELD

FIELD(STRING, stage, "Stage.", .key = true, ROLE(TAG))
FIELD(STRING, kernel, "What both do.", .key = true, ROLE(TAG))
FIELD(U32, victim, "The core that was measured.", .key = true, ROLE(TAG))
FIELD(U32, aggressor, "The core at work, or the first of a group.", .key = true, ROLE(TAG))
FIELD(STRING, group,
      "What the group shares: `core` `cache` `package`; null: one core, or "
      "neighbours.",
      ROLE(TAG))
FIELD(U64, ratio, "The victim's median, gaps taken out, over that alone; 1000000 is 1.",
      ROLE(VALUE), UNIT(PPM))
FIELD(U64, bound, "That chance gives more in any pair of the kernel is less likely than 1 %.",
      ROLE(VALUE), UNIT(PPM))

#endif
