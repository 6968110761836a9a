/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysjitter's summary: a row per figure, a column per core. Times are cycles divided by
 * whole MHz, so they are up to one part in cpu_mhz too long. sysjitter2 (2.01), which
 * became oslat (0.1.0), begins like it and goes on with oslat's buckets.
 */
#include "rt_tests.h"

#include <string.h>

#define HZ_PER_MHZ 1000000

/* The rows that are used. */
enum row { ROW_THRESHOLD, ROW_MHZ, ROW_RUNTIME, ROW_COUNT, ROW_MAX, ROW_TOTAL, ROWS };

static const char *const names[ROWS] = {
	"threshold(ns):", "cpu_mhz:", "runtime(ns):", "int_n:", "int_max(ns):", "int_total(ns):",
};

struct sysjitter {
	struct tool_columns columns;
	uint64_t value[ROWS][TOOL_COLUMNS_MAX];
	bool has[ROWS];
	struct rt_table buckets;
};

/* Read a row that only sysjitter2 prints. False: it is no such row. *good: it is well-formed. */
static bool take_later(struct sysjitter *s, const char *line, bool *good)
{
	const char *at = line;

	s->buckets.columns = s->columns;
	if (strstr(line, "(us):"))
		*good = rt_table_row(&s->buckets, line);
	else if (scan_literal(&at, "maxlat:"))
		*good = rt_table_max(&s->buckets, at);
	else if (scan_literal(&at, "runtime:"))
		*good = rt_table_duration(&s->buckets, at);
	else
		return false;
	return true;
}

static void parse(struct tool_parse *p, const char *line)
{
	struct sysjitter *s = p->state;
	const char *at = line;
	bool known = scan_literal(&at, "core_i:"),
	     good = !known || tool_columns_read(&s->columns, at, &(const char *){ NULL });

	for (unsigned row = 0; row < ROWS && !known; row++) {
		at = line;
		known = scan_literal(&at, names[row]);
		if (known)
			good = s->has[row] = tool_columns_numbers(&s->columns, at, s->value[row]);
	}
	known = known || take_later(s, line, &good);
	p->tool->rows += known && good;
	if (!good)
		tool_wrong(p, line, "a number for each core");
}

/* cpu_mhz was cut to a whole number, so cycles last at least v * mhz / (mhz + 1). */
static struct range scaled(uint64_t ns, uint64_t mhz)
{
	return range_of(ns - (mhz ? ns / arith_sum(mhz, 1) + 1 : 0) * (ns != 0), ns);
}

/* The longest is part of the total, and that of the runtime. */
static bool contradicts(struct tool_parse *p, const struct sysjitter *s, size_t i)
{
	uint64_t runtime = s->value[ROW_RUNTIME][i], total = s->value[ROW_TOTAL][i];
	uint64_t longest = s->value[ROW_MAX][i];

	if (longest <= total && total <= runtime)
		return false;
	p->tool->notes |= TOOL_DAMAGED;
	tool_report(p,
		    "sysjitter: the figures of core %u contradict each other: runtime %llu, total "
		    "%llu, longest %llu ns",
		    s->columns.cpu[i], (unsigned long long)runtime, (unsigned long long)total,
		    (unsigned long long)longest);
	return true;
}

static void fill(struct tool_parse *p, const struct sysjitter *s, size_t i)
{
	uint64_t mhz = s->has[ROW_MHZ] ? s->value[ROW_MHZ][i] : 0;
	struct tool_core *core = contradicts(p, s, i) ? NULL : tool_core(p, s->columns.cpu[i]);

	if (!core)
		return;
	tool_exposure(core, range_exact(s->value[ROW_RUNTIME][i]), TOOL_STATED);
	core->events = range_exact(s->value[ROW_COUNT][i]);
	core->max_ns = scaled(s->value[ROW_MAX][i], mhz);
	core->sum_ns = scaled(s->value[ROW_TOTAL][i], mhz);
}

static void finish(struct tool_parse *p)
{
	struct sysjitter *s = p->state;

	if (s->buckets.rows) {
		p->tool->tool = "sysjitter2";
		rt_table_finish(p, &s->buckets, (struct rt_version){ 0 });
	}
	for (unsigned row = 0; row < ROWS && !s->buckets.rows; row++) {
		if (!s->has[row] && row != ROW_MHZ) {
			tool_report(p, "sysjitter: it has no row \"%s\"", names[row]);
			return;
		}
	}
	for (size_t i = 0; i < s->columns.count && !s->buckets.rows; i++)
		fill(p, s, i);
	if (!s->buckets.rows)
		tool_threshold(p->tool, range_exact(s->value[ROW_THRESHOLD][0]), TOOL_STATED);
	if (s->has[ROW_MHZ])
		p->tool->hz = range_cut(s->value[ROW_MHZ][0], HZ_PER_MHZ);
}

