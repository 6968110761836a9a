/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `rtla osnoise hist` and `rtla timerlat hist`: how many noises, or latencies, fell into each
 * bucket, a column per core that had any, or per context of it. A bucket's name is its lower edge,
 * and so are osnoise's min and max; the bucket size is not printed, only that all edges are
 * multiples of it. avg is 0 in versions up to 6.1 and not used. Where no bucket has a noise,
 * nothing follows "over:", "count:" and the others; since 6.11 one 0 does. With --no-summary
 * "over:" is the last line.
 */
#include "tool_table.h"

#include <string.h>

/* What it watches of each period by default. */
#define DEFAULT_PERIOD_NS  NS_PER_S
#define DEFAULT_RUNTIME_NS NS_PER_S

enum figure { OVER, COUNT, MAX };

struct hist {
	uint64_t duration_ns;
	uint64_t ns; /* true: by its head */
	bool all;    /* a summary of all cores has begun, which is not used */
	struct tool_table table;
};

static const struct tool_table_form noise_form = {
	.head = "Index",
	.word = { "CPU-" },
	.bucket = "",
	.quiet = true,
	.figure = { { .name = "over:" }, { .name = "count:" }, { .name = "max:" } },
};

static const struct tool_table_form latency_form = {
	.head = "Index",
	.word = { "IRQ-", "Thr-", "Usr-" },
	.bucket = "",
	.figure = { { .name = "over:" }, { .name = "count:" }, { .name = "max:" } },
};

static void take_duration(struct tool_parse *p, const uint64_t *n)
{
	uint64_t hours = arith_sum(arith_times(n[0], 24), n[1]);

	((struct hist *)p->state)->duration_ns = arith_times(
		arith_sum(arith_times(hours, 3600), arith_sum(arith_times(n[2], 60), n[3])),
		NS_PER_S);
}

static void parse(struct tool_parse *p, const char *line)
{
	static const struct tool_row rows[] = {
		{ "# Duration:", "%u %u:%u:%u", take_duration, 0 },
		{ "# Time unit is *(ns)", "", NULL, offsetof(struct hist, ns) },
		{ "%u (", "%u%%) events missed", tool_take_note, TOOL_LOST },
		{ .key = NULL },
	};
	struct hist *h = p->state;
	struct tool_table *t = &h->table;
	const struct tool_table_form *form = p->format->notes ? &latency_form : &noise_form;
	const char *at = line;

	h->all = h->all || scan_literal(&at, "ALL:");
	if (!h->all && !t->figure[MAX] && !tool_take_row(p, rows, line))
		tool_table_take(p, t, form, line);
}

static uint64_t part_of(uint64_t ns, uint64_t runtime, uint64_t period)
{
	return (uint64_t)((unsigned __int128)ns * arith_min(runtime, period) / period);
}

/* The time it ran is known to 1 s; where its command is not, it watched as long as it saw noise. */
static void set_exposure(const struct tool *tool, const struct hist *h, struct tool_core *core)
{
	const struct tool_stated *s = &tool->stated;
	uint64_t period = s->period_ns.known ? s->period_ns.value : DEFAULT_PERIOD_NS;
	uint64_t runtime = s->runtime_ns.known ? s->runtime_ns.value : DEFAULT_RUNTIME_NS;
	uint64_t ran = h->duration_ns ? h->duration_ns : s->duration_ns.value;
	uint64_t high = part_of(arith_sum(ran, NS_PER_S), runtime, period);
	uint64_t low = part_of(arith_less(ran, NS_PER_S), runtime, period);
	const struct maybe likely = { part_of(ran, runtime, period), true };

	if (!ran || s->exposure_ns.known || core->cpu == TOOL_ANY_CPU)
		return;
	if (!s->has_command)
		low = arith_min(core->sum_ns.low, likely.value);
	tool_exposure(core, range_around(low, likely, high),
		      s->period_ns.known || s->runtime_ns.known ? TOOL_STATED : TOOL_ASSUMED);
}

/* ---- Noise ---- */

/*
 * From a bucket's lower edge to the longest in it, ns: all edges are multiples of the size, which
 * is not bounded where only 0 is seen.
 */
static uint64_t width_ns(const struct tool_table *t)
{
	uint64_t size = 0;

	for (size_t i = 0; i < t->rows; i++)
		size = arith_divisor(t->row[i].label, size);
	for (size_t i = 0; i < t->columns && t->figure[MAX]; i++)
		size = arith_divisor(t->figure[MAX][i], size);
	return size ? arith_times(size, NS_PER_US) - 1 : RANGE_OPEN;
}

/* Noises past the last bucket: one of them is the longest. */
static void count_over(const struct tool_table *t, size_t column, uint64_t width,
		       struct tool_core *core)
{
	uint64_t edge = t->rows ? arith_times(t->row[t->rows - 1].label, NS_PER_US) : 0;
	uint64_t low = t->rows && width != RANGE_OPEN ? arith_sum(arith_sum(edge, width), 1) : edge;
	uint64_t over = t->figure[OVER] ? t->figure[OVER][column] : 0, max, high;

	if (!over || !t->figure[MAX]) {
		tool_count(core, low, RANGE_OPEN, over);
		return;
	}
	max = arith_times(t->figure[MAX][column], NS_PER_US);
	high = arith_sum(max, width);
	tool_count(core, max, high, 1);
	tool_count(core, arith_min(low, max), high, over - 1);
}

