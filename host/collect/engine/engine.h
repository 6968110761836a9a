/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machines from a time-series engine that collectors forward to: the latest point of each, as the
 * engine finds it (noisefloor_node and noisefloor_node_source, host/forms/show_influx.c). The URL's
 * path decides how it is asked: InfluxQL for /query?db=NAME, MetricsQL for /api/v1/query.
 */
#pragma once

#include "http.h"

#include "host/fleet/fleet_group.h"

#include <stddef.h>
#include <stdint.h>

#define ENGINE_FORMS                                         \
	"http[s]://HOST:PORT/query?db=NAME (InfluxDB 1.x), " \
	"http[s]://HOST:PORT/api/v1/query "                  \
	"(VictoriaMetrics)"

struct engine_nodes {
	struct fleet_node *node; /* to be freed; one machine may have several, of which the one of
				    the highest rank is the latest */
	size_t count;
	uint64_t runs; /* that the engine has */
	size_t unread; /* points that lack something, or have what no machine has */
};

/* How an engine is asked; `url` is required. */
struct engine_choice {
	const char *url;
	struct http_access access;
	struct form_choice form;
};

#define ENGINE_ROWS                                                             \
	{ "from",                                                               \
	  "URL",                                                                \
	  "the engine: " ENGINE_FORMS,                                          \
	  options_text,                                                         \
	  .offset = offsetof(struct engine_choice, url),                        \
	  .required = true },                                                   \
		HTTP_ACCESS_ROWS(struct engine_choice, access),                 \
		OPTIONS_FORM(struct engine_choice, form, form_is_text_or_json), \
	{                                                                       \
		0                                                               \
	}

/* All machines, or the one of this UUID. False, with the reason on standard error. */
bool engine_read(const char *subcommand, const struct engine_choice *from, const char *uuid,
		 struct engine_nodes *n);
