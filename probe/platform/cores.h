/* SPDX-License-Identifier: BSD-2-Clause */
/* The cores of the run, on any platform. */
#pragma once

#include "probe/complaints.h"
#include "probe/machine.h"

#include "arch/arch.h"
#include "core/config/config.h"
#include "core/gaps/platform.h"
#include "core/lib/text.h"
#include "core/report/report.h"

#include <stdbool.h>
#include <stdint.h>

struct service_room; /* core/modes/services/service_room.h */
struct survey_parts; /* core/modes/survey/survey_room.h */

struct cores {
	const struct config *config;
	struct machine *machine; /* its memory map is read again by work_memory_lay() */
	struct complaints *complaints;
	struct platform *platform;
	struct report *report;
	struct arch_memory memory;
	uint64_t memory_bytes; /* bytes allocated, without gap rings */
	uint64_t ring_bytes;
	uint32_t ring_gaps; /* per core */
	/* For mode=survey: send what is read once for the machine. */
	void (*survey)(void *ctx, struct survey_parts *parts, struct text *t);
	void *survey_ctx;
	/* For mode=services: fill in the functions of the room. */
	void (*services)(void *ctx, struct service_room *room);
	void *services_ctx;
};

/*
 * Number the cores, allocate all that is needed until the end of the run, and fill the platform,
 * except start and finish, which depend on who owns the machine, and the functions that others
 * provide between windows and stages. False, with a complaint, if memory runs out.
 */
bool cores_prepare(struct cores *c);
