/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `rtla osnoise hist` and `rtla timerlat hist`: how many noises, or latencies, fell into each
 * bucket, a column per core that had any, or per context of it. A bucket's name is its lower edge,
 * and so are osnoise's min and max; the bucket size is not printed, only that all edges are
 * multiples of it. avg is 0 in versions up to 6.1 and not used. Where no bucket has a noise,
 * nothing follows "over:", "count:" and the others; since 6.11 one 0 does. With --no-summary
 * "over:" is the last line.
 */
#include "tool_format.h"

/* Default period, and the time watched in it: all of it. */
#define DEFAULT_NS NS_PER_S

enum figure { OVER, COUNT, MAX };

/*
 * `quiet`: TOOL_QUIET, or 0 where each column has a number in any case. `max`: the pattern of the
 * longest, which timerlat prints as "-" where it counted nothing.
 */
#define ROWS(quiet, max)                                                      \
	{ "# Duration:", "%u(days) %u(hours):%u(minutes):%u(s)", NULL, 0 },   \
		{ "# Time unit is *(ns)", "%!(in_ns)", NULL, 0 },             \
		{ "%u (", "%u%%) events missed", tool_take_note, TOOL_LOST }, \
		{ "Index", "@$", tool_take_head, quiet },                     \
		{ "over:", "@$", tool_take_figure, OVER | (quiet) },          \
		{ "count:", "@$", tool_take_figure, COUNT | (quiet) },        \
		{ "max:", max, tool_take_figure, MAX | (quiet) },             \
	{                                                                     \
		"%u(first)", "@$", tool_take_bucket, 0                        \
	}

static const struct tool_row noise_rows[] = { ROWS(TOOL_QUIET, "@$"), { .key = NULL } };
static const struct tool_row latency_rows[] = { ROWS(0, "@m$"), { .key = NULL } };

/* "max:" is followed by a summary of all cores, and other output of rtla. */
static void rtla_hist_parse(struct tool_parse *p, const char *line)
{
	if (!((struct tool_table *)p->state)->figure[MAX])
		tool_take_row(p, p->format->row, line);
}

static uint64_t duration_ns(const struct tool_values *v)
{
	uint64_t hours = arith_sum(arith_times(tool_or(v->days, 0), 24), tool_or(v->hours, 0));
	uint64_t minutes = arith_sum(arith_times(hours, 60), tool_or(v->minutes, 0));

	return arith_times(arith_sum(arith_times(minutes, 60), tool_or(v->s, 0)), NS_PER_S);
}

static uint64_t part_of(uint64_t ns, uint64_t runtime, uint64_t period)
{
	return (uint64_t)((unsigned __int128)ns * arith_min(runtime, period) / period);
}

/* The time it ran is known to 1 s; where its command is not, it watched as long as it saw noise. */
static void set_exposure(const struct tool_parse *p, struct tool_core *core)
{
	const struct tool_stated *s = &p->tool->stated;
	uint64_t period = s->period_ns ?: DEFAULT_NS;
	uint64_t runtime = s->runtime_ns ?: DEFAULT_NS;
	uint64_t ran = duration_ns(&p->v) ?: s->duration_ns;
	uint64_t high = part_of(arith_sum(ran, NS_PER_S), runtime, period);
	uint64_t low = part_of(arith_less(ran, NS_PER_S), runtime, period);
	const struct maybe likely = { part_of(ran, runtime, period), true };

	if (!ran || s->exposure_ns || core->cpu == TOOL_ANY_CPU)
		return;
	if (!s->has_command)
		low = arith_min(core->sum_ns.low, likely.value);
	tool_exposure(core, range_around(low, likely, high),
		      s->period_ns || s->runtime_ns ? TOOL_STATED : TOOL_ASSUMED);
}

/* The number of a row in a column; TOOL_NONE where it has none. */
static uint64_t figure_of(const struct tool_table *t, enum figure figure, size_t column)
{
	return t->figure[figure] ? t->figure[figure][column] : TOOL_NONE;
}

/*
 * From a bucket's lower edge to the longest in it, ns: all edges are multiples of the size, and so
 * is osnoise's longest. It is not bounded where only 0 is seen.
 */
static uint64_t width_ns(const struct tool_table *t, uint64_t unit_ns)
{
	uint64_t size = 0;

	for (size_t i = 0; i < t->rows; i++)
		size = arith_divisor(t->row[i].label, size);
	for (size_t i = 0; i < t->columns && t->figure[MAX]; i++)
		size = arith_divisor(t->figure[MAX][i], size);
	return size ? arith_times(size, unit_ns) - 1 : RANGE_OPEN;
}

/* ---- Noise ---- */

/* Noises past the last bucket: one of them is the longest. */
static void count_over(const struct tool_table *t, size_t column, uint64_t width,
		       struct tool_core *core)
{
	uint64_t edge = t->rows ? arith_times(t->row[t->rows - 1].label, NS_PER_US) : 0;
	uint64_t low = t->rows && width != RANGE_OPEN ? arith_sum(arith_sum(edge, width), 1) : edge;
	uint64_t over = tool_or(figure_of(t, OVER, column), 0), high = RANGE_OPEN;

	if (over && t->figure[MAX]) {
		uint64_t max = arith_times(t->figure[MAX][column], NS_PER_US);

		high = arith_sum(max, width);
		tool_count(core, max, high, 1);
		low = arith_min(low, max);
		over--;
	}
	tool_count(core, low, high, over);
}