const struct tool_format tool_sysjitter = {
	.name = "sysjitter",
	.opening = "core_i:",
	.state_bytes = sizeof(struct sysjitter),
	.parse = parse,
	.finish = finish,
};

/*
 * sysjitter's raw files (--raw PREFIX), one per core, with every interruption. The core
 * is in the file's name only: PREFIX.<core>. Times in ns come from whole MHz; the
 * interruption in cycles is exact.
 */
#define S_DIGITS 9

struct raw {
	uint64_t mhz;
	struct maybe threshold_ns, interruptions, runtime_ns;
	uint64_t rows;
};

/* Seconds with decimals; the line in cycles of the same name is passed over. */
static bool take_runtime(const char *at, struct raw *r)
{
	uint64_t ns;

	if (strstr(at, "cycles") || !scan_fixed(&at, S_DIGITS, &ns))
		return true;
	r->runtime_ns = (struct maybe){ ns, true };
	return true;
}

static bool take_head(struct raw *r, const char *line)
{
	const char *at = line;

	if (scan_literal(&at, "# cpu_mhz:"))
		return scan_u64(&at, &r->mhz) && r->mhz;
	if (scan_literal(&at, "# threshold:"))
		return scan_maybe(&at, &r->threshold_ns);
	if (scan_literal(&at, "# n_interruptions:"))
		return scan_maybe(&at, &r->interruptions);
	if (scan_literal(&at, "# total_runtime:"))
		return take_runtime(at, r);
	return true;
}

/* Timestamp, delta, cycles, ns; --sort drops the delta. */
static bool read_row(const char *at, uint64_t *cycles)
{
	uint64_t n[4];
	size_t count = tool_numbers(at, n, 4);

	if (count < 3)
		return false;
	*cycles = n[count - 2];
	return true;
}

/* cycles / MHz in ns, where MHz was cut to a whole number. */
static struct range to_ns(uint64_t cycles, uint64_t mhz)
{
	uint64_t thousand = arith_times(cycles, 1000);

	return range_of(thousand / arith_sum(mhz, 1), arith_sum(thousand / mhz, 1));
}

static void parse_raw(struct tool_parse *p, const char *line)
{
	struct raw *r = p->state;
	struct tool_core *core;
	struct range ns;
	uint64_t cycles;

	if (*line == '#') {
		if (!take_head(r, line))
			tool_wrong(p, line, "a number above 0");
		return;
	}
	if (!scan_u64(&(const char *){ line }, &cycles))
		return;
	if (!r->mhz || !read_row(line, &cycles)) {
		tool_wrong(p, line, "timestamp, delta (if not sorted), cycles, ns");
		return;
	}
	core = tool_core(p, tool_cpu_of_file(p->tool->file));
	if (!core)
		return;
	ns = to_ns(cycles, r->mhz);
	tool_count(core, ns.low, ns.high, 1);
	r->rows++;
	p->tool->rows++;
}

static void finish_raw(struct tool_parse *p)
{
	struct raw *r = p->state;
	struct tool_core *core = tool_core(p, tool_cpu_of_file(p->tool->file));

	if (!core)
		return;
	if (r->interruptions.known && r->interruptions.value != r->rows) {
		tool_report(
			p, "sysjitter: its header counts %llu interruptions, but there are %llu",
			(unsigned long long)r->interruptions.value, (unsigned long long)r->rows);
		p->tool->notes |= TOOL_CUT;
	}
	tool_count_none(core);
	p->tool->hz = range_cut(r->mhz, HZ_PER_MHZ);
	if (r->runtime_ns.known)
		tool_exposure(core, range_exact(r->runtime_ns.value), TOOL_STATED);
	if (r->threshold_ns.known) {
		tool_threshold(p->tool, range_exact(r->threshold_ns.value), TOOL_STATED);
	}
}

const struct tool_format tool_sysjitter_raw = {
	.name = "sysjitter raw",
	.opening = "# cpu_mhz:",
	.state_bytes = sizeof(struct raw),
	.parse = parse_raw,
	.finish = finish_raw,
};
