/* SPDX-License-Identifier: BSD-2-Clause */
/* Noise seen by an OS, divided among the floor and what the OS added. */
#include "split.h"

#include "host/lib/exit.h"
#include "host/lib/memory.h"

#include "core/lib/arith.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HANDOFF "handoff"

static void flag(struct split_result *s, enum split_flag which)
{
	s->flags |= 1u << which;
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

	row->exposure_ns = core->exposure_ns;
	row->exposure_from = core->exposure_from;
	if (!row->exposure_ns.known && shared.known) {
		row->exposure_ns = range_of(shared.low / cores, shared.high / cores);
		row->exposure_from = TOOL_ASSUMED;
	}
	if (!row->exposure_ns.known)
		flag(s, SPLIT_EXPOSURE_UNKNOWN);
	else if (row->exposure_from == TOOL_ASSUMED)
		flag(s, SPLIT_EXPOSURE_ASSUMED);
}

/* The floor's part, within what the tool's figures allow. */
static void bound(struct split_result *s, struct split_row *row, const struct tool_core *core)
{
	const struct range threshold = s->tool->threshold_ns;
	uint64_t floor_threshold = s->floor->threshold_ns;
	/* A gap longer than the longest seen did not occur there. */
	uint64_t longest = row->max_ns.known ? row->max_ns.high : row->noise_ns.high;
	struct floor_sum least = floor_of(s, row->cpu, common(s, threshold.high), longest);
	struct floor_sum most = floor_of(s, row->cpu, common(s, threshold.low), longest);
	/* One event may be a gap on each of the pooled cores. */
	double burst = s->floor->burst * (double)most.cores;
	struct floor_share low = floor_expect(&least, burst, row->exposure_ns, longest);
	struct floor_share high = floor_expect(&most, burst, row->exposure_ns, longest);

	row->expected_ns = high.expected_ns / 2 + low.expected_ns / 2 +
			   (high.expected_ns % 2 + low.expected_ns % 2) / 2;
	row->bounds_ns = range_of(low.bounds_ns.low, high.bounds_ns.high);
	if (threshold.low < floor_threshold) {
		/* Gaps shorter than the floor's records may still be the floor's. */
		struct range above = tool_sum_from(s->tool, core, floor_threshold);

		row->bounds_ns.high = arith_sum(row->bounds_ns.high,
						arith_less(row->noise_ns.high, above.low));
	}
	if (row->bounds_ns.low > row->noise_ns.high)
		flag(s, SPLIT_OTHER_CONDITIONS);
	row->bounds_ns.low = arith_min(row->bounds_ns.low, row->noise_ns.high);
	row->bounds_ns.high = arith_min(row->bounds_ns.high, row->noise_ns.high);
	row->added_ns = range_less(row->noise_ns, row->bounds_ns);
}

/* The columns: causes as stated, the floor up to what these leave, the rest. */
static void divide(struct split_result *s, struct split_row *row, const struct tool_core *core)
{
	uint64_t left = row->noise_ns.low;

	for (unsigned c = 0; c < SPLIT_CAUSES; c++) {
		uint64_t ns = arith_min(left, core->cause[c].ns.low);

		if (!core->cause[c].ns.known) {
			flag(s, SPLIT_CAUSES_NOT_STATED);
			continue;
		}
		row->cause_ns[c] = range_exact(ns);
		left -= ns;
	}
	row->floor_ns = arith_min(left, row->expected_ns);
	row->unexplained_ns = left - row->floor_ns;
	if (row->floor_ns < arith_min(row->expected_ns, row->noise_ns.low))
		flag(s, SPLIT_FLOOR_IN_CAUSES);
	if (row->expected_ns > row->noise_ns.high)
		flag(s, SPLIT_FLOOR_ABOVE);
}

static bool is_divisible(const struct split_result *s, const struct split_row *row)
{
	return row->has_floor && row->noise_ns.known && row->exposure_ns.known &&
	       row->exposure_ns.high && s->tool->threshold_ns.known &&
	       !(s->tool->notes & (TOOL_WAKEUP | TOOL_BLIND));
}

static void make_row(struct split_result *s, struct split_row *row, const struct tool_core *core)
{
	struct floor_sum floor = floor_of(s, core->cpu, 0, UINT64_MAX);

	*row = (struct split_row){ .cpu = core->cpu,
				   .noise_ns = core->sum_ns,
				   .max_ns = core->max_ns,
				   .has_floor = floor.cores && floor.exposure_ns > 0,
				   .floor_max_ns = floor.max_ns };
	if (!row->has_floor) {
		flag(s, SPLIT_CORES_APART);
		return;
	}
	if (row->max_ns.known && row->max_ns.high < row->floor_max_ns)
		flag(s, SPLIT_FLOOR_LONGER);
	if (!(s->tool->notes & TOOL_WAKEUP))
		set_exposure(s, row, core);
	if (!is_divisible(s, row))
		return;
	row->split = true;
	bound(s, row, core);
	divide(s, row, core);
	if (row->exposure_ns.low > floor.exposure_ns)
		flag(s, SPLIT_SHORT_FLOOR);
	/* Truncation to us may leave a hundredth. */
	if (row->noise_ns.high == RANGE_OPEN ||
	    row->noise_ns.high - row->noise_ns.low > row->noise_ns.low / 100)
		flag(s, SPLIT_NOISE_BOUNDS);
}

