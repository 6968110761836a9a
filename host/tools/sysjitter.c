/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysjitter's summary: a row per figure, a column per core. Times are cycles divided by
 * whole MHz, so they are up to one part in cpu_mhz too long. sysjitter2 (2.01), which
 * became oslat (0.1.0), begins like it and goes on with oslat's buckets.
 */
#include "rt_tests.h"

#include <string.h>

#define HZ_PER_MHZ 1000000

/* The rows that are used; the last two are sysjitter2's. */
enum row { THRESHOLD, MHZ, RUNTIME, COUNT, MAX, TOTAL, MAXLAT, DURATION };

static const struct tool_table_form form = {
	.head = "core_i:",
	.bucket = "(us):",
	.digits = 3,
	.figure = { { .name = "threshold(ns):" },
		    { .name = "cpu_mhz:" },
		    { .name = "runtime(ns):" },
		    { .name = "int_n:" },
		    { .name = "int_max(ns):" },
		    { .name = "int_total(ns):" },
		    { "maxlat:", "(us)", 3 },
		    { "runtime:", "(sec)", 9 } },
};

static void parse(struct tool_parse *p, const char *line)
{
	tool_table_take(p, p->state, &form, line);
}

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
			    "sysjitter: the figures of core %u contradict each other: runtime "
			    "%llu, total %llu, longest %llu ns",
			    t->cpu[i], (unsigned long long)runtime, (unsigned long long)total,
			    (unsigned long long)longest);
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
	size_t i = 0;

	if (t->figure[MHZ] && t->columns)
		p->tool->hz = range_cut(t->figure[MHZ][0], HZ_PER_MHZ);
	while (i <= TOTAL && (t->figure[i] || i == MHZ))
		i++;
	if (t->rows) {
		p->tool->tool = "sysjitter2";
		rt_oslat_table(p, t, t->figure[MAXLAT], t->figure[DURATION],
			       (struct rt_version){ 0 });
	} else if (i <= TOTAL) {
		tool_report(p, "sysjitter: it has no row \"%s\"", form.figure[i].name);
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
	.state_bytes = sizeof(struct tool_table),
	.parse = parse,
	.finish = finish,
};

/*
 * sysjitter's raw files (--raw PREFIX), one per core, with every interruption. The core
 * is in the file's name only: PREFIX.<core>. Times in ns come from whole MHz; the
 * interruption in cycles is exact.
 */
struct raw {
	uint64_t mhz, threshold_ns, interruptions, runtime_ns, rows;
};

static void start_raw(struct tool_parse *p)
{
	*(struct raw *)p->state = (struct raw){ 0, TOOL_NONE, TOOL_NONE, TOOL_NONE, 0 };
}

/* cycles / MHz in ns, where MHz was cut to a whole number. */
static struct range to_ns(uint64_t cycles, uint64_t mhz)
{
	uint64_t thousand = arith_times(cycles, 1000);

	return range_of(thousand / arith_sum(mhz, 1), arith_sum(thousand / mhz, 1));
}

/* Timestamp, delta, cycles, ns; --sort drops the delta. */
static void take_interruption(struct tool_parse *p, const uint64_t *n)
{
	struct raw *r = p->state;
	struct tool_core *core = tool_core(p, tool_cpu_of_file(p->tool->file));
	struct range ns;

	if (!r->mhz) {
		tool_wrong(p, p->row, "# cpu_mhz: and a number above 0 before it");
		return;
	}
	ns = to_ns(n[3] == TOOL_NONE ? n[1] : n[2], r->mhz);
	tool_count(core, ns.low, ns.high, 1);
	r->rows++;
}

#define STATE(member) NULL, offsetof(struct raw, member)

static const struct tool_row raw_rows[] = {
	{ "# cpu_mhz:", "%u", STATE(mhz) },
	{ "# threshold:", "%u", STATE(threshold_ns) },
	{ "# n_interruptions:", "%u$", STATE(interruptions) },
	{ "# total_runtime:%9 s$", "", STATE(runtime_ns) }, /* also in cycles */
	{ "%u", "%u %u{ %u}$", take_interruption, 0 },
	{ .key = NULL },
};

static void finish_raw(struct tool_parse *p)
{
	struct raw *r = p->state;
	struct tool_core *core = tool_core(p, tool_cpu_of_file(p->tool->file));

	if (!core || !r->mhz)
		return;
	if (r->interruptions != TOOL_NONE && r->interruptions != r->rows) {
		tool_report(p,
			    "sysjitter: its header counts %llu interruptions, but there are %llu",
			    (unsigned long long)r->interruptions, (unsigned long long)r->rows);
		p->tool->notes |= TOOL_CUT;
	}
	tool_count_none(core);
	p->tool->hz = range_cut(r->mhz, HZ_PER_MHZ);
	if (r->runtime_ns != TOOL_NONE)
		tool_exposure(core, range_exact(r->runtime_ns), TOOL_STATED);
	if (r->threshold_ns != TOOL_NONE)
		tool_threshold(p->tool, range_exact(r->threshold_ns), TOOL_STATED);
}

const struct tool_format tool_sysjitter_raw = {
	.name = "sysjitter raw",
	.opens = { "# cpu_mhz:" },
	.state_bytes = sizeof(struct raw),
	.start = start_raw,
	.row = raw_rows,
	.finish = finish_raw,
};
