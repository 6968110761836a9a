/* SPDX-License-Identifier: BSD-2-Clause */
/* The bounds of a window, which the boot core chooses when all others are ready. */
#include "window.h"

#include "core/lib/ticks.h"

#include <stdatomic.h>

/* Time from "go" to the first tick, in which the cores must see it and leave their PAUSE. */
#define LEAD_NS            50000
#define LEAD_NS_PER_CPU    1000 /* a cache line that all read moves from core to core */
#define LEAD_NS_HYPERVISOR 2000000
#define START_TRIES        3

void window_end_at(const struct platform *p, struct platform_window *plan, uint64_t end)
{
	atomic_store(&plan->end, end);
	/* The others wait for the team's `go`, which is stored after these. */
	for (uint32_t i = 0; i < plan->cpus; i++)
		if (p->cpu[i].tsc_offset)
			atomic_store_explicit(&p->cpu[i].end, end + (uint64_t)p->cpu[i].tsc_offset,
					      memory_order_relaxed);
}

static uint64_t window_lead(const struct platform *p)
{
	uint64_t lead = p->hypervisor && p->cpus > 1 ? LEAD_NS_HYPERVISOR : LEAD_NS;

	return ticks_from_ns(lead + (uint64_t)LEAD_NS_PER_CPU * p->cpus, p->hz);
}

/*
 * Set the bounds. If the boot core is delayed here, try again with a longer lead, so that the
 * others are not late.
 */
static void choose_start(struct team *team, void *arg)
{
	struct platform_window *plan = arg;
	struct platform *p = team->platform;
	unsigned tries = START_TRIES;
	uint64_t lead = window_lead(p) / 2;

	do {
		lead *= 2;
		plan->start = p->now() + lead;
		window_end_at(p, plan, plan->start + plan->length);
		p->before_window(&p->cpu[0]);
	} while ((int64_t)(plan->start - p->now()) < (int64_t)(lead / 2) && --tries);
}

void window_gather(struct cpu *cpu, void *run)
{
	struct run *r = run;

	team_gather(&r->team, cpu, choose_start, &r->plan);
}

void window_plan(struct run *r)
{
	r->plan.gather = window_gather;
	r->plan.gather_ctx = r;
	r->plan.cpu = r->platform->cpu;
	r->plan.cpus = r->platform->cpus;
}