/* One event may hit all cores, so bounds are added, whatever the cores share. */
static void add_row(struct split_row *all, const struct split_row *row, bool first)
{
	all->exposure_ns = range_add(all->exposure_ns, row->exposure_ns);
	all->exposure_from = first || row->exposure_from < all->exposure_from ? row->exposure_from
									      : all->exposure_from;
	all->noise_ns = range_add(all->noise_ns, row->noise_ns);
	all->max_ns = range_max(all->max_ns, row->max_ns);
	all->floor_max_ns = arith_max(all->floor_max_ns, row->floor_max_ns);
	all->floor_ns = arith_sum(all->floor_ns, row->floor_ns);
	for (unsigned c = 0; c < SPLIT_CAUSES; c++) {
		bool known = row->cause_ns[c].known && (first || all->cause_ns[c].known);

		all->cause_ns[c] = range_add(all->cause_ns[c], row->cause_ns[c]);
		all->cause_ns[c].known = known;
	}
	all->unexplained_ns = arith_sum(all->unexplained_ns, row->unexplained_ns);
	all->expected_ns = arith_sum(all->expected_ns, row->expected_ns);
	all->bounds_ns = range_add(all->bounds_ns, row->bounds_ns);
	all->added_ns = range_add(all->added_ns, row->added_ns);
	all->has_floor = all->split = true;
}

/* By the best identification; only root may read a UUID under Linux. */
static bool is_other_machine(const struct result_identity *of, const struct tool *tool)
{
	if (of->uuid[0] && tool->uuid[0])
		return strcasecmp(of->uuid, tool->uuid) != 0;
	return of->machine[0] && tool->machine[0] && strcmp(of->machine, tool->machine) != 0;
}

static void flag_floor(struct split_result *s)
{
	const struct floor *floor = s->floor;
	const char *hypervisor = floor->run->begin.hypervisor;

	if (!floor->run->has_end)
		flag(s, SPLIT_FLOOR_CUT);
	else if (!result_is_whole(floor->run))
		flag(s, SPLIT_FLOOR_DAMAGED);
	if (floor->clock_wrong)
		flag(s, SPLIT_FLOOR_CLOCK);
	if (strcmp(floor->stage_name, HANDOFF) != 0)
		flag(s, SPLIT_STAGE);
	if (floor->runs > 1)
		flag(s, SPLIT_RUNS);
	if (hypervisor && *hypervisor)
		flag(s, SPLIT_HYPERVISOR);
	if (is_other_machine(&floor->of, s->tool))
		flag(s, SPLIT_OTHER_MACHINE);
}

static void flag_threshold(struct split_result *s)
{
	const struct range threshold = s->tool->threshold_ns;

	if (!threshold.known || (s->tool->notes & TOOL_WAKEUP))
		return;
	if (s->tool->threshold_from == TOOL_ASSUMED)
		flag(s, SPLIT_THRESHOLD_ASSUMED);
	if (threshold.high > s->floor->threshold_ns)
		flag(s, SPLIT_THRESHOLD_HIGHER);
	if (threshold.low < s->floor->threshold_ns)
		flag(s, SPLIT_THRESHOLD_LOWER);
}

/* A cause's sum is known where it is of every core that was split; else it is unexplained. */
static void sum_up(struct split_result *s)
{
	for (size_t i = 0; i < s->rows; i++) {
		if (!s->row[i].split)
			continue;
		add_row(&s->all, &s->row[i], !s->has_all);
		s->has_all = true;
	}
	for (unsigned c = 0; c < SPLIT_CAUSES; c++) {
		struct range *cause = &s->all.cause_ns[c];

		if (cause->known)
			continue;
		s->all.unexplained_ns = arith_sum(s->all.unexplained_ns, cause->low);
		*cause = (struct range){ 0 };
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

static bool is_refused(const struct split_result *s)
{
	for (unsigned f = 0; f < SPLIT_FLAGS; f++) {
		if (s->flags >> f & 1 && split_flag_refuses((enum split_flag)f))
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
	flag_threshold(s);
	for (size_t i = 0; i < tool->cores; i++)
		make_row(s, &s->row[i], &tool->core[i]);
	if (leaves_cores_out(s))
		flag(s, SPLIT_CORES_APART);
	if (!has_common_core(s))
		flag(s, SPLIT_NO_COMMON_CORE);
	s->refused = is_refused(s) && !force;
	if (!s->refused)
		sum_up(s);
}

void split_free(struct split_result *s)
{
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
