/* SPDX-License-Identifier: BSD-2-Clause */
/* Noise seen by an OS, divided among the floor and what the OS added. */
#include "split.h"

#include "host/lib/exit.h"
#include "host/lib/memory.h"

#include "core/config/config.h"
#include "core/lib/arith.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void flag(struct split_result *s, enum split_flag which, bool holds)
{
	s->flags |= (uint32_t)holds << which;
}

/* Gaps of both are comparable from the longer of their thresholds on. */
static uint64_t common(const struct split_result *s, uint64_t threshold)
{
	return arith_max(s->floor->threshold_ns, threshold);
}

/* The core's own floor; that of all cores if the tool does not name the core. */
static struct floor_sum floor_of(const struct split_result *s, uint32_t cpu, uint64_t shortest,
				 uint64_t longest)
{
	const struct result_stage *stage = s->floor->stage;
	struct floor_sum sum = { 0 };

	for (size_t i = 0; i < stage->cpus; i++) {
		if (cpu == TOOL_ANY_CPU || stage->cpu[i].cpu == cpu)
			floor_add(&sum, &stage->cpu[i], shortest, longest);
	}
	return sum;
}

static void set_exposure(struct split_result *s, struct split_row *row,
			 const struct tool_core *core)
{
	const struct range shared = s->tool->shared_ns;
	uint64_t cores = s->floor->stage->cpus;

	row->figure[SPLIT_EXPOSURE] = core->exposure_ns;
	row->exposure_from = core->exposure_from;
	if (!row->figure[SPLIT_EXPOSURE].known && shared.known && cores) {
		row->figure[SPLIT_EXPOSURE] = range_of(shared.low / cores, shared.high / cores);
		row->exposure_from = TOOL_ASSUMED;
	}
	flag(s, SPLIT_EXPOSURE_UNKNOWN, !row->figure[SPLIT_EXPOSURE].known);
	flag(s, SPLIT_EXPOSURE_ASSUMED,
	     row->figure[SPLIT_EXPOSURE].known && row->exposure_from == TOOL_ASSUMED);
}

uint64_t split_exposure(const struct split_row *row)
{
	const struct range r = row->figure[SPLIT_EXPOSURE];

	return r.value.known ? r.value.value : r.low ? r.low : r.high;
}

/* Noise is part of the time watched. */
static void limit_noise(struct split_row *row)
{
	const struct range watched = row->figure[SPLIT_EXPOSURE];
	struct range *noise = &row->figure[SPLIT_NOISE];

	if (noise->known && row->exposure_from == TOOL_STATED && noise->high > watched.high)
		*noise = range_of(noise->low, arith_max(noise->low, watched.high));
}

/* The floor's part, within what the tool's figures allow. */
static void bound(struct split_result *s, struct split_row *row, const struct tool_core *core)
{
	const struct range threshold = s->tool->threshold_ns, noise = row->figure[SPLIT_NOISE];
	const struct range exposure = row->figure[SPLIT_EXPOSURE];
	uint64_t floor_threshold = s->floor->threshold_ns;
	/* A gap longer than the longest seen did not occur there. */
	uint64_t longest = row->figure[SPLIT_MAX].known ? row->figure[SPLIT_MAX].high : noise.high;
	struct floor_sum least = floor_of(s, row->cpu, common(s, threshold.high), longest);
	struct floor_sum most = floor_of(s, row->cpu, common(s, threshold.low), longest);
	/* One event may be a gap on each of the pooled cores. */
	double burst = s->floor->burst * (double)most.cores;
	struct range low = floor_expect(&least, burst, exposure, longest);
	struct range high = floor_expect(&most, burst, exposure, longest);
	const struct maybe expected = { low.value.value / 2 + high.value.value / 2 +
						(low.value.value % 2 + high.value.value % 2) / 2,
					true };

	if (threshold.low < floor_threshold) {
		/* Gaps shorter than the floor's records may still be the floor's. */
		uint64_t above = tool_sum_from(s->tool, core, floor_threshold);

		high.high = arith_sum(high.high, arith_less(noise.high, above));
	}
	flag(s, SPLIT_OTHER_CONDITIONS, low.low > noise.high);
	flag(s, SPLIT_FLOOR_ABOVE, expected.value > noise.high);
	/* The floor is part of the noise, and at most all of it. */
	row->figure[SPLIT_BELOW] = range_around(low.low > noise.high ? noise.low : low.low,
						expected, arith_min(high.high, noise.high));
	row->figure[SPLIT_ADDED] = range_less(noise, row->figure[SPLIT_BELOW]);
}

