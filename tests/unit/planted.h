/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gaps of 255 cores, planted from a seed as events that are known beforehand, and
 * merged again. A trace is as large as wanted.
 */
#pragma once

#include "draw.h"

#include "core/events/event.h"
#include "core/gaps/gaplist.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Two packages of 64 cores of two threads; the last thread is missing. */
#define PLANTED_CORES       255
#define PLANTED_PER_PACKAGE 128
#define PLANTED_LONGEST     200

/* Ticks. Gaps of one event overlap each other, and no other's. */
#define PLANTED_ENTRY_SKEW 2000
#define PLANTED_EXIT_SKEW  500
#define PLANTED_APART      20000
#define PLANTED_SLACK      300

/* What is planted, in per mille of the events; lengths in ticks. */
static const struct {
	enum event_scope scope;
	uint32_t share;
	uint64_t length;
} planted_kinds[] = {
	{ SCOPE_CPU, 800, 6000 },
	{ SCOPE_CORE, 140, 30000 },
	{ SCOPE_PACKAGE, 40, 100000 },
	{ SCOPE_MACHINE, 20, 300000 },
};

struct planted {
	struct platform platform;
	struct cpu cpu[PLANTED_CORES];
	struct event_cpu core[PLANTED_CORES];
	struct gaplist_head heap[PLANTED_CORES];
	struct event_slot slot[PLANTED_LONGEST];
	struct event_longest longest;
	uint64_t planted[SCOPES], found[SCOPES];
	uint64_t gaps, gaps_found;
};

static struct planted planted;

static inline void planted_make_cores(uint64_t gaps)
{
	size_t capacity = (size_t)(gaps / PLANTED_CORES + gaps / PLANTED_CORES / 4 + 1000);

	planted.platform.cpu = planted.cpu;
	planted.platform.cpus = PLANTED_CORES;
	for (uint32_t i = 0; i < PLANTED_CORES; i++) {
		planted.cpu[i] = (struct cpu){ .index = i, .position = i, .measured = true };
		planted.cpu[i].tsc_offset = (int64_t)draw(2000000) - 1000000;
		planted.cpu[i].ring.capacity = capacity;
		planted.cpu[i].ring.slot = malloc(capacity * sizeof(struct gap));
		if (!planted.cpu[i].ring.slot)
			abort();
		planted.core[i] = (struct event_cpu){ .index = i, .measured = true };
		planted.core[i].place = (struct topology){ true, i / PLANTED_PER_PACKAGE,
							   i % PLANTED_PER_PACKAGE / 2, i % 2,
							   NULL };
	}
}

static inline void planted_add_gap(uint32_t core, uint64_t time, uint64_t ticks)
{
	struct cpu *cpu = &planted.cpu[core];

	/* A quarter more than a core has on average, and that is far off. */
	if (cpu->ring.used == cpu->ring.capacity)
		abort();
	cpu->ring.slot[cpu->ring.used++] = (struct gap){ .start = time + (uint64_t)cpu->tsc_offset,
							 .ticks = ticks };
	planted.gaps++;
}

/* The cores that an event of this scope hits: `count` of them from the one returned. */
static inline uint32_t planted_choose_cores(enum event_scope scope, uint32_t *count)
{
	uint32_t package;

	switch (scope) {
	case SCOPE_CPU:
		*count = 1;
		return (uint32_t)draw(PLANTED_CORES);
	case SCOPE_CORE:
		*count = 2;
		return 2 * (uint32_t)draw(PLANTED_CORES / 2);
	case SCOPE_PACKAGE:
		package = (uint32_t)draw(2);
		*count = package ? PLANTED_CORES - PLANTED_PER_PACKAGE : PLANTED_PER_PACKAGE;
		return package * PLANTED_PER_PACKAGE;
	default:
		*count = PLANTED_CORES;
		return 0;
	}
}

static inline size_t planted_choose_kind(void)
{
	uint64_t at = draw(1000);
	size_t k = 0;

	while (at >= planted_kinds[k].share)
		at -= planted_kinds[k++].share;
	return k;
}

/* As many gaps as wanted, to the last: what no longer fits is planted on single cores. */
static inline void planted_fill(uint64_t gaps)
{
	uint64_t time = 10000000;

	while (planted.gaps < gaps) {
		size_t k = planted_choose_kind();
		uint32_t count, first = planted_choose_cores(planted_kinds[k].scope, &count);

		if (count > gaps - planted.gaps) {
			k = 0;
			count = 1;
		}
		for (uint32_t i = first; i < first + count; i++)
			planted_add_gap(i, time + draw(PLANTED_ENTRY_SKEW),
					planted_kinds[k].length + draw(PLANTED_EXIT_SKEW));
		planted.planted[planted_kinds[k].scope]++;
		time += PLANTED_ENTRY_SKEW + planted_kinds[k].length + PLANTED_EXIT_SKEW +
			PLANTED_APART + draw(100000);
	}
}

static inline void planted_take(void *ctx, const struct event *event)
{
	struct planted *p = ctx;

	p->found[event->scope]++;
	p->gaps_found += event->gaps;
	event_longest_add(&p->longest, event);
}

static inline uint64_t planted_merge(void)
{
	struct event_setup setup = { .cpu = planted.core,
				     .cpus = PLANTED_CORES,
				     .whole = true,
				     .slack = PLANTED_SLACK,
				     .complete_until = UINT64_MAX };
	struct event_merge m;
	struct gaplist list;
	const struct gap *gap;
	const struct cpu *cpu;

	event_longest_begin(&planted.longest, planted.slot, PLANTED_LONGEST);
	event_merge_begin(&m, &setup, planted_take, &planted);
	gaplist_begin(&list, &planted.platform, planted.heap, UINT64_MAX);
	while (gaplist_next(&list, &gap, &cpu)) {
		struct event_gap next = { gaplist_time(cpu, gap), gap->ticks, cpu->position };

		event_merge_add(&m, &next);
	}
	event_longest_sort(&planted.longest, planted.longest.used);
	return event_merge_end(&m);
}

/* What is wrong with the merge; NULL: nothing. */
static inline const char *planted_flaw(uint64_t gaps)
{
	uint64_t machines = 0;

	if (planted.gaps_found != gaps)
		return "gaps were lost";
	for (unsigned s = 0; s < SCOPES; s++)
		if (planted.found[s] != planted.planted[s])
			return "the events found are not those planted";
	for (uint32_t n = 0; n < planted.longest.used; n++)
		machines += event_longest_at(&planted.longest, n)->scope == SCOPE_MACHINE;
	if (planted.longest.used != PLANTED_LONGEST ||
	    (machines != PLANTED_LONGEST && machines != planted.planted[SCOPE_MACHINE]))
		return "the longest events are not the machine's";
	return NULL;
}

/* So many gaps; to be freed with planted_free(). */
static inline void planted_make(uint64_t gaps)
{
	draw_seed = gaps;
	memset(&planted, 0, sizeof(planted));
	planted_make_cores(gaps);
	planted_fill(gaps);
}

static inline void planted_free(void)
{
	for (uint32_t i = 0; i < PLANTED_CORES; i++)
		free(planted.cpu[i].ring.slot);
}
