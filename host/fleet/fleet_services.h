/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of firmware on machines of one product and BIOS version, from runs of mode=services. */
#pragma once

#include "host/capture/result.h"
#include "host/capture/summary.h"

#include <jansson.h>

/* What a machine's firmware leaves empty. */
static inline const char *fleet_or_unknown(const char *text)
{
	return *text ? text : "unknown";
}

/* Names of stages and of services. Of more of either nothing is shown. */
#define FLEET_SERVICES_NAMES 32

struct fleet_services_names {
	char at[FLEET_SERVICES_NAMES][24];
	unsigned count;
};

/* A service in a stage of a machine. */
struct fleet_service {
	const struct summary *of;
	unsigned stage, service; /* their names' numbers, in the order of arrival */
	bool stops;
	uint64_t p50_ns, max_ns;
};

struct fleet_services {
	struct fleet_services_names stages, services;
	struct fleet_service *at;
	size_t count;
};

/*
 * The service records of a machine's run, whose summary stays where it is. Ends the program when
 * memory has run out.
 */
void fleet_services_add(struct fleet_services *f, const struct summary *s,
			const struct result *run);

void fleet_services_print(struct fleet_services *f);

/* An array, empty where there are none. */
json_t *fleet_services_json(struct fleet_services *f);
