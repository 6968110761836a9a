/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * detect-detour: a line for each span that an interrupt, a softirq or another task
 * took from the processes it watches (paper: "Detecting Operating System Noise with
 * Detect-Detour", figures 2 and 3). It hooks the kernel's own entry points, so what
 * comes from below is not among them. How long it watched is not printed.
 */
#include "tool_format.h"

static void detour_take(struct tool_parse *p)
{
	struct tool_values *v = &p->v;
	struct tool_core *core = tool_core(p, v->cpu);
	enum tool_cause cause = (enum tool_cause)p->arg;

	v->first = arith_min(v->first, v->s);
	v->last = arith_max(tool_or(v->last, 0), arith_sum(v->s, v->ns));
	v->min = arith_min(v->min, v->ns);
	tool_count(core, v->ns, v->ns, 1);
	core->cause_ns[cause] = range_add(core->cause_ns[cause], range_exact(v->ns));
}

#define TIMES "CPU:%u(cpu)*Duration:%u(ns) "

static const struct tool_row rows[] = {
	{ "[%9(s)] Irq:", TIMES "IRQ:%u [*]$", detour_take, TOOL_IRQ },
	{ "[%9(s)] Softirq:", TIMES "SIRQ:%u [*]$", detour_take, TOOL_SOFTIRQ },
	{ "[%9(s)] Sched:", TIMES "PidNew:%u [*]$", detour_take, TOOL_THREAD },
	{ .key = NULL },
};

/* Times below the threshold are in no line, and NMIs are not among its hooks. */
static void detour_finish(struct tool_parse *p)
{
	for (size_t i = 0; i < p->tool->cores; i++)
		tool_exposure_assume(&p->tool->core[i], arith_less(p->v.last, p->v.first));
	if (p->v.min != TOOL_NONE)
		tool_threshold(p->tool, range_exact(p->v.min), TOOL_ASSUMED);
}

const struct tool_format tool_detour = {
	.name = "detect-detour",
	.body = { "Number of processes monitored:", "[%9] Irq:", "[%9] Softirq:", "[%9] Sched:" },
	.command = "detect-detour, detect-detour.py",
	.notes = TOOL_BLIND,
	.without = TOOL_INTERRUPTS,
	.row = rows,
	.finish = detour_finish,
};
