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

static uint64_t unit_of(const struct rt_table *of)
{
	return of->decimals ? 1 : NS_PER_US;
}

/* The longest turn in the bucket of this label. */
static struct range upper_edge(const struct rt_table *of, size_t bucket)
{
	uint64_t label_ns = of->table.row[bucket].label, unit_ns = unit_of(of);

	return range_of(arith_less(label_ns, may_round_up(of->version) ? unit_ns : 0),
			arith_less(label_ns, rounds_up(of->version) ? unit_ns : 0));
}

/* What the differences of all labels are multiples of; else 1 us. */
static uint64_t width_of(const struct tool_table *t)
{
	uint64_t width = 0;

	for (size_t i = 1; i < t->rows; i++)
		width = arith_divisor(arith_less(t->row[i].label, t->row[i - 1].label), width);
	return width ? width : NS_PER_US;
}

/* No turn is rounded up to nothing: the first of buckets of one unit is empty then. */
static size_t base_of(const struct rt_table *of, size_t column, uint64_t width_ns)
{
	return may_round_up(of->version) && width_ns == unit_of(of) && of->table.rows > 1 &&
	       !of->table.row[0].count[column];
}

void rt_oslat_fill(struct tool *tool, struct tool_core *core, const struct rt_table *of,
		   size_t column, struct range max_ns)
{
	const struct tool_table *t = &of->table;
	uint64_t width_ns = width_of(t);
	size_t base = base_of(of, column, width_ns);
	struct range shortest = upper_edge(of, base);

	tool_threshold(tool, range_max(tool->threshold_ns, shortest), TOOL_STATED);
	core->events = core->sum_ns = range_exact(0);
	for (size_t i = base + 1; i < t->rows; i++) {
		struct range edge = upper_edge(of, i);
		uint64_t low = arith_less(edge.low, width_ns), high = edge.high;
		uint64_t events = t->row[i].count[column];

		if (i + 1 == t->rows && events && max_ns.high > high) {
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

void rt_take_longest(struct tool_parse *p)
{
	struct rt_table *t = p->state;

	t->decimals = t->decimals || strchr(p->row, '.');
	tool_take_figure(p);
}

void rt_take_odd(struct tool_parse *p)
{
	tool_wrong(p, p->row, "%3 (us): numbers");
}

void rt_oslat_table(struct tool_parse *p)
{
	const struct rt_table *of = p->state;
	const struct tool_table *t = &of->table;
	const uint64_t *max_ns = t->figure[RT_MAXIMUM], *duration_ns = t->figure[RT_DURATION];

	if (!t->rows || !max_ns || !duration_ns)
		tool_cut(p, "buckets, maximum or duration");
	for (size_t i = 0; i < t->columns && t->rows && max_ns; i++) {
		struct tool_core *core = tool_core(p, t->cpu[i]);
		uint64_t max = max_ns[i];

		if (!core)
			continue;
		rt_oslat_fill(
			p->tool, core, of, i,
			of->decimals ? range_of(max, arith_sum(max, 1))
				     : rt_version_unround(of->version, max / NS_PER_US, NS_PER_US));
		if (duration_ns)
			tool_exposure(core, range_exact(duration_ns[i]), TOOL_STATED);
	}
}

/* ---- oslat's text ---- */

static void take_version(struct tool_parse *p)
{
	((struct rt_table *)p->state)->version = rt_version_read(p->tool, strchr(p->row, 'V') + 2);
}

/* In MHz, of each column or one for all. "(MHz)" came after 2.1. */
static void take_rates(struct tool_parse *p)
{
	for (size_t i = 0; i < p->v.listed && p->v.list[i]; i++)
		rt_oslat_rate(p->tool, p->v.list[i]);
	if (p->v.quiet != TOOL_NONE)
		rt_version_settle(p->tool, &((struct rt_table *)p->state)->version);
}

static const struct tool_row rows[] = {
	{ "oslat V ", "", take_version, 0 },
	{ "Counter Freq:", "@{ (Mhz)}{ (MHz)%!(quiet)}$", take_rates, 0 },
	{ "Core:", "@$", tool_take_head, 0 },
	RT_TABLE_ROWS("Maximum:", "Duration:"),
	{ .key = NULL },
};

static void finish(struct tool_parse *p)
{
	rt_oslat_table(p);
	tool_table_free(p->state);
}

const struct tool_format tool_oslat = {
	.name = "oslat",
	.opens = { "oslat V " },
	.command = "oslat",
	.state_bytes = sizeof(struct rt_table),
	.row = rows,
	.finish = finish,
};
