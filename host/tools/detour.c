/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * detect-detour: a line for each span that an interrupt, a softirq or another task
 * took from the processes it watches (paper: "Detecting Operating System Noise with
 * Detect-Detour", figures 2 and 3). It hooks the kernel's own entry points, so what
 * comes from below is not among them. How long it watched is not printed.
 */
#include "tool_format.h"

#include <stdio.h>
#include <string.h>

struct detour {
	uint64_t first_ns, last_ns, shortest_ns;
};

/* The name is in the last brackets. */
static void take(struct tool_parse *p)
{
	uint64_t t_ns = p->v.s, ns = p->v.ns;
	struct tool_core *core = tool_core(p, p->v.cpu);
	struct detour *d = p->state;
	enum tool_cause cause = (enum tool_cause)p->arg;
	const char *name = strrchr(p->row, '[') + 1;
	char text[TOOL_NAME_MAX];
	int bytes = (int)strcspn(name, "]");

	if (!core)
		return;
	if (!d->last_ns) {
		d->first_ns = t_ns;
		d->shortest_ns = ns;
	}
	d->shortest_ns = arith_min(d->shortest_ns, ns);
	d->last_ns = arith_max(d->last_ns, arith_sum(t_ns, ns));
	tool_count(core, ns, ns, 1);
	core->cause_ns[cause] = range_add(core->cause_ns[cause], range_exact(ns));
	if (cause == TOOL_IRQ)
		snprintf(text, sizeof(text), "%.*s:%u", bytes, name, (unsigned)p->v.number);
	else
		snprintf(text, sizeof(text), "%.*s", bytes, name);
	tool_name(core, cause, text, ns);
}

#define ROW(event, number, cause)                                                               \
	{                                                                                       \
		"[%9(s)] " event ":", "CPU:%u(cpu)*Duration:%u(ns) " number ":%u(number) [*]$", \
			take, cause                                                             \
	}

static const struct tool_row rows[] = {
	ROW("Irq", "IRQ", TOOL_IRQ),
	ROW("Softirq", "SIRQ", TOOL_SOFTIRQ),
	ROW("Sched", "PidNew", TOOL_THREAD),
	{ .key = NULL },
};

/* What is below the threshold is in none of its lines; NMIs are not among its hooks. */
static void finish(struct tool_parse *p)
{
	const struct detour *d = p->state;

	for (size_t i = 0; i < p->tool->cores; i++) {
		struct tool_core *core = &p->tool->core[i];

		for (enum tool_cause c = TOOL_IRQ; c <= TOOL_THREAD; c++)
			range_count_none(&core->cause_ns[c]);
		tool_exposure_assume(core, arith_less(d->last_ns, d->first_ns));
	}
	tool_threshold(p->tool, range_exact(d->shortest_ns), TOOL_ASSUMED);
}

const struct tool_format tool_detour = {
	.name = "detect-detour",
	.body = { "Number of processes monitored:", "[%9] Irq:", "[%9] Softirq:", "[%9] Sched:" },
	.command = "detect-detour, detect-detour.py",
	.state_bytes = sizeof(struct detour),
	.notes = TOOL_BLIND,
	.row = rows,
	.finish = finish,
};
