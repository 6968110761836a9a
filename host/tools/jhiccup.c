/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output of jHiccup, or of HdrHistogram's log processor: by how much a thread that slept overslept,
 * in ms. Like cyclictest's, the longest bounds the longest gap from above. Either percentiles, with
 * the longest below them, or a log, with the longest of each interval. A value stands for a bucket,
 * which ends there. A log's buckets, which are packed, are not read: they are half as wide as the
 * value at most.
 */
#include "tool_format.h"

#include <string.h>

/* Width of the narrowest buckets: jHiccup counts from 20 us on. */
#define UNIT_NS 16384

struct jhiccup {
	struct maybe max_ns;
	uint64_t ulp_ns; /* resolution of the longest, by its decimals */
};

/* The longest is printed behind the next mark of this row. */
static void take_longest(struct tool_parse *p, const char *text)
{
	struct jhiccup *j = p->state;
	const char *dot = strchr(text, '.');
	uint64_t ulp_ns = 1000000, ns = p->v.max;

	if (j->max_ns.known && ns <= j->max_ns.value)
		return;
	for (size_t i = dot ? strspn(dot + 1, "0123456789") : 0; i && ulp_ns > 1; i--)
		ulp_ns /= 10;
	j->max_ns = (struct maybe){ ns, true };
	j->ulp_ns = ulp_ns;
}

static void take_max(struct tool_parse *p)
{
	if (((struct jhiccup *)p->state)->max_ns.known)
		tool_wrong(p, p->row);
	take_longest(p, strchr(p->row, '='));
}

/* [Tag=NAME,]start,length,max,histogram; nothing but base64 is behind it. */
static void take_interval(struct tool_parse *p)
{
	static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "0123456789+/=";
	const char *max = p->row, *packed;

	for (unsigned commas = strncmp(p->row, "Tag=", 4) == 0 ? 3 : 2; commas; commas--)
		max = strchr(max, ',') + 1;
	packed = strchr(max, ',');
	if (packed[1 + strspn(packed + 1, base64)])
		tool_wrong(p, p->row);
	else
		take_longest(p, max);
}

static const struct tool_row rows[] = {
	{ "#[Logged with jHiccup version", "%!(log)", NULL, 0 },
	{ "#[Max =", "%6(max), Total count =%u(count)", take_max, 0 },
	{ "#[Buckets =*SubBuckets =", "%u(parts)", NULL, 0 },
	{ "Tag=", "*,%u.%u,%u.%u,%6(max),", take_interval, 0 },
	{ "%u.%u,", "%u.%u,%6(max),", take_interval, 0 },
	{ .key = NULL },
};

static void jhiccup_finish(struct tool_parse *p)
{
	const struct jhiccup *j = p->state;
	const struct tool_values *v = &p->v;
	/* Each power of two has half as many buckets. */
	uint64_t max = j->max_ns.value, parts = arith_max(tool_or(v->parts, 4) / 2, 2);
	bool log = v->log != TOOL_NONE;
	struct tool_core *core;

	if (!j->max_ns.known || (!log && v->count == TOOL_NONE)) {
		tool_cut(p, log ? "first interval" : "\"#[Max =\"");
		return;
	}
	core = tool_core(p, TOOL_NONE);
	if (v->count != TOOL_NONE)
		core->events = range_exact(v->count);
	core->max_ns = range_of(
		arith_less(max, arith_sum(arith_max(UNIT_NS, max / parts + 1), j->ulp_ns)),
		arith_sum(max, j->ulp_ns));
}

const struct tool_format tool_jhiccup = {
	.name = "jHiccup",
	.opens = { "#[Overall percentile distribution between", "jHiccup histogram report,",
		   "#[Logged with jHiccup version" },
	.command = "jhiccup",
	.markup = TOOL_MARKUP,
	.state_bytes = sizeof(struct jhiccup),
	.notes = TOOL_WAKEUP | TOOL_UNPINNED,
	.row = rows,
	.finish = jhiccup_finish,
};
