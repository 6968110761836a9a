/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of a piece, core by core, as its parser gathers them. */
#include "host/lib/memory.h"

#include "tool_format.h"

struct tool_core *tool_core(struct tool_parse *p, uint64_t cpu)
{
	struct tool *tool = p->tool;
	uint32_t number = cpu == TOOL_NONE ? TOOL_ANY_CPU : (uint32_t)cpu;
	struct tool_core *core;

	if (cpu >= CPULIST_MAX && cpu != TOOL_NONE) {
		tool_refuse(p, "core %llu: cores are numbered 0 to %d", (unsigned long long)cpu,
			    CPULIST_MAX - 1);
		return tool_core(p, TOOL_NONE);
	}
	for (size_t i = tool->cores; i-- > 0;) {
		if (tool->core[i].cpu == number)
			return &tool->core[i];
	}
	core = MEMORY_ADD(tool->core, tool->cores);
	*core = (struct tool_core){ .cpu = number, .floor_ns = p->floor_ns };
	if (p->format->core_bytes)
		core->more = memory_new(1, p->format->core_bytes);
	return core;
}

struct tool_core *tool_new_core(struct tool_parse *p, uint64_t cpu)
{
	if (cpu < CPULIST_MAX && tool_find(p->tool, (uint32_t)cpu))
		tool_refuse(p, "%s: core %llu has two rows or columns", p->format->name,
			    (unsigned long long)cpu);
	return tool_core(p, cpu);
}

void tool_cores(struct tool_parse *p, const struct cpulist *list)
{
	for (uint32_t cpu = 0; cpu < CPULIST_MAX; cpu++) {
		if (cpulist_has(list, cpu))
			tool_core(p, cpu);
	}
}

const struct tool_core *tool_find(const struct tool *tool, uint32_t cpu)
{
	for (size_t i = 0; i < tool->cores; i++) {
		if (tool->core[i].cpu == cpu)
			return &tool->core[i];
	}
	return NULL;
}

void tool_count(struct tool_core *core, uint64_t low, uint64_t high, uint64_t count)
{
	if (!count)
		return;
	if (core->floor_ns && low >= core->floor_ns)
		core->above_ns = arith_sum(core->above_ns, arith_times(low, count));
	core->events = range_add(core->events, range_exact(count));
	core->sum_ns = range_add(core->sum_ns,
				 range_of(arith_times(low, count), arith_times(high, count)));
	core->max_ns = range_max(core->max_ns, range_of(low, high));
}

void tool_count_none(struct tool_core *core)
{
	range_count_none(&core->events);
	range_count_none(&core->sum_ns);
	range_count_none(&core->max_ns);
}

void tool_latency(struct tool_core *core, uint64_t count, uint64_t max, uint64_t unit_ns)
{
	core->events = range_add(core->events, range_exact(count));
	core->max_ns = range_max(core->max_ns, range_cut(max, unit_ns));
}

void tool_causes(const struct tool_values *v, uint64_t count[TOOL_CAUSES])
{
	count[TOOL_NMI] = v->nmi;
	count[TOOL_IRQ] = tool_or(v->irq, 0);
	count[TOOL_SOFTIRQ] = tool_or(v->softirq, 0);
	count[TOOL_THREAD] = tool_or(v->task, 0);
}

void tool_count_causes(struct tool_core *core, const uint64_t count[TOOL_CAUSES])
{
	for (unsigned c = 0; c < TOOL_CAUSES; c++)
		if (!count[c])
			core->cause_ns[c] = range_exact(0);
}

uint64_t tool_sum_from(const struct tool *tool, const struct tool_core *core, uint64_t shortest)
{
	/* Events of at least `floor_ns` are also of at least `shortest`. */
	uint64_t above = core->floor_ns >= shortest ? core->above_ns : 0;

	if (tool->threshold_ns.known && tool->threshold_ns.low >= shortest)
		return core->sum_ns.low;
	/* The longest is among them, or there is none. */
	if (core->max_ns.known && core->max_ns.low >= shortest)
		above = arith_max(above, core->max_ns.low);
	return core->sum_ns.known ? arith_min(above, core->sum_ns.high) : 0;
}

/* ---- Names and sentences ---- */

const struct tool_words tool_notes[TOOL_NOTES] = {
#define ROW(id, name, text) { name, text },
	TOOL_NOTE_ROWS(ROW)
#undef ROW
};

const char *tool_origin_name(enum tool_origin origin)
{
	static const char *const names[] = { "unknown", "assumed", "stated" };

	return names[origin];
}
