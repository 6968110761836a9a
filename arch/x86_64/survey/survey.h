/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's registers for a survey, by a table of functions, so that tests can play the core. */
#pragma once

#include "core/kinds/survey/survey.h"
#include "regs.h"

struct survey_source {
	const struct regs *regs;
	uint32_t (*mmio)(uint64_t address); /* register of the local APIC */
	uint32_t apic_id;                   /* the core's own */
};

/* Read everything but the evidence. Nothing is written: regs->wrmsr is not called. */
void survey_read(const struct survey_source *s, struct survey_core *c);
