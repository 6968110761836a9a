/* SPDX-License-Identifier: BSD-2-Clause */
/* The start of a window on all cores at once, and its end. */
#pragma once

#include "run.h"

/* Let the windows of the run's plan gather its team. */
void window_plan(struct run *r);

/*
 * Within a task: wait until all cores of the round are ready, and the bounds of the run's plan are
 * set.
 */
void window_gather(struct cpu *cpu, void *run);

/* End a running window at this tick of the boot core's TSC. */
void window_end_at(const struct platform *p, struct platform_window *plan, uint64_t end);
