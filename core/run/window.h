/* SPDX-License-Identifier: BSD-2-Clause */
/* The start of a window on all cores at once, and its end. */
#pragma once

#include "team.h"

struct window_order {
	struct team *team;
	struct platform_window *plan;
	uint64_t length; /* ticks */
	uint64_t lead;   /* ticks from "go" to the first sample: window_lead() */
};

/* Ticks from the order to the first sample. */
uint64_t window_lead(const struct platform *p);

/* Prepare a plan that gathers by `order`, which must outlive the window. */
void window_plan(struct platform_window *plan, const struct platform *p,
		 struct window_order *order);

/* Within a task: wait until all cores of the round are ready, and the bounds are set. */
void window_gather(struct cpu *cpu, struct window_order *order);

/* End a running window at this tick of the boot core's TSC. */
void window_end_at(const struct platform *p, struct platform_window *plan, uint64_t end);
