/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysjitter's summary: a row per figure, a column per core. Times are cycles divided by
 * whole MHz, so they are up to one part in cpu_mhz too long. sysjitter2 (2.01), which
 * became oslat (0.1.0), begins like it and goes on with oslat's buckets.
 */
#include "rt_tests.h"

#define HZ_PER_MHZ 1000000

/* Those of sysjitter alone, behind sysjitter2's. */
enum figure { THRESHOLD = RT_FIGURES, MHZ, RUNTIME, COUNT, MAX, TOTAL, FIGURES };

static const struct tool_row rows[] = {
	{ "core_i:", "@$", tool_take_head, 0 },
	{ "threshold(ns):", "@$", tool_take_figure, THRESHOLD },
	{ "cpu_mhz:", "@$", tool_take_figure, MHZ },
	{ "runtime(ns):", "@$", tool_take_figure, RUNTIME },
	{ "int_n:", "@$", tool_take_figure, COUNT },
	{ "int_max(ns):", "@$", tool_take_figure, MAX },
	{ "int_total(ns):", "@$", tool_take_figure, TOTAL },
	RT_TABLE_ROWS("maxlat:", "runtime:"),
	{ .key = NULL },
};

/* cpu_mhz was cut to a whole number, so cycles last at least v * mhz / (mhz + 1). */
static struct range scaled(uint64_t ns, uint64_t mhz)
{
	return range_of(ns - (mhz ? ns / arith_sum(mhz, 1) + 1 : 0) * (ns != 0), ns);
}

/* The longest is part of the total, and that of the runtime. */
static void fill(struct tool_parse *p, const struct tool_table *t, size_t i)
{
	uint64_t mhz = t->figure[MHZ] ? t->figure[MHZ][i] : 0, runtime = t->figure[RUNTIME][i];
	uint64_t total = t->figure[TOTAL][i], longest = t->figure[MAX][i];
	struct tool_core *core;

	if (longest > total || total > runtime) {
		p->tool->notes |= TOOL_DAMAGED;
		tool_report(p,
			    "sysjitter: the figures of core %llu contradict each other: runtime "
			    "%llu, total %llu, longest %llu ns",
			    (unsigned long long)t->cpu[i], (unsigned long long)runtime,
			    (unsigned long long)total, (unsigned long long)longest);
		return;
	}
	core = tool_core(p, t->cpu[i]);
	if (!core)
		return;
	tool_exposure(core, range_exact(runtime), TOOL_STATED);
	core->events = range_exact(t->figure[COUNT][i]);
	core->max_ns = scaled(longest, mhz);
	core->sum_ns = scaled(total, mhz);
}

static void finish(struct tool_parse *p)
{
	struct tool_table *t = p->state;
	size_t i = THRESHOLD;

	if (t->figure[MHZ] && t->columns)
		p->tool->hz = range_cut(t->figure[MHZ][0], HZ_PER_MHZ);
	while (i < FIGURES && (t->figure[i] || i == MHZ))
		i++;
	if (t->rows) {
		p->tool->tool = "sysjitter2";
		rt_oslat_table(p);
	} else if (i < FIGURES) {
		tool_report(p, "sysjitter: it has no row \"%s\"", rows[1 + i - THRESHOLD].key);
	} else {
		for (i = 0; i < t->columns; i++)
			fill(p, t, i);
		tool_threshold(p->tool, range_exact(t->figure[THRESHOLD][0]), TOOL_STATED);
	}
	tool_table_free(t);
}

const struct tool_format tool_sysjitter = {
	.name = "sysjitter",
	.opens = { "core_i:" },
	.command = "sysjitter",
	.state_bytes = sizeof(struct rt_table),
	.row = rows,
	.finish = finish,
};

/*
 * sysjitter's raw files (--raw PREFIX), one per core, with every interruption. The core
 * is in the file's name only: PREFIX.<core>. Times in ns come from whole MHz; the
 * interruption in cycles is exact.
 */
/* cycles / MHz in ns, where MHz was cut to a whole number. */
static struct range to_ns(uint64_t cycles, uint64_t mhz)
{
	uint64_t thousand = arith_times(cycles, 1000);

	return range_of(thousand / arith_sum(mhz, 1), arith_sum(thousand / mhz, 1));
}

/* Timestamp, delta, cycles, ns; --sort drops the delta. */
static void take_interruption(struct tool_parse *p)
{
	const struct tool_values *v = &p->v;
	struct tool_core *core = tool_core(p, tool_cpu_of_file(p->tool->file));
	struct range ns;

	if (!tool_or(v->mhz, 0)) {
		tool_wrong(p, p->row, "# cpu_mhz: and a number above 0 before it");
		return;
	}
	if (!core)
		return;
	ns = to_ns(v->last == TOOL_NONE ? v->first : v->second, v->mhz);
	tool_count(core, ns.low, ns.high, 1);
	++*(uint64_t *)p->state;
}

static const struct tool_row raw_rows[] = {
	{ "# cpu_mhz:", "%u(mhz)", NULL, 0 },
	{ "# threshold:", "%u(threshold)", NULL, 0 },
	{ "# n_interruptions:", "%u(recorded)$", NULL, 0 },
	{ "# total_runtime:%9(runtime) s$", "", NULL, 0 }, /* also in cycles */
	{ "%u", "%u(first) %u(second){ %u(last)}$", take_interruption, 0 },
	{ .key = NULL },
};

static void finish_raw(struct tool_parse *p)
{
	const struct tool_values *v = &p->v;
	uint64_t interruptions = *(const uint64_t *)p->state;
	struct tool_core *core = tool_core(p, tool_cpu_of_file(p->tool->file));

	if (!core || !tool_or(v->mhz, 0))
		return;
	if (tool_or(v->recorded, interruptions) != interruptions) {
		tool_report(p,
			    "sysjitter: its header counts %llu interruptions, but there are %llu",
			    (unsigned long long)v->recorded, (unsigned long long)interruptions);
		p->tool->notes |= TOOL_CUT;
	}
	tool_count_none(core);
	p->tool->hz = range_cut(v->mhz, HZ_PER_MHZ);
	if (v->runtime != TOOL_NONE)
		tool_exposure(core, range_exact(v->runtime), TOOL_STATED);
	if (v->threshold != TOOL_NONE)
		tool_threshold(p->tool, range_exact(v->threshold), TOOL_STATED);
}

const struct tool_format tool_sysjitter_raw = {
	.name = "sysjitter raw",
	.opens = { "# cpu_mhz:" },
	.state_bytes = sizeof(uint64_t), /* interruptions so far */
	.row = raw_rows,
	.finish = finish_raw,
};