static void fill_noise(struct tool_parse *p, const struct hist *h, size_t column, uint64_t width)
{
	const struct tool_table *t = &h->table;
	struct tool_core *core = tool_core(p, t->cpu[column]);
	uint64_t count = t->figure[COUNT] ? t->figure[COUNT][column] : 0;

	if (!core)
		return;
	for (size_t i = 0; i < t->rows; i++) {
		uint64_t low = arith_times(t->row[i].label, NS_PER_US);

		/* Shorter than the threshold there is none. */
		tool_count(core, arith_max(low, OSNOISE_THRESHOLD_NS),
			   arith_max(arith_sum(low, width), OSNOISE_THRESHOLD_NS),
			   t->row[i].count[column]);
	}
	count_over(t, column, width, core);
	tool_count_none(core);
	if (t->figure[COUNT] && t->figure[OVER] && core->events.high != count) {
		tool_report(p,
			    "rtla osnoise hist: buckets hold %llu in column %zu, its count is %llu",
			    (unsigned long long)core->events.high, column + 1,
			    (unsigned long long)count);
		p->tool->notes |= TOOL_DAMAGED;
	}
	/* It is named, so it had noises: past the last bucket, where nothing is printed then. */
	if (t->figure[COUNT] && !t->rows && !core->events.high) {
		tool_report(p,
			    "rtla osnoise hist: all noises of core %u are past the last bucket, "
			    "and not counted",
			    core->cpu);
		core->events = range_of(1, RANGE_OPEN);
		core->sum_ns = core->max_ns = range_of(OSNOISE_THRESHOLD_NS, RANGE_OPEN);
	}
	set_exposure(p->tool, h, core);
}

/* Cores without a noise are not named: those that were asked for, or any. */
static void fill_unnamed(struct tool_parse *p, const struct hist *h)
{
	const struct tool_stated *s = &p->tool->stated;

	if (!h->table.figure[OVER] || !h->table.figure[COUNT])
		return;
	if (!p->tool->cores && !s->has_cpus)
		tool_count_none(tool_core(p, TOOL_ANY_CPU));
	for (uint32_t cpu = 0; s->has_cpus && cpu < CPULIST_MAX; cpu++) {
		struct tool_core *core;

		if (!cpulist_has(&s->cpus, cpu) || tool_find(p->tool, cpu))
			continue;
		core = tool_core(p, cpu);
		tool_count_none(core);
		set_exposure(p->tool, h, core);
	}
}

static void finish_noise(struct tool_parse *p)
{
	struct hist *h = p->state;
	struct tool_table *t = &h->table;
	uint64_t width = width_ns(t);

	for (size_t i = 0; i < t->columns; i++)
		fill_noise(p, h, i, width);
	fill_unnamed(p, h);
	if (!t->figure[OVER] || !(t->figure[MAX] || p->tool->stated.no_summary))
		p->tool->notes |= TOOL_CUT;
	tool_threshold(p->tool, range_of(OSNOISE_THRESHOLD_NS, OSNOISE_THRESHOLD_OLD_NS),
		       TOOL_ASSUMED);
	tool_table_free(t);
}

const struct tool_format tool_rtla_hist = {
	.name = "rtla osnoise hist",
	.opens = { "# RTLA osnoise histogram" },
	.command = "osnoise hist",
	.state_bytes = sizeof(struct hist),
	.parse = parse,
	.finish = finish_noise,
};

/* ---- Latencies ---- */

/* The longest with --no-summary: within the last bucket that has any, or past the last bucket. */
static struct range longest_of(const struct hist *h, size_t column, uint64_t width)
{
	const struct tool_table *t = &h->table;
	uint64_t unit_ns = h->ns ? 1 : NS_PER_US, low = 0;
	bool over = t->figure[OVER][column];

	for (size_t i = 0; i < t->rows; i++) {
		if (over || t->row[i].count[column])
			low = t->row[i].label;
	}
	return range_of(arith_times(low, unit_ns),
			width && !over ? arith_times(arith_sum(low, width), unit_ns) - 1
				       : RANGE_OPEN);
}

/* All contexts of a core have the same wake-ups. */
static void fill_latency(struct tool_parse *p, const struct hist *h, size_t column, uint64_t width)
{
	const struct tool_table *t = &h->table;
	struct tool_core *core = tool_core(p, t->cpu[column]);
	uint64_t count = t->figure[OVER][column];

	for (size_t i = 0; i < t->rows; i++)
		count = arith_sum(count, t->row[i].count[column]);
	if (t->figure[MAX] && t->figure[COUNT])
		count = t->figure[COUNT][column];
	if (!core || count == TOOL_NONE)
		return;
	core->events = range_max(core->events, range_exact(count));
	if (!t->figure[MAX] && count)
		core->max_ns = range_max(core->max_ns, longest_of(h, column, width));
	else if (t->figure[MAX] && t->figure[MAX][column] != TOOL_NONE)
		core->max_ns = range_max(core->max_ns,
					 range_cut(t->figure[MAX][column], h->ns ? 1 : NS_PER_US));
}

static void finish_latency(struct tool_parse *p)
{
	struct hist *h = p->state;
	struct tool_table *t = &h->table;
	uint64_t width = 0;

	for (size_t i = 0; i < t->rows; i++)
		width = arith_divisor(t->row[i].label, width);
	if (!t->figure[OVER])
		tool_cut(p, "\"over:\"");
	else if (!t->figure[MAX] && !p->tool->stated.no_summary)
		tool_cut(p, "\"max:\"");
	for (size_t i = 0; i < t->columns && !(p->tool->notes & TOOL_CUT); i++)
		fill_latency(p, h, i, width);
	tool_table_free(t);
}

const struct tool_format tool_timerlat_hist = {
	.name = "rtla timerlat hist",
	.opens = { "# RTLA timerlat histogram" },
	.command = "timerlat hist",
	.state_bytes = sizeof(struct hist),
	.notes = TOOL_WAKEUP,
	.parse = parse,
	.finish = finish_latency,
};
