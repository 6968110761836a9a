/* SPDX-License-Identifier: BSD-2-Clause */
/* Versions of rt-tests and their rounding, and buckets of oslat to gaps. */
#include "rt_tests.h"

#include "host/tools/tool_format.h"
#include "host/lib/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct rt_version any = { 0, RT_VERSION_LAST, false };

struct rt_version rt_version_read(struct tool *tool, const char *text)
{
	const char *at = text;
	uint64_t major, minor;

	if (!scan_u64(&at, &major) || *at != '.' || !*++at || *at == ' ' ||
	    !scan_u64(&at, &minor) || !scan_end(at)) {
		tool->notes |= TOOL_VERSION;
		return any;
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

/* ---- A table: a row per bucket, a column per core ---- */

#define NS_DIGITS 3 /* of a us */
#define S_DIGITS  9

/*
 * Read a number per column, of which `digits` decimals are kept, and then the unit. Without a unit,
 * the line ends, or has a remark in parentheses.
 */
static bool take_numbers(const struct rt_table *t, const char *at, unsigned digits,
			 uint64_t *number, const char *unit)
{
	for (size_t i = 0; i < t->columns.count; i++) {
		if (!scan_fixed(&at, digits, &number[i]))
			return false;
	}
	return t->columns.count &&
	       (unit ? scan_literal(&at, unit) : scan_end(at) || scan_literal(&at, "("));
}

bool rt_table_row(struct rt_table *t, const char *at)
{
	static uint64_t number[TOOL_COLUMNS_MAX];
	uint64_t label_ns;

	if (!scan_fixed(&at, NS_DIGITS, &label_ns) || !scan_literal(&at, "(us):") ||
	    t->rows == RT_ROWS_MAX || (t->rows && label_ns <= t->label_ns[t->rows - 1]) ||
	    !take_numbers(t, at, 0, number, NULL))
		return false;
	t->count[t->rows] = memory_copy(number, t->columns.count, sizeof(uint64_t));
	t->label_ns[t->rows++] = label_ns;
	return true;
}

/* Times have decimals if buckets are not a whole number of us. */
bool rt_table_max(struct rt_table *t, const char *at)
{
	t->fractions = strchr(at, '.') != NULL;
	return t->has_max = take_numbers(t, at, NS_DIGITS, t->max_ns, "(us)");
}

bool rt_table_duration(struct rt_table *t, const char *at)
{
	return t->has_duration = take_numbers(t, at, S_DIGITS, t->duration_ns, "(sec)");
}

static void fill(struct tool_parse *p, struct rt_table *t, size_t column, struct rt_version version)
{
	static struct rt_oslat_bucket bucket[RT_ROWS_MAX];
	struct tool_core *core = tool_core(p, t->columns.cpu[column]);
	uint64_t max_ns = t->max_ns[column];
	struct rt_oslat oslat = { bucket, t->rows, t->fractions ? 1 : NS_PER_US, version };

	if (!core)
		return;
	for (size_t i = 0; i < t->rows; i++)
		bucket[i] = (struct rt_oslat_bucket){ t->label_ns[i], t->count[i][column] };
	rt_oslat_fill(p->tool, core, &oslat,
		      t->fractions ? range_of(max_ns, arith_sum(max_ns, 1))
				   : rt_version_unround(version, max_ns / 1000, 1000));
	if (t->has_duration)
		tool_exposure(core, range_exact(t->duration_ns[column]), TOOL_STATED);
}

void rt_table_finish(struct tool_parse *p, struct rt_table *t, struct rt_version version)
{
	if (!t->rows || !t->has_max || !t->has_duration)
		tool_cut(p, "buckets, maximum or duration");
	for (size_t i = 0; i < t->columns.count && t->rows && t->has_max; i++)
		fill(p, t, i, version);
	for (size_t i = 0; i < t->rows; i++)
		free(t->count[i]);
}

/* ---- oslat's text ---- */

struct oslat {
	struct rt_version version;
	struct rt_table table;
};

static void start(struct tool_parse *p)
{
	((struct oslat *)p->state)->version = any;
}

/* In MHz, of each column or one for all; what is measured differs from core to core. */
static void take_rates(struct tool *tool, const char *at)
{
	uint64_t mhz;

	while (scan_u64(&at, &mhz) && mhz)
		rt_oslat_rate(tool, mhz);
}

/* "(MHz)" came after 2.1. */
static void take_head(struct tool_parse *p, const char *at)
{
	struct oslat *o = p->state;

	if (!scan_literal(&at, "Counter Freq:"))
		return;
	take_rates(p->tool, at);
	if (strstr(at, "(MHz)"))
		rt_version_settle(p->tool, &o->version);
}

/* False: a row that cannot be read. *known: it is one. */
static bool take_line(struct tool_parse *p, const char *line, bool *known)
{
	struct oslat *o = p->state;
	const char *at = line;

	*known = true;
	if (scan_literal(&at, "oslat V ")) {
		o->version = rt_version_read(p->tool, at);
		return true;
	}
	if (scan_literal(&at, "Core:"))
		return !o->table.columns.count &&
		       tool_columns_read(&o->table.columns, at, &(const char *){ NULL });
	if (scan_literal(&at, "Maximum:"))
		return rt_table_max(&o->table, at);
	if (scan_literal(&at, "Duration:"))
		return rt_table_duration(&o->table, at);
	if (strstr(line, "(us):"))
		return rt_table_row(&o->table, line);
	*known = false;
	take_head(p, line);
	return true;
}

static void parse(struct tool_parse *p, const char *line)
{
	bool known;

	if (take_line(p, line, &known))
		p->tool->rows += known;
	else
		tool_wrong(p, line, "oslat's row of that name, with a number for each core");
}

static void finish(struct tool_parse *p)
{
	struct oslat *o = p->state;

	rt_table_finish(p, &o->table, o->version);
}

const struct tool_format tool_oslat = {
	.name = "oslat",
	.opening = "oslat V ",
	.state_bytes = sizeof(struct oslat),
	.start = start,
	.parse = parse,
	.finish = finish,
};
