/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machines from a time-series engine that collectors forward to: the latest point of each, as the
 * engine finds it (noisefloor_node and noisefloor_node_source, host/forms/show_influx.c). The URL's
 * path decides how it is asked: InfluxQL for /query?db=NAME, MetricsQL for /api/v1/query.
 */
#pragma once

#include "host/fleet/fleet_group.h"

#include <stddef.h>
#include <stdint.h>

#define ENGINE_FORMS                                                                    \
	"http://HOST:PORT/query?db=NAME (InfluxDB 1.x), http://HOST:PORT/api/v1/query " \
	"(VictoriaMetrics)"

struct engine_nodes {
	struct fleet_node *node; /* to be freed; one machine may have several, of which the one of
				    the highest rank is the latest */
	size_t count;
	uint64_t runs; /* that the engine has */
	size_t unread; /* points that lack something, or have what no machine has */
};

/* All machines, or the one of this UUID. False, with the reason on standard error. */
bool engine_read(const char *subcommand, const char *url, const char *uuid, struct engine_nodes *n);
