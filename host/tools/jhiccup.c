/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What jHiccup writes, or HdrHistogram's log processor prints of it: by how much a thread that
 * slept overslept, in ms. Like cyclictest's, the longest bounds the longest gap from above. Either
 * percentiles, with the longest below them, or a log, with the longest of each interval. A value
 * stands for a bucket, which ends there. A log's buckets, which are packed, are not read: they are
 * half as wide as the value at most.
 */
#include "tool_format.h"

#include <string.h>

/* Of percentiles without a head. */
#define LEGEND "Value     Percentile TotalCount 1/(1-Percentile)"

/* It counts from 20 us on, so this is the width of its narrowest buckets. */
#define UNIT_NS 16384

struct jhiccup {
	uint64_t log; /* true: by its head */
	struct maybe max_ns, count;
	uint64_t ulp_ns;      /* what the decimals of the longest leave open */
	uint64_t sub_buckets; /* each power of two is divided into half as many; 0: not known */
};

static void take_longest(struct jhiccup *j, const char *text, uint64_t ns)
{
	const char *dot = strchr(text, '.');
	uint64_t ulp_ns = 1000000;

	if (j->max_ns.known && ns <= j->max_ns.value)
		return;
	for (size_t i = dot ? strspn(dot + 1, "0123456789") : 0; i && ulp_ns > 1; i--)
		ulp_ns /= 10;
	j->max_ns = (struct maybe){ ns, true };
	j->ulp_ns = ulp_ns;
}

static void take_max(struct tool_parse *p, const uint64_t *n)
{
	struct jhiccup *j = p->state;

	take_longest(j, strchr(p->row, '='), n[0]);
	j->count = (struct maybe){ n[1], true };
}

/* [Tag=NAME,]start,length,max,histogram; nothing but base64 is behind it. */
static void take_interval(struct tool_parse *p, const uint64_t *n)
{
	static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "0123456789+/=";
	const char *max = p->row, *packed;

	for (unsigned commas = strncmp(p->row, "Tag=", 4) == 0 ? 3 : 2; commas; commas--)
		max = strchr(max, ',') + 1;
	packed = strchr(max, ',');
	if (packed[1 + strspn(packed + 1, base64)])
		tool_wrong(p, p->row, "[Tag=NAME,]START,LENGTH,MAX,HISTOGRAM");
	else
		take_longest(p->state, max, n[4]);
}

/* Another's percentiles, if these have their longest. */
static void take_legend(struct tool_parse *p, const uint64_t *n)
{
	(void)n;
	if (((struct jhiccup *)p->state)->max_ns.known)
		p->rest = p->row;
}

static const struct tool_row rows[] = {
	{ "#[Logged with jHiccup version", "", NULL, offsetof(struct jhiccup, log) },
	{ "#[Max =", "%6, Total count =%u", take_max, 0 },
	{ "#[Buckets =*SubBuckets =", "%u", NULL, offsetof(struct jhiccup, sub_buckets) },
	{ "Tag=", "*,%u.%u,%u.%u,%6,", take_interval, 0 },
	{ "%u.%u,", "%u.%u,%6,", take_interval, 0 },
	{ LEGEND "$", "", take_legend, 0 },
	{ .key = NULL },
};

/* Others print the same words, with other blanks. */
static const char *find_legend(const char *line)
{
	const char *at = strstr(line, LEGEND);

	return at && scan_end(at + strlen(LEGEND)) ? at : NULL;
}

static void finish(struct tool_parse *p)
{
	struct jhiccup *j = p->state;
	uint64_t max = j->max_ns.value, parts = j->sub_buckets >= 4 ? j->sub_buckets / 2 : 2;
	struct tool_core *core;

	if (!j->max_ns.known || (!j->log && !j->count.known)) {
		tool_cut(p, j->log ? "first interval" : "\"#[Max =\"");
		return;
	}
	core = tool_core(p, TOOL_ANY_CPU);
	if (j->count.known)
		core->events = range_exact(j->count.value);
	core->max_ns = range_of(
		arith_less(max, arith_sum(arith_max(UNIT_NS, max / parts + 1), j->ulp_ns)),
		arith_sum(max, j->ulp_ns));
}

const struct tool_format tool_jhiccup = {
	.name = "jHiccup",
	.opens = { "#[Overall percentile distribution between", "jHiccup histogram report,",
		   "#[Logged with jHiccup version" },
	.find_body = find_legend,
	.command = "jhiccup",
	.markup = TOOL_MARKUP,
	.state_bytes = sizeof(struct jhiccup),
	.notes = TOOL_WAKEUP | TOOL_UNPINNED,
	.row = rows,
	.finish = finish,
};
