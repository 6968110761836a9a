/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of a piece, core by core, as its parser gathers them. */
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"

#include "tool_format.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

/* Past so many lengths of one core, neighbours are merged: 24 MB. */
#define BINS_MAX ((size_t)1 << 20)

static ORDER_BY(by_cpu, struct tool_core, cpu);

static int by_ns(const void *a, const void *b)
{
	const struct tool_offender *x = a, *y = b;

	return ORDER(y->ns, x->ns) ?: strcmp(x->name, y->name);
}

void tool_sort_cores(struct tool *tool)
{
	for (size_t i = 0; i < tool->cores; i++) {
		struct tool_core *core = &tool->core[i];

		ORDER_SORT(core->offender, core->offenders, by_ns);
	}
	ORDER_SORT(tool->core, tool->cores, by_cpu);
}

struct tool_core *tool_core(struct tool_parse *p, uint64_t cpu)
{
	struct tool *tool = p->tool;
	struct tool_core *core;

	for (size_t i = tool->cores; i-- > 0;) {
		if (tool->core[i].cpu == cpu)
			return &tool->core[i];
	}
	if (cpu >= CPULIST_MAX && cpu != TOOL_ANY_CPU) {
		tool->notes |= TOOL_DAMAGED;
		tool_report(p, "core %llu: cores are numbered 0 to %d", (unsigned long long)cpu,
			    CPULIST_MAX - 1);
		return NULL;
	}
	core = MEMORY_ADD(tool->core, tool->cores);
	*core = (struct tool_core){ .cpu = (uint32_t)cpu };
	return core;
}

uint32_t tool_cpu_of_file(const char *file)
{
	const char *dot = strrchr(file, '.');
	uint32_t cpu;

	return dot && scan_u32(&(const char *){ dot + 1 }, &cpu) &&
			       dot[1 + strspn(dot + 1, "0123456789")] == '\0'
		       ? cpu
		       : TOOL_ANY_CPU;
}

const struct tool_core *tool_find(const struct tool *tool, uint32_t cpu)
{
	for (size_t i = 0; i < tool->cores; i++) {
		if (tool->core[i].cpu == cpu)
			return &tool->core[i];
	}
	return NULL;
}

static ORDER_BY(by_length, struct tool_bin, low);

/* Which lengths share a bin once there are too many: those alike in their leading 7 bits. */
static uint64_t kin_of(uint64_t length)
{
	unsigned bits = length ? 64u - (unsigned)__builtin_clzll(length) : 0;

	return bits > 7 ? length >> (bits - 7) << (bits - 7) : length;
}

/* Merge neighbours. Leaves at most 58 * 64 + 128 bins of exact lengths. */
static void merge_bins(struct tool_core *core)
{
	size_t kept = 0;

	qsort(core->bin, core->bins, sizeof(*core->bin), by_length);
	for (size_t i = 0; i < core->bins; i++) {
		struct tool_bin *last = kept ? &core->bin[kept - 1] : NULL;
		const struct tool_bin *bin = &core->bin[i];

		if (last && kin_of(last->low) == kin_of(bin->low)) {
			last->high = arith_max(last->high, bin->high);
			last->count = arith_sum(last->count, bin->count);
		} else {
			core->bin[kept++] = *bin;
		}
	}
	core->bins = kept;
}

void tool_count(struct tool_core *core, uint64_t low, uint64_t high, uint64_t count)
{
	if (!count)
		return;
	if (core->bins == BINS_MAX)
		merge_bins(core);
	*MEMORY_ADD(core->bin, core->bins) = (struct tool_bin){ low, high, count };
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

void tool_charge(struct tool_sum *sum, struct range events, struct range ns)
{
	sum->events = range_add(sum->events, events);
	sum->ns = range_add(sum->ns, ns);
}

void tool_count_causes(struct tool_core *core, const uint64_t count[TOOL_CAUSES])
{
	for (unsigned c = 0; c < TOOL_CAUSES; c++) {
		core->cause[c].events = range_exact(count[c]);
		if (!count[c])
			core->cause[c].ns = range_exact(0);
	}
}

void tool_name(struct tool_core *core, enum tool_cause cause, const char *name, uint64_t ns)
{
	struct tool_offender *o = NULL;

	for (size_t i = 0; i < core->offenders && !o; i++) {
		if (core->offender[i].cause == cause && !strcmp(core->offender[i].name, name))
			o = &core->offender[i];
	}
	if (!o) {
		if (core->offenders == TOOL_OFFENDERS_MAX)
			return;
		o = MEMORY_ADD(core->offender, core->offenders);
		*o = (struct tool_offender){ .cause = cause };
		text_sanitize_copy(o->name, sizeof(o->name), name);
	}
	o->events++;
	o->ns = arith_sum(o->ns, ns);
	o->max_ns = arith_max(o->max_ns, ns);
}

/* Of the bins, those from `shortest` on; one that it divides may count or not. */
static struct range bins_from(const struct tool_core *core, uint64_t shortest)
{
	struct range sum = range_exact(0);

	for (size_t i = 0; i < core->bins; i++) {
		const struct tool_bin *b = &core->bin[i];

		if (b->high >= shortest)
			sum.high = arith_sum(sum.high, arith_times(b->high, b->count));
		if (b->low >= shortest)
			sum.low = arith_sum(sum.low, arith_times(b->low, b->count));
	}
	return sum;
}

struct range tool_sum_from(const struct tool *tool, const struct tool_core *core, uint64_t shortest)
{
	struct range sum = core->sum_ns;

	if (!sum.known || (tool->threshold_ns.known && tool->threshold_ns.low >= shortest))
		return sum;
	if (core->bins) {
		struct range some = bins_from(core, shortest);

		return range_of(arith_min(some.low, sum.high), arith_min(some.high, sum.high));
	}
	/* The longest is in it, or there is none. */
	if (core->max_ns.known && core->max_ns.high < shortest)
		return range_exact(0);
	sum.low = core->max_ns.known && core->max_ns.low >= shortest
			  ? arith_min(core->max_ns.low, sum.high)
			  : 0;
	return sum;
}

/* ---- Names and sentences ---- */

const struct tool_words tool_notes[TOOL_NOTES] = {
#define ROW(id, name, text) { name, text },
	TOOL_NOTE_ROWS(ROW)
#undef ROW
};

const char *tool_cause_name(enum tool_cause cause)
{
	static const char *const names[TOOL_CAUSES] = { "nmi", "irq", "softirq", "thread",
							"hardware" };

	return names[cause];
}

const char *tool_origin_name(enum tool_origin origin)
{
	static const char *const names[] = { "unknown", "assumed", "stated" };

	return names[origin];
}
