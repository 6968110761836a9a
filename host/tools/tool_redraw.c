/* SPDX-License-Identifier: BSD-2-Clause */
/* Two tables of one run, or of two. Where that is not certain, two: each holds by itself. */
#include "tool_redraw.h"

#include "host/lib/memory.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"

#include <stdlib.h>
#include <string.h>

/* rtla draws once a second; a slow console may miss some. */
#define STEP_MOST_S 5

static bool has_fallen(struct range before, struct range now)
{
	return now.low < before.low;
}

static bool any_fallen(const struct tool_core *before, const struct tool_core *now)
{
	for (unsigned c = 0; c < TOOL_CAUSES; c++) {
		if (has_fallen(before->cause[c].events, now->cause[c].events))
			return true;
	}
	return has_fallen(before->events, now->events) ||
	       has_fallen(before->exposure_ns, now->exposure_ns) ||
	       has_fallen(before->sum_ns, now->sum_ns) || has_fallen(before->max_ns, now->max_ns);
}

/*
 * Noise is part of the time that passed since, and a new maximum is part of that noise. Latencies
 * have no sum: their maximum rises only where the tables' time does.
 */
static bool can_follow(const struct tool_core *before, const struct tool_core *now, bool later)
{
	uint64_t passed = now->exposure_ns.low - before->exposure_ns.low;
	uint64_t noise = now->sum_ns.low - before->sum_ns.low;

	if (any_fallen(before, now))
		return false;
	if (!now->exposure_ns.known || !now->sum_ns.known)
		return later || now->max_ns.low == before->max_ns.low;
	return noise <= passed &&
	       (now->max_ns.low == before->max_ns.low || now->max_ns.low <= noise);
}

static bool is_step(uint64_t before_s, uint64_t now_s)
{
	return now_s >= before_s && now_s - before_s <= STEP_MOST_S;
}

/* As far as the tables have their time; else by the time that a core was watched. */
static bool is_in_time(const struct tool *before, const struct tool *now,
		       const struct tool_core *core, const struct tool_core *core_now)
{
	if (before->drawn_s.known && now->drawn_s.known)
		return is_step(before->drawn_s.value, now->drawn_s.value);
	return !core ||
	       is_step(core->exposure_ns.low / NS_PER_S, core_now->exposure_ns.low / NS_PER_S);
}

bool tool_redraw_follows(const struct tool *before, const struct tool *now)
{
	bool later = now->drawn_s.known && before->drawn_s.known &&
		     now->drawn_s.value > before->drawn_s.value;
	bool common = false;

	if (strcmp(before->tool, now->tool) != 0)
		return false;
	for (size_t i = 0; i < now->cores; i++) {
		const struct tool_core *core_now = &now->core[i];
		const struct tool_core *core = tool_find(before, core_now->cpu);

		if (!core)
			continue;
		common = true;
		if (!can_follow(core, core_now, later) || !is_in_time(before, now, core, core_now))
			return false;
	}
	return common || (!now->cores && is_in_time(before, now, NULL, NULL));
}

void tool_redraw_take_over(struct tool *now, struct tool *before)
{
	for (size_t i = 0; i < before->cores; i++) {
		struct tool_core *core = &before->core[i];

		if (!tool_find(now, core->cpu))
			*MEMORY_ADD(now->core, now->cores) = *core;
	}
	now->line = before->line;
	now->stated = before->stated;
	now->notes |= before->notes;
	now->wrong += before->wrong;
	now->rows += before->rows;
	memcpy(now->command, before->command, sizeof(now->command));
	free(before->core);
}
