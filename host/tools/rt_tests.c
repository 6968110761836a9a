/* SPDX-License-Identifier: BSD-2-Clause */
/* Versions of rt-tests and their rounding, and buckets of oslat to gaps. */
#include "rt_tests.h"

#include "host/lib/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct rt_version rt_version_any = { 0, RT_VERSION_LAST, false };

struct rt_version rt_version_read(struct tool *tool, const char *text)
{
	const char *at = text;
	uint64_t major, minor;

	if (!scan_u64(&at, &major) || *at != '.' || !*++at || *at == ' ' ||
	    !scan_u64(&at, &minor) || !scan_end(at)) {
		tool->notes |= TOOL_VERSION;
		return rt_version_any;
	}
	snprintf(tool->version, sizeof(tool->version), "%.20s", text);
	if (major < 2)
		return (struct rt_version){ 0, 0, false };
	if (major == 2 && minor == 10) {
		tool->notes |= TOOL_VERSION;
		return (struct rt_version){ 1, 10, true };
	}
	if (minor >= 20 && minor % 10 == 0)
		minor /= 10;
	if (major > 2 || minor > RT_VERSION_LAST) {
		tool->notes |= TOOL_NEWER;
		minor = RT_VERSION_LAST;
	}
	return (struct rt_version){ (unsigned)minor, (unsigned)minor, false };
}

void rt_version_settle(struct tool *tool, struct rt_version *v)
{
	if (v->high != RT_VERSION_LAST)
		return;
	v->low = RT_VERSION_LAST;
	if (tool->version[0])
		tool->notes &= ~(uint32_t)TOOL_VERSION;
}

#define ROUNDS_UP_SINCE   5
#define ROUNDS_DOWN_SINCE 7

struct range rt_version_unround(struct rt_version v, uint64_t units, uint64_t unit_ns)
{
	bool down = v.high >= ROUNDS_DOWN_SINCE, up = v.low < ROUNDS_DOWN_SINCE;
	uint64_t ns = arith_times(units, unit_ns);

	return range_of(up ? arith_less(ns, unit_ns) : ns, down ? arith_sum(ns, unit_ns - 1) : ns);
}

static bool may_round_up(struct rt_version v)
{
	return v.low < ROUNDS_DOWN_SINCE && v.high >= ROUNDS_UP_SINCE && !v.none_between;
}

static bool rounds_up(struct rt_version v)
{
	return v.low >= ROUNDS_UP_SINCE && v.high < ROUNDS_DOWN_SINCE;
}

/* The longest turn in the bucket of this label. */
static struct range upper_edge(const struct rt_oslat *o, uint64_t label_ns)
{
	return range_of(arith_less(label_ns, may_round_up(o->version) ? o->unit_ns : 0),
			arith_less(label_ns, rounds_up(o->version) ? o->unit_ns : 0));
}

/* What the differences of all labels are multiples of; else 1 us. */
static uint64_t width_of(const struct rt_oslat *o)
{
	uint64_t width = 0;

	for (size_t i = 1; i < o->count; i++)
		width = arith_divisor(arith_less(o->bucket[i].label_ns, o->bucket[i - 1].label_ns),
				      width);
	return width ? width : NS_PER_US;
}

/* No turn is rounded up to nothing: the first of buckets of one unit is empty then. */
static size_t base_of(const struct rt_oslat *o, uint64_t width_ns)
{
	return may_round_up(o->version) && width_ns == o->unit_ns && o->count > 1 &&
	       !o->bucket[0].count;
}

void rt_oslat_fill(struct tool *tool, struct tool_core *core, const struct rt_oslat *oslat,
		   struct range max_ns)
{
	uint64_t width_ns = width_of(oslat);
	size_t base = base_of(oslat, width_ns);
	struct range shortest = upper_edge(oslat, oslat->bucket[base].label_ns);

