/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `rtla timerlat top` and `hist`: how late a timer's interrupt, a kernel thread and, with -u, a
 * user's thread were, per core. Like cyclictest's, these bound the longest gap from above. Of a
 * redrawn table the last row of a core counts; "-" stands where there is no sample.
 */
#include "tool_format.h"
#include "tool_frame.h"

#include <string.h>

#define CONTEXTS 3 /* interrupt, thread, user */

struct timerlat {
	uint64_t unit_ns;
	struct tool_columns columns; /* of the histogram */
	struct maybe count[TOOL_COLUMNS_MAX], max[TOOL_COLUMNS_MAX];
	struct maybe value[TOOL_COLUMNS_MAX];                       /* of a bucket */
	uint64_t counted[TOOL_COLUMNS_MAX], edge[TOOL_COLUMNS_MAX]; /* the last that is not empty */
	struct maybe over[TOOL_COLUMNS_MAX];
	uint64_t last, width; /* edge of the last row; greatest common divisor of all edges */
	struct maybe all_max; /* of all cores of a table, which has a row for them */
	bool has_over, has_max, all;
};

/* A number, or none. */
static bool take_value(const char **at, struct maybe *m)
{
	*m = (struct maybe){ 0 };
	return scan_literal(at, "-") || scan_maybe(at, m);
}

/* "| cur min avg max" of one context. */
static bool take_context(const char **at, struct maybe *max)
{
	if (!scan_literal(at, "|"))
		return false;
	for (unsigned i = 0; i < 4; i++) {
		if (!take_value(at, max))
			return false;
	}
	return true;
}

/* Its title; or a row without one, which may be broken behind its first context. */
static enum tool_match find_top(const char *line, const char **at)
{
	const char *rest;
	struct maybe max;

	*at = tool_frame_title(line, "Timer Latency");
	if (*at)
		return TOOL_OPENING;
	*at = tool_find_row(line, &rest);
	return tool_match_at(*at && take_context(&rest, &max) ? *at : NULL, TOOL_BODY);
}

static void start(struct tool_parse *p)
{
	((struct timerlat *)p->state)->unit_ns = NS_PER_US;
}

static void take_unit(struct timerlat *t, const char *line)
{
	if (strstr(line, "(ns)"))
		t->unit_ns = 1;
}

/* Of up to three contexts the longest. */
static bool take_contexts(const char *at, struct maybe *max)
{
	struct maybe value;
	size_t contexts = 0;

	for (; contexts < CONTEXTS && take_context(&at, &value); contexts++) {
		if (value.known && (!max->known || value.value > max->value))
			*max = value;
	}
	return contexts >= 2 && scan_end(at);
}

/* "  0 00:00:12   |          IRQ Timer Latency (us) ..." */
static void take_drawn(struct tool *tool, const char *at)
{
	struct maybe *s = &tool->drawn_s;
	uint64_t value;

	if (tool_take_days(&at, &value) && scan_literal(&at, "|"))
		*s = (struct maybe){ value, true };
}

/* "ALL #49287  e0 |                  0         1        21 |                  2 ..." */
static void take_all(struct timerlat *t, const char *at)
{
	for (at = strchr(at, '|'); at; at = strchr(at, '|')) {
		struct maybe max = { 0 };

		at++;
		for (unsigned i = 0; i < 3; i++) {
			if (!take_value(&at, &max))
				return;
		}
		if (max.known && (!t->all_max.known || max.value > t->all_max.value))
			t->all_max = max;
	}
}

/* "  1 #12322     |        0         0         1        15 |       10         3 ..." */
static void parse_top(struct tool_parse *p, const char *line)
{
	const struct timerlat *t = p->state;
	struct maybe max = { 0 };
	struct tool_core *core;
	const char *at = line;
	uint64_t count;
	uint32_t cpu;

	take_unit(p->state, line);
	take_drawn(p->tool, line);
	if (scan_literal(&at, "ALL #"))
		take_all(p->state, at);
	if (!scan_u32(&at, &cpu) || !scan_literal(&at, "#"))
		return;
	if (!scan_u64(&at, &count) || !take_contexts(at, &max)) {
		tool_wrong(p, line, "CPU #COUNT | CUR MIN AVG MAX | CUR MIN AVG MAX");
		return;
	}
	/* A second row of a core is another table's. */
	if (tool_find(p->tool, cpu)) {
		p->rest = line;
		return;
	}
	core = tool_core(p, cpu);
	if (!core)
		return;
	core->events = range_exact(count);
	if (max.known)
		core->max_ns = range_cut(max.value, t->unit_ns);
	p->tool->rows++;
}

