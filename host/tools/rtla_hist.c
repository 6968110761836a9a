/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `rtla osnoise hist`: how many noises fell into each bucket, a column per core that had any. A
 * bucket's name is its lower edge, and so are min and max; the bucket size is not printed,
 * only that all edges are multiples of it. avg is 0 in versions up to 6.1 and not used. Where no
 * bucket has a noise, nothing follows "over:", "count:" and the others; since 6.11 one 0 does. With
 * --no-header the cores are not named; with --no-summary "over:" is the last line.
 */
#include "tool_format.h"
#include "host/lib/memory.h"

#include <stdlib.h>
#include <string.h>

/* What it watches of each period by default. */
#define DEFAULT_PERIOD_NS  NS_PER_S
#define DEFAULT_RUNTIME_NS NS_PER_S

struct row {
	uint64_t edge_us;
	uint64_t *count; /* per column */
};

struct hist {
	uint64_t duration_ns;
	struct tool_columns columns;
	struct row *row;
	size_t rows;
	uint64_t bucket[TOOL_COLUMNS_MAX]; /* the row in hand */
	uint64_t over[TOOL_COLUMNS_MAX], count[TOOL_COLUMNS_MAX], max_us[TOOL_COLUMNS_MAX];
	bool has_over, has_count, has_max;
};

/* # Duration:   0 00:01:00, after days */
static void take_duration(struct hist *h, const char *at)
{
	uint64_t s;

	if (scan_past(&at, "Duration:") && tool_take_days(&at, &s))
		h->duration_ns = arith_times(s, NS_PER_S);
}

/* Index   CPU-000   CPU-001; no second one without its title. */
static bool take_head(struct hist *h, const char *at)
{
	static const char *const words[] = { "CPU-", NULL };

	return !h->columns.count && tool_columns_read(&h->columns, at, words);
}

/* A number per column; nothing, or one 0, where no bucket has any. */
static bool take_numbers(const struct hist *h, const char *at, uint64_t *number)
{
	uint64_t all = 0;

	if (tool_columns_numbers(&h->columns, at, number))
		return true;
	if (h->rows || (scan_end(at) && h->columns.count))
		return false;
	if (!scan_end(at) && !scan_u64(&at, &all))
		return false;
	memset(number, 0, h->columns.count * sizeof(*number));
	return !all && scan_end(at);
}

static bool take_bucket(struct hist *h, const char *at, uint64_t edge_us)
{
	uint64_t *count;

	if ((h->rows && edge_us <= h->row[h->rows - 1].edge_us) || !take_numbers(h, at, h->bucket))
		return false;
	count = memory_copy(h->bucket, h->columns.count, sizeof(*count));
	*MEMORY_ADD(h->row, h->rows) = (struct row){ edge_us, count };
	return true;
}

static bool take_line(struct tool_parse *p, const char *at)
{
	struct hist *h = p->state;
	uint64_t edge_us;

	if (p->tool->stated.no_header && !h->columns.count)
		tool_columns_unnamed(&h->columns, at);
	if (scan_literal(&at, "Index"))
		return scan_end(at) || take_head(h, at);
	if (scan_literal(&at, "over:"))
		return h->has_over = take_numbers(h, at, h->over) || scan_end(at);
	if (scan_literal(&at, "count:"))
		return h->has_count = take_numbers(h, at, h->count);
	if (scan_literal(&at, "max:"))
		return h->has_max = take_numbers(h, at, h->max_us);
	if (scan_literal(&at, "min:") || scan_literal(&at, "avg:"))
		return true;
	if (scan_u64(&at, &edge_us))
		return h->columns.count ? take_bucket(h, at, edge_us) : scan_end(at);
	return false;
}

/* One of its own, as far as it can be recognised. */
static bool is_row(const char *at)
{
	static const char *const names[] = { "Index", "over:", "count:", "min:", "avg:", "max:" };
	uint64_t edge;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (scan_literal(&at, names[i]))
			return true;
	}
	return scan_u64(&at, &edge) && (*at == ' ' || !*at);
}

static void parse(struct tool_parse *p, const char *line)
{
	struct hist *h = p->state;

	if (strstr(line, "events missed")) {
		p->tool->notes |= TOOL_LOST;
	} else if (*line == '#') {
		take_duration(h, line);
	} else if (!scan_end(line) && !h->has_max) {
		if (take_line(p, line))
			p->tool->rows++;
		else if (is_row(line))
			tool_wrong(p, line,
				   "Index, an edge, over:, count:, min:, avg: or max:, and a "
				   "number for each core");
	}
}

/*
 * From a bucket's lower edge to the longest in it, ns: all edges are multiples of the size, which
 * is not bounded where only 0 is seen.
 */