static void fill_noise(struct tool_parse *p, const struct tool_table *t, size_t column,
		       uint64_t width)
{
	struct tool_core *core = tool_core(p, t->cpu[column]);
	uint64_t count = figure_of(t, COUNT, column);

	for (size_t i = 0; i < t->rows; i++) {
		uint64_t low = arith_times(t->row[i].label, NS_PER_US);

		/* Shorter than the threshold there is none. */
		tool_count(core, arith_max(low, OSNOISE_THRESHOLD_NS),
			   arith_max(arith_sum(low, width), OSNOISE_THRESHOLD_NS),
			   t->row[i].count[column]);
	}
	count_over(t, column, width, core);
	if (count != TOOL_NONE && t->figure[OVER] && core->events.high != count)
		tool_refuse(p,
			    "rtla osnoise hist: buckets hold %llu in column %zu, its count is %llu",
			    (unsigned long long)core->events.high, column + 1,
			    (unsigned long long)count);
	/* A core that is named had noises: past the last bucket, where nothing is printed then. */
	if (count != TOOL_NONE && !t->rows && !core->events.high) {
		tool_report(p,
			    "rtla osnoise hist: all noises of core %u are past the last bucket, "
			    "and not counted",
			    core->cpu);
		core->events = range_of(1, RANGE_OPEN);
		core->sum_ns = core->max_ns = range_of(OSNOISE_THRESHOLD_NS, RANGE_OPEN);
	}
}

static void finish_noise(struct tool_parse *p)
{
	const struct tool_stated *s = &p->tool->stated;
	struct tool_table *t = p->state;
	uint64_t width = width_ns(t, NS_PER_US);

	for (size_t i = 0; i < t->columns; i++)
		fill_noise(p, t, i, width);
	/* Cores without a noise are not named: those that were asked for, or any. */
	if (t->figure[OVER] && t->figure[COUNT]) {
		if (s->has_cpus)
			tool_cores(p, &s->cpus);
		if (!p->tool->cores)
			tool_core(p, TOOL_NONE);
	}
	for (size_t i = 0; i < p->tool->cores; i++)
		set_exposure(p, &p->tool->core[i]);
	if (!t->figure[OVER] || !(t->figure[MAX] || s->no_summary))
		p->tool->notes |= TOOL_CUT;
	tool_threshold(p->tool, range_of(OSNOISE_THRESHOLD_NS, OSNOISE_THRESHOLD_OLD_NS),
		       TOOL_ASSUMED);
	tool_table_free(t);
}

const struct tool_format tool_rtla_hist = {
	.name = "rtla osnoise hist",
	.opens = { "# RTLA osnoise histogram" },
	.command = "osnoise hist",
	.state_bytes = sizeof(struct tool_table),
	.complete = true,
	.row = noise_rows,
	.parse = rtla_hist_parse,
	.finish = finish_noise,
};

/* ---- Latencies ---- */

/* The longest with --no-summary: within the last bucket that has any, or past the last bucket. */
static struct range longest_of(const struct tool_table *t, size_t column, uint64_t unit_ns,
			       uint64_t width)
{
	bool over = t->figure[OVER][column];
	uint64_t low = 0;

	for (size_t i = 0; i < t->rows; i++) {
		if (over || t->row[i].count[column])
			low = arith_times(t->row[i].label, unit_ns);
	}
	return range_of(low, over ? RANGE_OPEN : arith_sum(low, width));
}

/* All contexts of a core have the same wake-ups. */
static void fill_latency(struct tool_parse *p, const struct tool_table *t, size_t column,
			 uint64_t unit_ns, uint64_t width)
{
	struct tool_core *core = tool_core(p, t->cpu[column]);
	uint64_t count = t->figure[OVER][column];
	uint64_t max = figure_of(t, MAX, column);

	for (size_t i = 0; i < t->rows; i++)
		count = arith_sum(count, t->row[i].count[column]);
	if (t->figure[MAX])
		count = tool_or(figure_of(t, COUNT, column), count);
	core->events = range_max(core->events, range_exact(count));
	if (max != TOOL_NONE)
		core->max_ns = range_max(core->max_ns, range_cut(max, unit_ns));
	else if (!t->figure[MAX] && count)
		core->max_ns = range_max(core->max_ns, longest_of(t, column, unit_ns, width));
}

static void finish_latency(struct tool_parse *p)
{
	struct tool_table *t = p->state;
	uint64_t unit_ns = p->v.in_ns == TOOL_NONE ? NS_PER_US : 1, width = width_ns(t, unit_ns);

	if (!t->figure[OVER])
		tool_cut(p, "\"over:\"");
	else if (!t->figure[MAX] && !p->tool->stated.no_summary)
		tool_cut(p, "\"max:\"");
	for (size_t i = 0; i < t->columns && !(p->tool->notes & TOOL_CUT); i++)
		fill_latency(p, t, i, unit_ns, width);
	tool_table_free(t);
}

const struct tool_format tool_timerlat_hist = {
	.name = "rtla timerlat hist",
	.opens = { "# RTLA timerlat histogram" },
	.command = "timerlat hist",
	.state_bytes = sizeof(struct tool_table),
	.notes = TOOL_WAKEUP,
	.row = latency_rows,
	.parse = rtla_hist_parse,
	.finish = finish_latency,
};
