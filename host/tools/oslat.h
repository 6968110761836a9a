/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts that the JSON of rt-tests and oslat's text share: versions, which decide how oslat
 * rounded, and gaps from oslat's buckets. It puts every turn of its loop into one; the label of a
 * bucket is its upper edge, the lowest holds the turns without a gap, and the highest all that is
 * longer, too.
 */
#pragma once

#include "tool_format.h"

/*
 * Effects of a version on a time. 2.4 calls itself 2.40; so 2.10 may be 2.1 or 2.10.
 * Where it ceils, this comes before the buckets: all is one unit less than the labels.
 */
struct oslat_version {
	bool up;    /* rounded up, or down and one added: up to 2.6 */
	bool ceils; /* rounded up: 2.5 and 2.6 */
	bool cuts;  /* rounded down: since 2.7 */
};

/* Take up what a tool calls itself, "2.40"; anything, where it is no version. */
struct oslat_version oslat_version_read(struct tool *tool, const char *text);

/* Something that only the last version prints: where 2.10 could be two, it decides. */
void oslat_version_settle(struct tool *tool, struct oslat_version *v);

/* Range of a time before it was rounded to `us`. */
struct range oslat_unround(struct oslat_version v, uint64_t us);

/* oslat's table, and sysjitter2's: buckets in ns, in rising order. */
struct oslat_table {
	struct tool_table table;
	struct oslat_version version;
	bool decimals; /* times are in ns; else they were rounded to whole us */
};

/*
 * Fill the events, sum and maximum of a core from a column of at least one bucket, and the tool's
 * threshold: the shortest gap that is in a bucket of its own. `max_ns` are the bounds of the
 * longest turn.
 */
void oslat_fill(struct tool *tool, struct tool_core *core, const struct oslat_table *of,
		size_t column, struct range max_ns);

/* The rate of a core's TSC as oslat prints it, one of several. */
void oslat_rate(struct tool *tool, uint64_t mhz);
