/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the text and the JSON of rt-tests have in common. Versions, as its tools print them, and
 * what oslat of a version did to its figures: 2.4 calls itself 2.40; so 2.10 may be 2.1 or 2.10.
 * And gaps from oslat's buckets: it puts every turn of its loop into one; the label of a bucket is
 * its upper edge, the lowest holds the turns without a gap, and the highest all that is longer,
 * too. 2.5 and 2.6 round times up before that, so that all is one unit less than the labels.
 */
#pragma once

#include "tool_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Both bounds inclusive, minor versions of 2; older majors are minor 0. */
struct rt_version {
	unsigned low, high;
	bool none_between; /* one of the two */
};

/* The last version whose output is known. */
#define RT_VERSION_LAST 10

/* Take up what a tool calls itself, "2.40"; anything, where it is no version. */
struct rt_version rt_version_read(struct tool *tool, const char *text);

/* Something that only the last version prints: where 2.10 could be two, it decides. */
void rt_version_settle(struct tool *tool, struct rt_version *v);

/*
 * What oslat prints as a time of `us` units of `unit_ns` was, before it was rounded: down
 * and one added up to 2.4, up in 2.5 and 2.6, down since.
 */
struct range rt_version_unround(struct rt_version v, uint64_t units, uint64_t unit_ns);

struct rt_oslat_bucket {
	uint64_t label_ns;
	uint64_t count;
};

/* The buckets of a core, in rising order, at least one. */
struct rt_oslat {
	const struct rt_oslat_bucket *bucket;
	size_t count;
	uint64_t unit_ns; /* that times were rounded to: 1 with buckets of other than whole us */
	struct rt_version version;
};

/*
 * Fill the events, sum and maximum of a core, and the tool's threshold: the shortest gap that is in
 * a bucket of its own. `max_ns` are the bounds of the longest turn.
 */
void rt_oslat_fill(struct tool *tool, struct tool_core *core, const struct rt_oslat *oslat,
		   struct range max_ns);

/*
 * Fill the cores' figures from a table of buckets in ns, of the longest turns (ns, truncated to us
 * if the table has no decimals) and durations (ns) per column; or report what is missing.
 */
void rt_oslat_table(struct tool_parse *p, const struct tool_table *t, const uint64_t *max_ns,
		    const uint64_t *duration_ns, struct rt_version version);

/* Any version. */
extern const struct rt_version rt_version_any;

/* The rate of a core's TSC as oslat prints it, one of several. */
void rt_oslat_rate(struct tool *tool, uint64_t mhz);