/*
 * Set the causes as the tool states them, as far as they are part of the noise. Returns their sum.
 */
static struct range set_causes(struct split_row *row, const struct tool *tool,
			       const struct tool_core *core)
{
	const struct range noise = row->figure[SPLIT_NOISE];
	uint64_t room = noise.known ? noise.high : RANGE_OPEN;
	struct range sum = range_exact(0);

	for (unsigned c = 0; c < TOOL_CAUSES; c++) {
		struct range ns = core->cause_ns[c];

		if (!ns.known)
			continue;
		if (c == TOOL_NMI && tool->notes & TOOL_NMI_ANYWHERE)
			ns.low = 0; /* may include NMIs of other cores */
		ns = range_of(arith_min(room, ns.low), arith_min(room, ns.high));
		room -= ns.low;
		sum = range_add(sum, ns);
		row->figure[SPLIT_CAUSE + c] = ns;
	}
	return sum;
}

/*
 * Compute the noise that neither the floor nor causes account for; handlers hit by the floor's gaps
 * count for both.
 */
static void divide(struct split_result *s, struct split_row *row, struct range causes)
{
	const struct range floor = row->figure[SPLIT_BELOW];
	const struct range left = range_less(row->figure[SPLIT_NOISE], causes);
	const struct maybe both = { arith_less(floor.value.value, left.value.value),
				    left.value.known };
	const struct maybe rest = { arith_less(left.value.value, floor.value.value),
				    left.value.known };
	uint64_t apart = arith_less(floor.low, causes.high);

	row->figure[SPLIT_IN_CAUSES] = range_around(arith_less(floor.low, left.high), both,
						    arith_min(floor.high, causes.high));
	row->figure[SPLIT_UNEXPLAINED] = range_around(
		arith_less(left.low, floor.high), rest,
		left.high == RANGE_OPEN ? RANGE_OPEN : arith_less(left.high, apart));
	flag(s, SPLIT_FLOOR_IN_CAUSES,
	     row->figure[SPLIT_IN_CAUSES].low || (both.known && both.value));
	for (unsigned c = 0; c < TOOL_CAUSES; c++)
		flag(s, SPLIT_CAUSES_NOT_STATED, !row->figure[SPLIT_CAUSE + c].known);
}

static bool is_divisible(const struct split_result *s, const struct split_row *row)
{
	return row->has_floor && row->figure[SPLIT_NOISE].known &&
	       row->figure[SPLIT_EXPOSURE].high && s->tool->threshold_ns.known &&
	       !(s->tool->notes & (TOOL_WAKEUP | TOOL_BLIND));
}

