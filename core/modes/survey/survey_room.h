/* SPDX-License-Identifier: BSD-2-Clause */
/* What a survey needs of the platform, and room for what it finds. */
#pragma once

#include "core/gaps/cpu.h"
#include "core/kinds/survey/survey.h"
#include "survey_parts.h"

struct survey_room {
	struct survey_core *core; /* by position; once all were read, only cores that answered */
	uint32_t *number;         /* the number of each such core, as people know it */
	uint32_t cores;           /* cores that answered; 0: not all were read */
	/* Read the calling core. */
	void (*read)(struct cpu *cpu, struct survey_core *c);
	/* Send what is there once, on the boot core. `t` is for that, and empty. */
	void (*machine)(void *ctx, struct survey_parts *parts, struct text *t);
	void *ctx;
	struct text text; /* SURVEY_PART_BYTES */
	struct survey_parts parts;
};
