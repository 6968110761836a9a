/* SPDX-License-Identifier: BSD-2-Clause */
/* How a window begins on all cores at once, and ends. */
#pragma once

#include "team.h"

struct window_order {
	struct team *team;
	struct platform_window *plan;
	uint64_t length; /* ticks */
	uint64_t lead;   /* ticks from the word to start to the first sample: window_lead() */
};

/* That of a platform. */
uint64_t window_lead(const struct platform *p);

/* What the plan needs to gather by the order, a struct window_order that outlives the window. */
void window_plan(struct platform_window *plan, const struct platform *p,
		 struct window_order *order);

/* Within a task: wait until all cores of the round are ready, and the bounds are set. */
void window_gather(struct cpu *cpu, struct window_order *order);

/* While a window runs: it ends at this tick of the boot core's TSC. */
void window_end_at(const struct platform *p, struct platform_window *plan, uint64_t end);
