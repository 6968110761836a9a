/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The percentiles of jHiccup, as HdrHistogram's log processor prints them: by how much a thread
 * that slept overslept, in ms. Like cyclictest's, the longest bounds the longest gap from above.
 * A value stands for a bucket, which ends there.
 */
#include "tool_format.h"

#include <string.h>

#define NS_DIGITS 6 /* of a ms */

struct jhiccup {
	struct maybe max_ns, count, sub_buckets;
	uint64_t ulp_ns;
};

/* What its decimals leave open. */
static uint64_t ulp_of(const char *at)
{
	size_t digits = strspn(at += strcspn(at, ".,"), ".") ? strspn(at + 1, "0123456789") : 0;
	uint64_t ns = 1000000;

	for (; digits && ns > 1; digits--)
		ns /= 10;
	return ns;
}

/* #[Max     =       26.080, Total count    =         1070] */
static void parse(struct tool_parse *p, const char *line)
{
	struct jhiccup *j = p->state;
	const char *at = line;

	if (scan_literal(&at, "#[Max ") && scan_literal(&at, "=")) {
		j->ulp_ns = ulp_of(at);
		j->max_ns.known = scan_fixed(&at, NS_DIGITS, &j->max_ns.value);
		j->count.known = scan_past(&at, "=") && scan_maybe(&at, &j->count);
		p->tool->rows++;
		if (!j->max_ns.known || !j->count.known)
			tool_wrong(p, line, "#[Max = N, Total count = N]");
	} else if (scan_literal(&at, "#[Buckets ") && scan_past(&at, "SubBuckets") &&
		   scan_literal(&at, "=")) {
		scan_maybe(&at, &j->sub_buckets);
	}
}

static void finish(struct tool_parse *p)
{
	const struct jhiccup *j = p->state;
	uint64_t width, max = j->max_ns.value;
	struct tool_core *core;

	if (!j->max_ns.known || !j->count.known) {
		tool_cut(p, "\"#[Max =\"");
		return;
	}
	/* Buckets are at most that part of their value wide; of an unknown number, half. */
	width = max / (j->sub_buckets.value >= 4 ? j->sub_buckets.value / 2 : 2) + 1;
	core = tool_core(p, TOOL_ANY_CPU);
	core->events = range_exact(j->count.value);
	core->max_ns = range_of(arith_less(max, arith_sum(width, j->ulp_ns)),
				arith_sum(max, j->ulp_ns));
}

const struct tool_format tool_jhiccup = {
	.name = "jHiccup",
	.opening = "#[Overall percentile distribution between",
	.state_bytes = sizeof(struct jhiccup),
	.notes = TOOL_WAKEUP | TOOL_UNPINNED,
	.parse = parse,
	.finish = finish,
};
