/* SPDX-License-Identifier: BSD-2-Clause */
/* The survey's parts about the machine as a whole. */
#pragma once

#include "core/lib/text.h"

struct survey_parts; /* core/modes/survey/survey_room.h */

/*
 * Send tables, memory map, PCI functions, IOMMUs, chipset and clocks as parts; nothing is written.
 * Called on the boot core, while the firmware is alive. `ctx` is the struct app; `t` is empty.
 */
void machine_survey(void *ctx, struct survey_parts *parts, struct text *t);