static void make_row(struct split_result *s, struct split_row *row, const struct tool_core *core)
{
	struct floor_sum floor = floor_of(s, core->cpu, 0, UINT64_MAX);
	const struct range *noise = &row->figure[SPLIT_NOISE];
	struct range causes;

	*row = (struct split_row){ .cpu = core->cpu,
				   .has_floor = floor.cores && floor.exposure_ns > 0 };
	row->figure[SPLIT_NOISE] = core->sum_ns;
	row->figure[SPLIT_MAX] = core->max_ns;
	if (row->has_floor)
		row->figure[SPLIT_BELOW_MAX] = range_exact(floor.max_ns);
	if (!(s->tool->notes & TOOL_WAKEUP))
		set_exposure(s, row, core);
	limit_noise(row);
	causes = set_causes(row, s->tool, core);
	flag(s, SPLIT_CORES_APART, !row->has_floor);
	flag(s, SPLIT_FLOOR_LONGER,
	     row->has_floor && core->max_ns.known && core->max_ns.high < floor.max_ns);
	if (!is_divisible(s, row))
		return;
	row->split = true;
	bound(s, row, core);
	divide(s, row, causes);
	flag(s, SPLIT_SHORT_FLOOR, (double)split_exposure(row) > floor.exposure_ns);
	/* Truncation to us may leave a hundredth. */
	flag(s, SPLIT_NOISE_BOUNDS,
	     noise->high == RANGE_OPEN || noise->high - noise->low > noise->low / 100);
}

/* One event may hit all cores, so bounds are added, whatever the cores share. */
static void add_row(struct split_row *all, const struct split_row *row, bool first)
{
	for (enum split_figure f = 0; f < SPLIT_FIGURES; f++) {
		bool longest = f == SPLIT_MAX || f == SPLIT_BELOW_MAX;

		all->figure[f] = longest ? range_max(all->figure[f], row->figure[f])
					 : range_add(all->figure[f], row->figure[f]);
	}
	all->exposure_from = first || row->exposure_from < all->exposure_from ? row->exposure_from
									      : all->exposure_from;
	all->has_floor = all->split = true;
}

/* Two measurements of one TSC differ by less than 1 in so many. */
#define CLOCKS_APART 100 /* 1 % */

/* Compare the floor's rate of the TSC with the tool's, which is cut to MHz or so. */
static bool has_other_clock(uint64_t floor_hz, struct range hz)
{
	return floor_hz && hz.known &&
	       (hz.high < floor_hz - floor_hz / CLOCKS_APART ||
		hz.low > arith_sum(floor_hz, floor_hz / CLOCKS_APART));
}

/* Compare by the best identification there is; under Linux only root can read a UUID. */
static bool is_other_machine(const struct floor *floor, const struct tool *tool)
{
	const struct result_identity *of = &floor->of;

	if (of->uuid[0] && tool->uuid[0])
		return strcasecmp(of->uuid, tool->uuid) != 0;
	if (of->machine[0] && tool->machine[0] && strcmp(of->machine, tool->machine) != 0)
		return true;
	return floor->run->has_begin && has_other_clock(floor->run->begin.clock.hz, tool->hz);
}

static void flag_floor(struct split_result *s)
{
	const struct floor *floor = s->floor;
	const char *hypervisor = floor->run->begin.hypervisor;

	flag(s, SPLIT_FLOOR_CUT, !floor->run->has_end);
	flag(s, SPLIT_FLOOR_DAMAGED, floor->run->has_end && !result_is_whole(floor->run));
	flag(s, SPLIT_FLOOR_CLOCK, floor->clock_wrong);
	flag(s, SPLIT_STAGE,
	     strcmp(floor->stage_name, config_stage_name(STAGE_HANDOFF)) != 0 &&
		     strcmp(floor->stage_name, config_stage_name(STAGE_LINUX)) != 0);
	flag(s, SPLIT_RUNS, floor->runs > 1);
	flag(s, SPLIT_HYPERVISOR, hypervisor && *hypervisor);
	flag(s, SPLIT_OTHER_MACHINE, is_other_machine(floor, s->tool));
}

static void flag_threshold(struct split_result *s)
{
	const struct range threshold = s->tool->threshold_ns;

	if (!threshold.known || (s->tool->notes & TOOL_WAKEUP))
		return;
	flag(s, SPLIT_THRESHOLD_ASSUMED, s->tool->threshold_from == TOOL_ASSUMED);
	flag(s, SPLIT_THRESHOLD_HIGHER, threshold.high > s->floor->threshold_ns);
	flag(s, SPLIT_THRESHOLD_LOWER, threshold.low < s->floor->threshold_ns);
}

