/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oslat's text, and that of its forerunners. sysjitter's summary has a row per figure and a column
 * per core; its times are cycles divided by whole MHz, so they are up to one part in cpu_mhz too
 * long. sysjitter2 (2.01), which became oslat (0.1.0), begins like it and goes on with oslat's
 * buckets.
 */
#include "oslat.h"

#include <stdio.h>
#include <string.h>

#define HZ_PER_MHZ 1000000

/* ---- Versions ---- */

/* Minor versions of 2: of the last whose output is known, and of those that round otherwise. */
#define VERSION_LAST 10
#define CEILS_SINCE  5
#define CUTS_SINCE   7

struct oslat_version oslat_version_read(struct tool *tool, const char *text)
{
	const char *at = text;
	uint64_t major, minor;

	if (!scan_u64(&at, &major) || *at != '.' || !*++at || *at == ' ' ||
	    !scan_u64(&at, &minor) || !scan_end(at)) {
		tool->notes |= TOOL_VERSION;
		return (struct oslat_version){ true, true, true };
	}
	snprintf(tool->version, sizeof(tool->version), "%.20s", text);
	if (major == 2 && minor == 10) {
		tool->notes |= TOOL_VERSION;
		return (struct oslat_version){ .up = true, .cuts = true };
	}
	if (minor >= 20 && minor % 10 == 0)
		minor /= 10;
	if (major > 2 || (major == 2 && minor > VERSION_LAST))
		tool->notes |= TOOL_NEWER;
	if (major > 2 || (major == 2 && minor >= CUTS_SINCE))
		return (struct oslat_version){ .cuts = true };
	return (struct oslat_version){ .up = true, .ceils = major == 2 && minor >= CEILS_SINCE };
}

void oslat_version_settle(struct tool *tool, struct oslat_version *v)
{
	if (!v->cuts)
		return;
	*v = (struct oslat_version){ .cuts = true };
	if (tool->version[0])
		tool->notes &= ~(uint32_t)TOOL_VERSION;
}

struct range oslat_unround(struct oslat_version v, uint64_t us)
{
	uint64_t ns = arith_times(us, NS_PER_US);

	return range_of(v.up ? arith_less(ns, NS_PER_US) : ns,
			v.cuts ? arith_sum(ns, NS_PER_US - 1) : ns);
}

/* ---- Buckets ---- */

static uint64_t unit_of(const struct oslat_table *of)
{
	return of->decimals ? 1 : NS_PER_US;
}

/* The longest turn in the bucket of this label. */
static struct range upper_edge(const struct oslat_table *of, size_t bucket)
{
	uint64_t label_ns = of->table.row[bucket].label;
	uint64_t ceiled_ns = arith_less(label_ns, of->version.ceils ? unit_of(of) : 0);

	return range_of(ceiled_ns, of->version.cuts ? label_ns : ceiled_ns);
}

/* Greatest width of which all differences of labels are multiples; else 1 us. */
static uint64_t width_of(const struct tool_table *t)
{
	uint64_t width = 0;

	for (size_t i = 1; i < t->rows; i++)
		width = arith_divisor(arith_less(t->row[i].label, t->row[i - 1].label), width);
	return width ? width : NS_PER_US;
}

/* No turn is rounded up to nothing: the first of buckets of one unit is empty then. */
static size_t base_of(const struct oslat_table *of, size_t column, uint64_t width_ns)
{
	return of->version.ceils && width_ns == unit_of(of) && of->table.rows > 1 &&
	       !of->table.row[0].count[column];
}

