/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long it takes, and in how much memory, to merge the gaps of 255 cores into
 * events. The gaps are planted from a seed, so the events are known: finding
 * others, or needing memory that grows with the gaps, is a failure.
 */
#include "core/event.h"
#include "core/gaplist.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define CORES       255 /* two packages of 64 cores of two threads; the last thread is missing */
#define PER_PACKAGE 128
#define LONGEST     200
#define GROWTH_MAX  1024 /* KiB the merge may add to the memory resident */

/* Ticks. Gaps of one event overlap each other, and no other's. */
#define ENTRY_SKEW 2000
#define EXIT_SKEW  500
#define APART      20000
#define SLACK      300

/* What is planted, in per mille of the events; lengths in ticks. */
static const struct {
	enum scope scope;
	uint32_t share;
	uint64_t length;
	enum cause cause;
} kinds[] = {
	{ SCOPE_CPU, 800, 6000, CAUSE_UNKNOWN },
	{ SCOPE_CORE, 140, 30000, CAUSE_NMI },
	{ SCOPE_PACKAGE, 40, 100000, CAUSE_STOPPED },
	{ SCOPE_MACHINE, 20, 300000, CAUSE_SMI },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct bench {
	struct platform platform;
	struct cpu cpu[CORES];
	struct event_cpu core[CORES];
	struct gaplist_head heap[CORES];
	struct event_slot slot[LONGEST];
	struct event_longest longest;
	uint64_t planted[SCOPES], found[SCOPES];
	uint64_t gaps, gaps_found, wrong_cause;
};

static struct bench b;
static uint64_t seed;

static uint64_t draw(uint64_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (seed >> 33) % below;
}

static void fail(const char *what)
{
	fprintf(stderr, "bench-events: %s\n", what);
	exit(1);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t resident_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_maxrss;
}

static void make_cores(uint64_t gaps)
{
	size_t capacity = (size_t)(gaps / CORES + gaps / CORES / 4 + 1000);

	b.platform.cpu = b.cpu;
	b.platform.cpus = CORES;
	for (uint32_t i = 0; i < CORES; i++) {
		b.cpu[i] = (struct cpu){ .index = i, .position = i, .measured = true };
		b.cpu[i].tsc_offset = (int64_t)draw(2000000) - 1000000;
		b.cpu[i].ring.capacity = capacity;
		b.cpu[i].ring.slot = malloc(capacity * sizeof(struct gap));
		if (!b.cpu[i].ring.slot)
			fail("out of memory");
		b.core[i] = (struct event_cpu){ .index = i, .measured = true };
		b.core[i].place = (struct topology){ true, i / PER_PACKAGE, i % PER_PACKAGE / 2,
						     i % 2, NULL };
	}
}

static void plant_gap(uint32_t core, uint64_t time, uint64_t ticks)
{
	struct cpu *cpu = &b.cpu[core];

	if (cpu->ring.used == cpu->ring.capacity)
		fail("a ring is too small for its gaps");
	cpu->ring.slot[cpu->ring.used++] = (struct gap){ .start = time + (uint64_t)cpu->tsc_offset,
							 .ticks = ticks };
	b.gaps++;
}

/* The cores that an event of this scope hits: `count` of them from the one returned. */
static uint32_t choose_cores(enum scope scope, uint32_t *count)
{
	uint32_t package;

	switch (scope) {
	case SCOPE_CPU:
		*count = 1;
		return (uint32_t)draw(CORES);
	case SCOPE_CORE:
		*count = 2;
		return 2 * (uint32_t)draw(CORES / 2);
	case SCOPE_PACKAGE:
		package = (uint32_t)draw(2);
		*count = package ? CORES - PER_PACKAGE : PER_PACKAGE;
		return package * PER_PACKAGE;
	default:
		*count = CORES;
		return 0;
	}
}

static size_t choose_kind(void)
{
	uint64_t at = draw(1000);
	size_t k = 0;

	while (at >= kinds[k].share)
		at -= kinds[k++].share;
	return k;
}

/* As many gaps as wanted, to the last: what no longer fits is planted on single cores. */
static void plant(uint64_t gaps)
{
	uint64_t time = 10000000;

	while (b.gaps < gaps) {
		size_t k = choose_kind();
		uint32_t count, first = choose_cores(kinds[k].scope, &count);

		if (count > gaps - b.gaps) {
			k = 0;
			count = 1;
		}
		for (uint32_t i = first; i < first + count; i++)
			plant_gap(i, time + draw(ENTRY_SKEW), kinds[k].length + draw(EXIT_SKEW));
		b.planted[kinds[k].scope]++;
		time += ENTRY_SKEW + kinds[k].length + EXIT_SKEW + APART + draw(100000);
	}
}

static enum cause cause_of(const struct gap *gap)
{
	size_t k = 0;

	while (k + 1 < KINDS && gap->ticks >= kinds[k + 1].length)
		k++;
	return kinds[k].cause;
}

static void take(void *ctx, const struct event *event)
{
	struct bench *bench = ctx;
	enum cause expected = CAUSE_UNKNOWN;

	for (size_t k = 0; k < KINDS; k++)
		if (kinds[k].scope == event->scope)
			expected = kinds[k].cause;
	bench->found[event->scope]++;
	bench->gaps_found += event->gaps;
	bench->wrong_cause += event->cause != expected || !event->agreed;
	event_longest_add(&bench->longest, event);
}

static uint64_t merge(void)
{
	struct event_ground ground = { b.core, CORES, true, SLACK, UINT64_MAX };
	struct event_merge m;
	struct gaplist list;
	const struct gap *gap;
	const struct cpu *cpu;

	event_longest_begin(&b.longest, b.slot, LONGEST);
	event_merge_begin(&m, &ground, take, &b);
	gaplist_begin(&list, &b.platform, b.heap, UINT64_MAX);
	while (gaplist_next(&list, &gap, &cpu)) {
		struct event_gap next = { gaplist_time(cpu, gap), gap->ticks, cpu->position,
					  cause_of(gap) };

		event_merge_add(&m, &next);
	}
	event_longest_sort(&b.longest);
	return event_merge_end(&m);
}

static void check(uint64_t gaps)
{
	if (b.gaps_found != gaps)
		fail("gaps were lost");
	if (b.wrong_cause)
		fail("an event has another cause than its gaps");
	for (unsigned s = 0; s < SCOPES; s++)
		if (b.found[s] != b.planted[s])
			fail("the events found are not those planted");
	if (b.longest.used != LONGEST || event_longest_at(&b.longest, 0)->scope != SCOPE_MACHINE)
		fail("the longest events are not the machine's");
}

static void run(uint64_t gaps)
{
	uint64_t before, growth, events;
	double seconds;

	seed = gaps;
	memset(&b, 0, sizeof(b));
	make_cores(gaps);
	plant(gaps);
	before = resident_kib();
	seconds = cpu_seconds();
	events = merge();
	seconds = cpu_seconds() - seconds;
	growth = resident_kib() - before;
	check(gaps);
	printf("%8" PRIu64 "  %7" PRIu64 "  %7.2f  %6.0f  %9" PRIu64 "  %8" PRIu64 "  %6" PRIu64
	       " %6" PRIu64 " %7" PRIu64 " %7" PRIu64 "\n",
	       gaps, events, seconds, seconds * 1e9 / (double)gaps, before, growth,
	       b.found[SCOPE_CPU], b.found[SCOPE_CORE], b.found[SCOPE_PACKAGE],
	       b.found[SCOPE_MACHINE]);
	for (uint32_t i = 0; i < CORES; i++)
		free(b.cpu[i].ring.slot);
	if (growth > GROWTH_MAX)
		fail("the merge took memory that grows with the gaps");
}

int main(void)
{
	printf("%d cores, all events as planted; the merge keeps %zu bytes and the %d longest\n",
	       CORES, sizeof(struct event_merge) + CORES * (sizeof(b.core[0]) + sizeof(b.heap[0])),
	       LONGEST);
	printf("    GAPS   EVENTS  CPU (s)  ns/GAP  RSS (KiB)  + (KiB)      CPU   CORE PACKAGE "
	       "MACHINE\n");
	run(100000);
	run(1000000);
	run(10000000);
	return 0;
}
