/* SPDX-License-Identifier: BSD-2-Clause */
/* What mode=services needs of the platform, and room for what it finds. */
#pragma once

#include "core/config/config.h"
#include "core/kinds/service/service.h"
#include "core/records/record.h"

#define SERVICE_CALLS_MAX 10000 /* as the keys accept */
#define SERVICE_SLOTS     1000  /* of a window */

#define SERVICE_GUARD_SECONDS 60 /* others sample no longer, and report a call that goes on */

struct service_call {
	uint64_t start, end; /* ticks */
	uint64_t status;     /* 0: it succeeded */
	const char *fault;   /* the exception that ended it; NULL: it returned */
};

struct service_room {
	/*
	 * On the boot core, between windows, the others resting: make ready. NULL: it can be
	 * called, and close() follows; else why not, a string that lives until the next.
	 */
	const char *(*open)(void *ctx, enum config_service service);
	/* On the boot core, while the others sample. */
	void (*call)(void *ctx, enum config_service service, struct service_call *call);
	void (*close)(void *ctx, enum config_service service);
	/*
	 * On another core: a call has not returned, and that is reported. May end the run.
	 * NULL: the boot core is waited for.
	 */
	void (*lost)(void *ctx);
	void *ctx;
	bool watched; /* by other cores, which call lost() */
	uint64_t
		apart_ns; /* of the open service: how far apart calls are, at least; 0: no matter */

	struct record_service done[SERVICES]; /* of the stage */
	unsigned count;

	/* Of the service. */
	struct service_tally *core;         /* of each, by position */
	uint64_t length[SERVICE_CALLS_MAX]; /* ticks */
	/* Of the window: in groups of a call and its controls. */
	struct service_slot slot[SERVICE_SLOTS];
	uint64_t beside[SERVICE_SLOTS];           /* the longest gap of all other cores, ticks */
	uint64_t weight[SERVICE_SLOTS];           /* the largest of all other cores */
	struct service_beside one[SERVICE_SLOTS]; /* of one core */
};

size_t service_room_bytes(uint32_t cpus);

/* In `memory`, service_room_bytes() of it and zero, which stays the caller's. */
struct service_room *service_room_lay(void *memory);