static uint64_t width_ns(const struct hist *h)
{
	uint64_t size = 0;

	for (size_t i = 0; i < h->rows; i++)
		size = arith_divisor(h->row[i].edge_us, size);
	for (size_t i = 0; i < h->columns.count && h->has_max; i++)
		size = arith_divisor(h->max_us[i], size);
	return size ? arith_times(size, NS_PER_US) - 1 : RANGE_OPEN;
}

/* Noises past the last bucket: one of them is the longest. */
static void count_over(const struct hist *h, size_t column, uint64_t width, struct tool_core *core)
{
	uint64_t edge = h->rows ? arith_times(h->row[h->rows - 1].edge_us, NS_PER_US) : 0;
	uint64_t low = h->rows && width != RANGE_OPEN ? arith_sum(arith_sum(edge, width), 1) : edge;
	uint64_t max = arith_times(h->max_us[column], NS_PER_US), high = arith_sum(max, width);

	if (!h->over[column])
		return;
	if (!h->has_max) {
		tool_count(core, low, RANGE_OPEN, h->over[column]);
		return;
	}
	tool_count(core, max, high, 1);
	tool_count(core, arith_min(low, max), high, h->over[column] - 1);
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

	if (!ran || s->exposure_ns.known)
		return;
	if (!s->has_command)
		low = arith_min(core->sum_ns.low, likely.value);
	tool_exposure(core, range_around(low, likely, high),
		      s->period_ns.known || s->runtime_ns.known ? TOOL_STATED : TOOL_ASSUMED);
}

/* It is named, so it had noises: all past the last bucket, where nothing is printed then. */
static void fill_over(struct tool_parse *p, struct tool_core *core)
{
	tool_report(p,
		    "rtla osnoise hist: all noises of core %u are past the last bucket, and not "
		    "counted",
		    core->cpu);
	core->events = range_of(1, RANGE_OPEN);
	core->sum_ns = core->max_ns = range_of(OSNOISE_THRESHOLD_NS, RANGE_OPEN);
}

static void fill(struct tool_parse *p, const struct hist *h, size_t column, uint64_t width)
{
	struct tool_core *core = tool_core(p, h->columns.cpu[column]);
	uint64_t events = h->over[column];

	if (!core)
		return;
	tool_count_none(core);
	for (size_t i = 0; i < h->rows; i++) {
		uint64_t low = arith_times(h->row[i].edge_us, NS_PER_US);

		events = arith_sum(events, h->row[i].count[column]);
		/* Shorter than the threshold there is none. */
		tool_count(core, arith_max(low, OSNOISE_THRESHOLD_NS),
			   arith_max(arith_sum(low, width), OSNOISE_THRESHOLD_NS),
			   h->row[i].count[column]);
	}
	count_over(h, column, width, core);
	if (h->has_count && h->has_over && events != h->count[column]) {
		tool_report(p,
			    "rtla osnoise hist: buckets hold %llu in column %zu, its count is %llu",
			    (unsigned long long)events, column + 1,
			    (unsigned long long)h->count[column]);
		p->tool->notes |= TOOL_DAMAGED;
	}
	if (h->has_count && !h->rows && !core->events.high)
		fill_over(p, core);
	if (core->cpu != TOOL_ANY_CPU)
		set_exposure(p->tool, h, core);
}

static void fill_quiet(struct tool_parse *p, const struct hist *h, uint32_t cpu)
{
	struct tool_core *core = tool_core(p, cpu);

	tool_count_none(core);
	if (cpu != TOOL_ANY_CPU)
		set_exposure(p->tool, h, core);
}

/* Cores without a noise are not named: those that were asked for, or any. */
static void fill_unnamed(struct tool_parse *p, const struct hist *h)
{
	const struct tool_stated *s = &p->tool->stated;

	if (!h->has_over || !h->has_count)
		return;
	if (!p->tool->cores && !s->has_cpus)
		fill_quiet(p, h, TOOL_ANY_CPU);
	for (uint32_t cpu = 0; s->has_cpus && cpu < CPULIST_MAX; cpu++) {
		if (cpulist_has(&s->cpus, cpu) && !tool_find(p->tool, cpu))
			fill_quiet(p, h, cpu);
	}
}

static void finish(struct tool_parse *p)
{
	struct hist *h = p->state;
	uint64_t width = width_ns(h);

	for (size_t i = 0; i < h->columns.count; i++)
		fill(p, h, i, width);
	fill_unnamed(p, h);
	if (!h->has_over || !(h->has_max || p->tool->stated.no_summary))
		p->tool->notes |= TOOL_CUT;
	tool_threshold(p->tool, range_of(OSNOISE_THRESHOLD_NS, OSNOISE_THRESHOLD_OLD_NS),
		       TOOL_ASSUMED);
	for (size_t i = 0; i < h->rows; i++)
		free(h->row[i].count);
	free(h->row);
}

const struct tool_format tool_rtla_hist = {
	.name = "rtla osnoise hist",
	.opening = "# RTLA osnoise histogram",
	.state_bytes = sizeof(struct hist),
	.parse = parse,
	.finish = finish,
};
