/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces and tables that look like a peer's, of tools that measure something else: named. */
#include "peer_format.h"

#include <string.h>

static enum peer_match match(const char *line)
{
	return (strncmp(line, "# tracer: ", 10) == 0 && strcmp(line + 10, "hwlat") != 0 &&
		strcmp(line + 10, "osnoise") != 0) ||
			       strncmp(line, "# RTLA timerlat", 15) == 0 ||
			       strstr(line, "Timer Latency  ")
		       ? PEER_TITLE
		       : PEER_NO;
}

static void start(struct peer_parse *p)
{
	p->peer->tool = "another tracer";
}

static void parse(struct peer_parse *p, const char *line)
{
	if (match(line) == PEER_TITLE && !p->said) {
		line += strspn(line, " #");
		peer_say(p, "\"%.60s\": it does not measure gaps; of tracers hwlat and osnoise do",
			 line);
	}
}

const struct peer_format peer_other_tracer = {
	.name = "another tracer",
	.match = match,
	.start = start,
	.parse = parse,
};