/* The worst row may have been cut, which that of all cores shows. */
static void finish_top(struct tool_parse *p)
{
	const struct timerlat *t = p->state;
	struct range longest = { 0 }, all;

	for (size_t i = 0; i < p->tool->cores; i++)
		longest = range_max(longest, p->tool->core[i].max_ns);
	if (!t->all_max.known)
		return;
	all = range_cut(t->all_max.value, t->unit_ns);
	if (longest.known && longest.low >= all.low)
		return;
	tool_core(p, TOOL_ANY_CPU)->max_ns = all;
	p->tool->notes |= TOOL_PART_LISTED;
}

static bool take_values(const struct timerlat *t, const char *at, struct maybe *value)
{
	for (size_t i = 0; i < t->columns.count; i++) {
		if (!take_value(&at, &value[i]))
			return false;
	}
	return t->columns.count && scan_end(at);
}

/* "4             8       200      1000": an edge, and a count for each context. */
static bool take_bucket(struct timerlat *t, const char *at, uint64_t edge)
{
	if (!take_values(t, at, t->value))
		return false;
	for (size_t i = 0; i < t->columns.count; i++) {
		t->counted[i] = arith_sum(t->counted[i], t->value[i].value);
		if (t->value[i].value)
			t->edge[i] = edge;
	}
	t->last = edge;
	t->width = arith_divisor(edge, t->width);
	return true;
}

static void parse_hist(struct tool_parse *p, const char *line)
{
	static const char *const contexts[] = { "IRQ-", "Thr-", "Usr-", NULL };
	struct timerlat *t = p->state;
	const char *at = line;
	bool good = true;
	uint64_t edge;

	if (*line == '#')
		take_unit(t, line);
	if (p->tool->stated.no_header && !t->columns.count)
		tool_columns_unnamed(&t->columns, line);
	t->all = t->all || scan_literal(&at, "ALL:");
	if (t->all)
		return;
	/* Index   IRQ-000   Thr-000   Usr-000 */
	if (scan_literal(&at, "Index"))
		good = tool_columns_read(&t->columns, at, contexts);
	else if (scan_literal(&at, "over:"))
		good = t->has_over = take_values(t, at, t->over);
	else if (scan_literal(&at, "count:"))
		good = take_values(t, at, t->count);
	else if (scan_literal(&at, "max:"))
		good = t->has_max = take_values(t, at, t->max);
	else if (!t->has_over && scan_u64(&at, &edge) && (*at == ' ' || !*at))
		good = take_bucket(t, at, edge);
	else
		return;
	p->tool->rows += good;
	if (!good)
		tool_wrong(p, line,
			   "Index, an edge, count: or max:, and a number for each context");
}

/* The longest latency with --no-summary: within its bucket, or anything past the last bucket. */
static struct range max_of(const struct timerlat *t, size_t column)
{
	uint64_t low = t->over[column].value ? t->last : t->edge[column];
	bool bounded = t->width && !t->over[column].value;

	return range_of(arith_times(low, t->unit_ns),
			bounded ? arith_times(arith_sum(low, t->width), t->unit_ns) - 1
				: RANGE_OPEN);
}

/* All contexts of a core have the same wake-ups. A column without a head may be of any core. */
static void fill_hist(struct tool_parse *p, size_t column)
{
	const struct timerlat *t = p->state;
	struct tool_core *core = tool_core(p, t->columns.cpu[column]);
	uint64_t count = t->has_max ? t->count[column].value
				    : arith_sum(t->counted[column], t->over[column].value);

	if (!core || (t->has_max && !t->count[column].known))
		return;
	core->events = range_max(core->events,
				 range_of(count, core->cpu == TOOL_ANY_CPU ? RANGE_OPEN : count));
	if (t->max[column].known)
		core->max_ns = range_max(core->max_ns, range_cut(t->max[column].value, t->unit_ns));
	else if (!t->has_max && count)
		core->max_ns = range_max(core->max_ns, max_of(t, column));
}

static void finish_hist(struct tool_parse *p)
{
	struct timerlat *t = p->state;

	if (p->tool->stated.no_header && p->tool->stated.ns)
		t->unit_ns = 1;
	if (!t->has_over) {
		tool_cut(p, "\"over:\"");
		return;
	}
	if (!t->has_max && !p->tool->stated.no_summary) {
		tool_cut(p, "\"max:\"");
		return;
	}
	for (size_t i = 0; i < t->columns.count; i++)
		fill_hist(p, i);
}

const struct tool_format tool_timerlat_top = {
	.name = "rtla timerlat top",
	.find = find_top,
	.sums = true,
	.state_bytes = sizeof(struct timerlat),
	.notes = TOOL_WAKEUP,
	.start = start,
	.parse = parse_top,
	.finish = finish_top,
};

const struct tool_format tool_timerlat_hist = {
	.name = "rtla timerlat hist",
	.opening = "# RTLA timerlat histogram",
	.state_bytes = sizeof(struct timerlat),
	.notes = TOOL_WAKEUP,
	.start = start,
	.parse = parse_hist,
	.finish = finish_hist,
};
