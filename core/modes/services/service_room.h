/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface of a platform to mode=services, and memory for the results. */
#pragma once

#include "core/config/config.h"
#include "core/kinds/service/service.h"
#include "core/records/record.h"

#define SERVICE_CALLS_MAX 10000 /* most that service_calls= accepts */
#define SERVICE_SLOTS     1000  /* slots per window */

#define SERVICE_GUARD_SECONDS 60 /* other cores sample at most this long, then report the call */

struct service_call {
	uint64_t start, end; /* ticks */
	uint64_t status;     /* 0: it succeeded */
	const char *fault;   /* the exception that ended it; NULL: it returned */
};

struct service_room {
	/*
	 * On the boot core, between windows, while the others rest: prepare the service. NULL: it
	 * can be called, and close() follows; else the reason, a string that is valid until the
	 * next call.
	 */
	const char *(*open)(void *ctx, enum config_service service);
	/* On the boot core, while the others sample: call it. */
	void (*call)(void *ctx, enum config_service service, struct service_call *call);
	void (*close)(void *ctx, enum config_service service);
	/*
	 * On another core: a call has not returned, which was reported. May end the run. NULL: wait
	 * for the boot core.
	 */
	void (*lost)(void *ctx);
	void *ctx;
	bool watched;      /* by other cores, which call lost() */
	uint64_t apart_ns; /* open service: minimum time between calls; 0: any */

	struct record_service done[SERVICES]; /* results of the stage */
	unsigned count;

	/* State of the current service. */
	struct service_tally *core;         /* per core, by position */
	uint64_t length[SERVICE_CALLS_MAX]; /* ticks */
	/* State of the window: groups of a call and its controls. */
	struct service_slot slot[SERVICE_SLOTS];
	uint64_t beside[SERVICE_SLOTS];           /* the longest gap of all other cores, ns */
	uint64_t weight[SERVICE_SLOTS];           /* the largest of all other cores */
	struct service_beside one[SERVICE_SLOTS]; /* scratch for one core */
};

size_t service_room_bytes(uint32_t cpus);

/* Lay it out in `memory`: service_room_bytes() of zeros, which remain the caller's. */
struct service_room *service_room_lay(void *memory);
