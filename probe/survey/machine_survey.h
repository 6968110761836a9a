/* SPDX-License-Identifier: BSD-2-Clause */
/* What a survey has of the machine, beside its cores. */
#pragma once

#include "core/lib/text.h"

struct survey_parts; /* core/modes/survey/survey_parts.h */

/*
 * While the firmware is there, on the boot core: send tables, memory map, PCI functions, IOMMUs,
 * chipset and clocks as parts. Nothing is written. ctx is the application; `t` is empty.
 */
void machine_survey(void *ctx, struct survey_parts *parts, struct text *t);
