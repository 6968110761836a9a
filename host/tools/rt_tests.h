/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the text and the JSON of rt-tests have in common. Versions, as its tools print them, and
 * what oslat of a version did to its figures: 2.4 calls itself 2.40; so 2.10 may be 2.1 or 2.10.
 * And gaps from oslat's buckets: it puts every turn of its loop into one; the label of a bucket is
 * its upper edge, the lowest holds the turns without a gap, and the highest all that is longer,
 * too. 2.5 and 2.6 round times up before that, so that all is one unit less than the labels.
 */
#pragma once

#include "tool_format.h"

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

/* oslat's table, and sysjitter2's: buckets in ns, in rising order. */
struct rt_table {
	struct tool_table table;
	struct rt_version version;
	bool decimals; /* times are in ns; else they were rounded to whole us */
};

/* Figures of such a table: the longest turns, ns, and durations, ns. */
enum rt_figure { RT_MAXIMUM, RT_DURATION, RT_FIGURES };

/* Rows of such a table, in which no bucket is passed over. */
#define RT_TABLE_ROWS(maximum, duration)                                          \
	{ "%3(first) (us):", "@{ (including overflows)}$", tool_take_bucket, 0 }, \
		{ maximum, "@3 (us)", rt_take_longest, RT_MAXIMUM },              \
		{ duration, "@9 (sec)", tool_take_figure, RT_DURATION },          \
	{                                                                         \
		"*(us):", "", rt_take_odd, 0                                      \
	}

void rt_take_longest(struct tool_parse *p);
void rt_take_odd(struct tool_parse *p);

/* Fill the cores' figures from the table, or report what is missing. */
void rt_oslat_table(struct tool_parse *p);

/*
 * Fill the events, sum and maximum of a core from a column of at least one bucket, and the tool's
 * threshold: the shortest gap that is in a bucket of its own. `max_ns` are the bounds of the
 * longest turn.
 */
void rt_oslat_fill(struct tool *tool, struct tool_core *core, const struct rt_table *of,
		   size_t column, struct range max_ns);

/* Any version. */
extern const struct rt_version rt_version_any;

/* The rate of a core's TSC as oslat prints it, one of several. */
void rt_oslat_rate(struct tool *tool, uint64_t mhz);