void oslat_fill(struct tool *tool, struct tool_core *core, const struct oslat_table *of,
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

void oslat_rate(struct tool *tool, uint64_t mhz)
{
	struct range hz = range_cut(mhz, HZ_PER_MHZ);

	if (tool->hz.known)
		hz = range_of(arith_min(hz.low, tool->hz.low), arith_max(hz.high, tool->hz.high));
	tool->hz = hz;
}

/* ---- Tables ---- */

/* Figures of sysjitter alone are behind oslat's, and sysjitter2's. */
enum figure { MAXIMUM, DURATION, THRESHOLD, MHZ, RUNTIME, COUNT, MAX, TOTAL, FIGURES };

static void take_longest(struct tool_parse *p)
{
	struct oslat_table *t = p->state;

	t->decimals = t->decimals || strchr(p->row, '.');
	tool_take_figure(p);
}

/* No bucket may be passed over. */
static void take_odd(struct tool_parse *p)
{
	tool_wrong(p, p->row);
}

/* Fill the cores' figures from the table, or report what is missing. */
static void finish_table(struct tool_parse *p)
{
	const struct oslat_table *of = p->state;
	const struct tool_table *t = &of->table;
	const uint64_t *max_ns = t->figure[MAXIMUM], *duration_ns = t->figure[DURATION];

	if (!t->rows || !max_ns || !duration_ns)
		tool_cut(p, "buckets, maximum or duration");
	for (size_t i = 0; i < t->columns && t->rows && max_ns; i++) {
		struct tool_core *core = tool_new_core(p, t->cpu[i]);
		uint64_t max = max_ns[i];

		oslat_fill(p->tool, core, of, i,
			   of->decimals ? range_of(max, arith_sum(max, 1))
					: oslat_unround(of->version, max / NS_PER_US));
		if (duration_ns)
			tool_exposure(core, range_exact(duration_ns[i]), TOOL_STATED);
	}
}

/* ---- oslat ---- */

static void take_version(struct tool_parse *p)
{
	((struct oslat_table *)p->state)->version = oslat_version_read(p->tool,
								       strchr(p->row, 'V') + 2);
}

/* In MHz, of each column or one for all. "(MHz)" came after 2.1. */
static void take_rates(struct tool_parse *p)
{
	for (size_t i = 0; i < p->v.listed && p->v.list[i]; i++)
		oslat_rate(p->tool, p->v.list[i]);
	if (p->v.quiet != TOOL_NONE)
		oslat_version_settle(p->tool, &((struct oslat_table *)p->state)->version);
}

static const struct tool_row rows[] = {
	{ "oslat V ", "", take_version, 0 },
	{ "Counter Freq:", "@{ (Mhz)}{ (MHz)%!(quiet)}$", take_rates, 0 },
	{ "Core:", "@$", tool_take_head, 0 },
	{ "%3(first) (us):", "@{ (including overflows)}$", tool_take_bucket, 0 },
	{ "Maximum:", "@3 (us)", take_longest, MAXIMUM },
	{ "Duration:", "@9 (sec)", tool_take_figure, DURATION },
	{ "*(us):", "", take_odd, 0 },
	{ .key = NULL },
};

static void oslat_finish(struct tool_parse *p)
{
	finish_table(p);
	tool_table_free(p->state);
}

const struct tool_format tool_oslat = {
	.name = "oslat",
	.opens = { "oslat V " },
	.command = "oslat",
	.state_bytes = sizeof(struct oslat_table),
	.row = rows,
	.finish = oslat_finish,
};

/* ---- sysjitter ---- */

static const struct tool_row sysjitter_rows[] = {
	{ "core_i:", "@$", tool_take_head, 0 },
	{ "threshold(ns):", "@$", tool_take_figure, THRESHOLD },
	{ "cpu_mhz:", "@$", tool_take_figure, MHZ },
	{ "runtime(ns):", "@$", tool_take_figure, RUNTIME },
	{ "int_n:", "@$", tool_take_figure, COUNT },
	{ "int_max(ns):", "@$", tool_take_figure, MAX },
	{ "int_total(ns):", "@$", tool_take_figure, TOTAL },
	{ "%3(first) (us):", "@{ (including overflows)}$", tool_take_bucket, 0 },
	{ "maxlat:", "@3 (us)", take_longest, MAXIMUM },
	{ "runtime:", "@9 (sec)", tool_take_figure, DURATION },
	{ "*(us):", "", take_odd, 0 },
	{ .key = NULL },
};

/* cpu_mhz was cut to a whole number, so cycles last at least v * mhz / (mhz + 1). */
static struct range scaled(uint64_t ns, uint64_t mhz)
{
	return range_of(ns - (mhz ? ns / arith_sum(mhz, 1) + 1 : 0) * (ns != 0), ns);
}

/* The longest is part of the total, and that of the runtime. */
static void fill_sysjitter(struct tool_parse *p, const struct tool_table *t, size_t i)
{
	uint64_t mhz = t->figure[MHZ] ? t->figure[MHZ][i] : 0, runtime = t->figure[RUNTIME][i];
	uint64_t total = t->figure[TOTAL][i], longest = t->figure[MAX][i];
	struct tool_core *core;

	if (longest > total || total > runtime)
		tool_refuse(p, "sysjitter: the figures of core %llu contradict each other",
			    (unsigned long long)t->cpu[i]);
	core = tool_new_core(p, t->cpu[i]);
	tool_exposure(core, range_exact(runtime), TOOL_STATED);
	core->events = range_exact(t->figure[COUNT][i]);
	core->max_ns = scaled(longest, mhz);
	core->sum_ns = scaled(total, mhz);
}

static void finish_sysjitter(struct tool_parse *p)
{
	struct tool_table *t = p->state;
	size_t i = THRESHOLD;

	if (t->figure[MHZ] && t->columns)
		p->tool->hz = range_cut(t->figure[MHZ][0], HZ_PER_MHZ);
	while (i < FIGURES && (t->figure[i] || i == MHZ))
		i++;
	if (t->rows) {
		p->tool->tool = "sysjitter2";
		((struct oslat_table *)p->state)->version.up = true;
		finish_table(p);
	} else if (i < FIGURES) {
		tool_report(p, "sysjitter: it has no row \"%s\"",
			    sysjitter_rows[1 + i - THRESHOLD].key);
	} else {
		for (i = 0; i < t->columns; i++)
			fill_sysjitter(p, t, i);
		tool_threshold(p->tool, range_exact(t->figure[THRESHOLD][0]), TOOL_STATED);
	}
	tool_table_free(t);
}

const struct tool_format tool_sysjitter = {
	.name = "sysjitter",
	.opens = { "core_i:" },
	.command = "sysjitter",
	.state_bytes = sizeof(struct oslat_table),
	.row = sysjitter_rows,
	.finish = finish_sysjitter,
};