	tool_threshold(tool, range_max(tool->threshold_ns, shortest), TOOL_STATED);
	core->events = core->sum_ns = range_exact(0);
	for (size_t i = base + 1; i < oslat->count; i++) {
		struct range edge = upper_edge(oslat, oslat->bucket[i].label_ns);
		uint64_t low = arith_less(edge.low, width_ns), high = edge.high;
		uint64_t events = oslat->bucket[i].count;

		if (i + 1 == oslat->count && events && max_ns.high > high) {
			/* One of those past the last edge is the longest of all. */
			tool_count(core, arith_max(low, max_ns.low), max_ns.high, 1);
			high = max_ns.high;
			events--;
		}
		tool_count(core, low, high, events);
	}
	core->max_ns = max_ns;
	/* Without a gap the longest turn is none. */
	if (!core->events.high)
		core->max_ns = range_of(0, max_ns.high);
}

void rt_oslat_rate(struct tool *tool, uint64_t mhz)
{
	struct range hz = range_cut(mhz, 1000000);

	if (tool->hz.known)
		hz = range_of(arith_min(hz.low, tool->hz.low), arith_max(hz.high, tool->hz.high));
	tool->hz = hz;
}

void rt_oslat_table(struct tool_parse *p, const struct tool_table *t, const uint64_t *max_ns,
		    const uint64_t *duration_ns, struct rt_version version)
{
	struct rt_oslat_bucket *bucket = memory_new(t->rows + 1, sizeof(*bucket));
	const struct rt_oslat oslat = { bucket, t->rows, t->decimals ? 1 : NS_PER_US, version };

	if (!t->rows || !max_ns || !duration_ns)
		tool_cut(p, "buckets, maximum or duration");
	for (size_t i = 0; i < t->columns && t->rows && max_ns; i++) {
		struct tool_core *core = tool_core(p, t->cpu[i]);

		for (size_t n = 0; n < t->rows; n++)
			bucket[n] = (struct rt_oslat_bucket){ t->row[n].label, t->row[n].count[i] };
		if (!core)
			continue;
		rt_oslat_fill(p->tool, core, &oslat,
			      t->decimals ? range_of(max_ns[i], arith_sum(max_ns[i], 1))
					  : rt_version_unround(version, max_ns[i] / NS_PER_US,
							       NS_PER_US));
		if (duration_ns)
			tool_exposure(core, range_exact(duration_ns[i]), TOOL_STATED);
	}
	free(bucket);
}

/* ---- oslat's text ---- */

enum figure { MAXIMUM, DURATION };

struct oslat {
	struct rt_version version;
	struct tool_table table;
};

static void start(struct tool_parse *p)
{
	((struct oslat *)p->state)->version = rt_version_any;
}

static void take_version(struct tool_parse *p, const uint64_t *n)
{
	(void)n;
	((struct oslat *)p->state)->version = rt_version_read(p->tool, strchr(p->row, 'V') + 2);
}

/* In MHz, of each column or one for all. "(MHz)" came after 2.1. */
static void take_rates(struct tool_parse *p, const uint64_t *n)
{
	const char *at = strchr(p->row, ':') + 1;
	uint64_t mhz;

	(void)n;
	while (scan_u64(&at, &mhz) && mhz)
		rt_oslat_rate(p->tool, mhz);
	if (strstr(at, "(MHz)"))
		rt_version_settle(p->tool, &((struct oslat *)p->state)->version);
}

static void parse(struct tool_parse *p, const char *line)
{
	static const struct tool_row rows[] = {
		{ "oslat V ", "", take_version, 0 },
		{ "Counter Freq:", "", take_rates, 0 },
		{ .key = NULL },
	};
	static const struct tool_table_form form = {
		.head = "Core:",
		.bucket = "(us):",
		.digits = 3,
		.figure = { { "Maximum:", "(us)", 3 }, { "Duration:", "(sec)", 9 } },
	};

	if (!tool_take_row(p, rows, line))
		tool_table_take(p, &((struct oslat *)p->state)->table, &form, line);
}

static void finish(struct tool_parse *p)
{
	struct oslat *o = p->state;

	rt_oslat_table(p, &o->table, o->table.figure[MAXIMUM], o->table.figure[DURATION],
		       o->version);
	tool_table_free(&o->table);
}

const struct tool_format tool_oslat = {
	.name = "oslat",
	.opens = { "oslat V " },
	.command = "oslat",
	.state_bytes = sizeof(struct oslat),
	.start = start,
	.parse = parse,
	.finish = finish,
};