/*
 * Widen the causes' sums by a core whose tool does not state the cause: all of its unexplained
 * noise may be of any cause.
 */
static void widen_causes(struct split_row *all, const struct split_row *row)
{
	for (unsigned c = 0; c < TOOL_CAUSES; c++) {
		struct range *cause = &all->figure[SPLIT_CAUSE + c];

		if (cause->known && !row->figure[SPLIT_CAUSE + c].known)
			*cause = range_of(
				cause->low,
				arith_sum(cause->high, row->figure[SPLIT_UNEXPLAINED].high));
	}
}

static void sum_up(struct split_result *s)
{
	for (size_t i = 0; i < s->rows; i++) {
		if (!s->row[i].split)
			continue;
		add_row(&s->all, &s->row[i], !s->has_all);
		s->has_all = true;
	}
	for (size_t i = 0; i < s->rows; i++) {
		if (s->row[i].split)
			widen_causes(&s->all, &s->row[i]);
	}
}

/* Cores of the floor that the tool did not measure. */
static bool leaves_cores_out(const struct split_result *s)
{
	const struct result_stage *stage = s->floor->stage;

	for (size_t i = 0; i < stage->cpus && !tool_find(s->tool, TOOL_ANY_CPU); i++) {
		if (!tool_find(s->tool, stage->cpu[i].cpu))
			return true;
	}
	return false;
}

static bool has_common_core(const struct split_result *s)
{
	for (size_t i = 0; i < s->rows; i++) {
		if (s->row[i].has_floor)
			return true;
	}
	return false;
}

void split_make(struct split_result *s, const struct floor *floor, const struct tool *tool,
		bool force)
{
	*s = (struct split_result){ .floor = floor, .tool = tool, .rows = tool->cores };
	s->row = memory_new(tool->cores, sizeof(*s->row));
	flag_floor(s);
	/* Outputs with services only have no threshold and no noise. */
	if (tool->cores || !tool->services)
		flag_threshold(s);
	for (size_t i = 0; i < tool->cores; i++)
		make_row(s, &s->row[i], &tool->core[i]);
	if (tool->cores || !tool->services) {
		flag(s, SPLIT_CORES_APART, leaves_cores_out(s));
		flag(s, SPLIT_NO_COMMON_CORE, !has_common_core(s));
	}
	flag(s, SPLIT_NO_CALLS, tool->services && !floor->calls);
	s->refused = s->flags & SPLIT_REFUSE && !force;
	if (!s->refused)
		sum_up(s);
	split_words_find(s);
}

void split_free(struct split_result *s)
{
	findings_free(&s->cores);
	findings_free(&s->services);
	findings_free(&s->limits);
	free(s->row);
	*s = (struct split_result){ 0 };
}

int split_exit_code(const struct split_result *s)
{
	const uint32_t partial = 1u << SPLIT_FLOOR_CUT | 1u << SPLIT_FLOOR_DAMAGED;

	if (s->refused)
		return EXIT_ERROR;
	if (s->flags & partial || s->tool->notes & (TOOL_CUT | TOOL_DAMAGED))
		return EXIT_INCOMPLETE;
	return EXIT_PASS;
}

struct split_result *split_make_all(const struct floor *floor, const struct tool_list *tools,
				    bool force, int *code)
{
	struct split_result *split = memory_new(tools->count, sizeof(*split));

	*code = EXIT_PASS;
	for (size_t i = 0; i < tools->count; i++) {
		split_make(&split[i], floor, &tools->at[i], force);
		*code = exit_worst(*code, split_exit_code(&split[i]));
	}
	return split;
}

void split_free_all(struct split_result *split, size_t count)
{
	for (size_t i = 0; i < count; i++)
		split_free(&split[i]);
	free(split);
}
