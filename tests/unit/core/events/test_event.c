/* SPDX-License-Identifier: BSD-2-Clause */
/* Gaps merged into events, compared with a reference that looks at all pairs, and by hand. */
#include "core/events/event.h"
#include "core/gaps/gaplist.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"
#include "tests/unit/draw.h"

#define CPUS_MAX   8
#define GAPS_MAX   200
#define CASES      1000
#define LIST_BYTES 100

static struct event_cpu cpus[CPUS_MAX];
static struct event_setup setup;
static struct event found[GAPS_MAX];
static unsigned events;

/* Set up packages of two cores of two threads. All are measured, and the machine has no others. */
static void cores(uint32_t n)
{
	memset(cpus, 0xa5, sizeof(cpus));
	for (uint32_t i = 0; i < CPUS_MAX; i++) {
		cpus[i].index = i;
		cpus[i].measured = true;
		cpus[i].place = (struct topology){ true, i / 4, i / 2 % 2, i % 2, NULL };
	}
	setup = (struct event_setup){ .cpu = cpus, .cpus = n, .complete_until = UINT64_MAX };
	setup.whole = true;
}

static void merge(const struct event_gap *gap, unsigned gaps)
{
	struct event_merge m;

	events = 0;
	event_merge_begin(&m, &setup);
	for (unsigned i = 0; i < gaps; i++)
		events += event_merge_add(&m, &gap[i], &found[events]);
	events += event_merge_end(&m, &found[events]);
	assert_false(event_merge_end(&m, NULL));
}

#define MERGE(gaps) merge(gaps, sizeof(gaps) / sizeof((gaps)[0]))

static void assert_set(const struct event *e, const char *list)
{
	TEXT_DEFINE(t, LIST_BYTES);

	cpulist_print(&e->set, &t);
	assert_string_equal(t.buf, list);
}

TEST(test_scope_names)
{
	assert_string_equal(event_scope_name(SCOPE_CPU), "cpu");
	assert_string_equal(event_scope_name(SCOPE_CORE), "core");
	assert_string_equal(event_scope_name(SCOPE_PACKAGE), "package");
	assert_string_equal(event_scope_name(SCOPE_MACHINE), "machine");
	assert_null(event_scope_name(SCOPE_UNKNOWN));
	assert_null(event_scope_name(SCOPES));
}

/* Cores have numbers of the run, and positions in the array. */
TEST(test_numbers_are_not_positions)
{
	static const struct event_gap gaps[] = { { 1000, 500, 0 }, { 1010, 500, 1 } };

	cores(2);
	cpus[0].index = 300;
	cpus[1].index = 17;
	MERGE(gaps);
	assert_int_equal(found[0].first, 300);
	assert_int_equal(found[0].last, 17);
	assert_set(&found[0], "17,300");
}

/* The scope of gaps that begin at once on the cores of a mask, bit n for core n. */
static enum event_scope scope_of(unsigned mask)
{
	struct event_gap gap[CPUS_MAX];
	unsigned gaps = 0;

	for (uint32_t i = 0; i < CPUS_MAX; i++)
		if (mask >> i & 1)
			gap[gaps++] = (struct event_gap){ 1000, 100, i };
	merge(gap, gaps);
	assert_int_equal(events, 1);
	return found[0].scope;
}

/* A core that is not measured any further need not be hit, and counts for no other core. */
TEST(test_scope_with_a_core_that_fell_out)
{
	cores(4);
	cpus[3].measured = false;
	assert_int_equal(scope_of(0x07), SCOPE_MACHINE);
	assert_int_equal(scope_of(0x0f), SCOPE_MACHINE);
	assert_int_equal(scope_of(0x0e), SCOPE_PACKAGE);
}

TEST(test_scope_without_topology)
{
	cores(8);
	for (uint32_t i = 0; i < 8; i++)
		cpus[i].place.known = false;
	assert_int_equal(scope_of(0x02), SCOPE_CPU);
	assert_int_equal(scope_of(0x03), SCOPE_UNKNOWN);
	assert_int_equal(scope_of(0x81), SCOPE_UNKNOWN);
	assert_int_equal(scope_of(0xff), SCOPE_MACHINE);
	cpus[0].place.known = cpus[1].place.known = true;
	assert_int_equal(scope_of(0x03), SCOPE_CORE);
	assert_int_equal(scope_of(0x05), SCOPE_UNKNOWN);
	assert_int_equal(scope_of(0x81), SCOPE_UNKNOWN);
}

/* Times at the end of their range are cut there, not wrapped. */
TEST(test_end_of_time)
{
	static const struct event_gap gaps[] = {
		{ 1000, UINT64_MAX, 0 },
		{ 2000, UINT64_MAX, 1 },
		{ UINT64_MAX - 1, 1, 2 },
	};

	cores(4);
	setup.slack = UINT64_MAX;
	MERGE(gaps);
	assert_int_equal(events, 1);
	assert_int_equal(found[0].length, UINT64_MAX - 1000);
}

/* After a TSC stepped back, gaps that overlap the open event join it; others are events alone. */
TEST(test_disorder)
{
	static const struct event_gap gaps[] = {
		{ 1000, 100, 0 }, { 950, 60, 1 }, { 990, 200, 1 }, { 400, 50, 1 }, { 1050, 10, 2 },
	};

	cores(4);
	MERGE(gaps);
	assert_int_equal(events, 3);
	assert_int_equal(found[0].start, 950);
	assert_int_equal(found[0].length, 1190 - 950);
	assert_int_equal(found[0].first, 1);
	assert_int_equal(found[0].last, 1);
	assert_int_equal(found[0].skew, 50);
	assert_int_equal(found[1].start, 400);
	assert_int_equal(found[2].start, 1050);
}

/* If gaps of a core are out of order, its part begins with the earlier one. */
TEST(test_disorder_on_one_core)
{
	static const struct event_gap gaps[] = {
		{ 1000, 100, 0 },
		{ 1050, 20, 1 },
		{ 1010, 20, 1 },
	};

	cores(4);
	MERGE(gaps);
	assert_int_equal(events, 1);
	assert_int_equal(found[0].skew, 10);
}

/*
 * The reference compares all pairs of gaps, in any order. The gaps come from rings with different
 * clocks.
 */
static struct {
	uint64_t start, end;
	uint32_t cpu;
	unsigned group;
} plain[GAPS_MAX];
static unsigned plains;

static unsigned group_of(unsigned i)
{
	while (plain[i].group != i)
		i = plain[i].group;
	return i;
}

static void group_all(void)
{
	for (unsigned i = 0; i < plains; i++)
		plain[i].group = i;
	for (unsigned i = 0; i < plains; i++) {
		for (unsigned k = 0; k < i; k++) {
			if (plain[i].start < plain[k].end + setup.slack &&
			    plain[k].start < plain[i].end + setup.slack)
				plain[group_of(i)].group = group_of(k);
		}
	}
}

static enum event_scope reference_scope(const uint64_t *end, unsigned hit, bool partial)
{
	bool package[2] = { false }, core[4] = { false };
	unsigned all = 0;

	for (uint32_t i = 0; i < CPUS_MAX; i++) {
		all += i < setup.cpus;
		if (end[i])
			package[i / 4] = core[i / 2] = true;
	}
	if ((package[0] && package[1]) || (setup.whole && hit == all && hit > 1))
		return SCOPE_MACHINE;
	if (partial)
		return SCOPE_UNKNOWN;
	if (hit == 1)
		return SCOPE_CPU;
	return core[0] + core[1] + core[2] + core[3] == 1 ? SCOPE_CORE : SCOPE_PACKAGE;
}

static void reference(unsigned group, struct event *e)
{
	uint64_t start[CPUS_MAX] = { 0 }, end[CPUS_MAX] = { 0 }, last_start = 0;
	uint64_t until = 0;

	memset(e, 0, sizeof(*e));
	e->start = UINT64_MAX;
	for (unsigned i = 0; i < plains; i++) {
		uint32_t c = plain[i].cpu;

		if (group_of(i) != group)
			continue;
		e->gaps++;
		start[c] = end[c] && start[c] < plain[i].start ? start[c] : plain[i].start;
		end[c] = end[c] > plain[i].end ? end[c] : plain[i].end;
		e->start = e->start < plain[i].start ? e->start : plain[i].start;
		until = until > plain[i].end ? until : plain[i].end;
	}
	for (uint32_t c = CPUS_MAX; c-- > 0;) {
		if (!end[c])
			continue;
		cpulist_add(&e->set, c);
		e->cpus++;
		e->first = start[c] == e->start ? c : e->first;
		e->last = end[c] == until ? c : e->last;
		last_start = last_start > start[c] ? last_start : start[c];
	}
	e->length = until - e->start;
	e->skew = last_start - e->start;
	e->cause = setup.cause;
	e->partial = setup.complete_until < until + setup.slack;
	e->scope = reference_scope(end, e->cpus, e->partial);
}

static int by_start(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static struct cpu ring_cpus[CPUS_MAX];
static struct gap ring_slots[CPUS_MAX][GAPS_MAX];

/* Make cores with few gaps, short times and different clocks, so that edges often meet. */
static void random_case(void)
{
	uint64_t spread = 1 + draw(30), lengths = 1 + draw(12);

	cores(1 + (uint32_t)draw(CPUS_MAX));
	setup.slack = draw(3) * draw(3);
	setup.whole = draw(4);
	setup.cause = (enum cause)draw(CAUSES);
	setup.complete_until = draw(3) ? UINT64_MAX : 1000 + draw(200);
	memset(ring_cpus, 0, sizeof(ring_cpus));
	plains = 0;
	for (uint32_t i = 0; i < setup.cpus; i++) {
		struct gap_ring *ring = &ring_cpus[i].ring;
		uint64_t time = 1000 + draw(spread), gaps = draw(12);

		ring_cpus[i].position = i;
		ring_cpus[i].tsc_offset = (int64_t)draw(1000) - 500;
		*ring = (struct gap_ring){ .slot = ring_slots[i], .capacity = GAPS_MAX };
		for (uint64_t n = 0; n < gaps; n++) {
			struct gap *g = &ring->slot[ring->used++];

			plain[plains].start = time;
			plain[plains].cpu = i;
			g->start = time + (uint64_t)ring_cpus[i].tsc_offset;
			g->ticks = 1 + draw(lengths);
			time += g->ticks;
			plain[plains++].end = time;
			time += draw(spread);
		}
	}
}

static void merge_rings(void)
{
	struct platform platform = { .cpu = ring_cpus, .cpus = setup.cpus };
	struct gaplist_head heap[CPUS_MAX];
	struct event_merge m;
	struct gaplist list;
	const struct cpu *cpu;
	const struct gap *g;

	events = 0;
	event_merge_begin(&m, &setup);
	gaplist_begin(&list, &platform, heap, GAPLIST_ALL);
	while (gaplist_next(&list, &g, &cpu)) {
		struct event_gap gap = { gaplist_time(cpu, g), g->ticks, cpu->position };

		events += event_merge_add(&m, &gap, &found[events]);
	}
	events += event_merge_end(&m, &found[events]);
}

static void assert_same(const struct event *a, const struct event *b)
{
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->length, b->length);
	assert_int_equal(a->skew, b->skew);
	assert_int_equal(a->gaps, b->gaps);
	assert_int_equal(a->cpus, b->cpus);
	assert_int_equal(a->first, b->first);
	assert_int_equal(a->last, b->last);
	assert_int_equal(a->cause, b->cause);
	assert_int_equal(a->scope, b->scope);
	assert_int_equal(a->partial, b->partial);
	assert_memory_equal(&a->set, &b->set, sizeof(a->set));
}

TEST(test_against_all_pairs)
{
	static struct event expected[GAPS_MAX];
	unsigned of_many = 0, scopes[SCOPES] = { 0 };

	for (uint64_t round = 0; round < CASES; round++) {
		unsigned groups = 0;

		draw_seed = round;
		random_case();
		group_all();
		for (unsigned i = 0; i < plains; i++)
			if (plain[i].group == i)
				reference(i, &expected[groups++]);
		qsort(expected, groups, sizeof(expected[0]), by_start);
		merge_rings();
		assert_int_equal(events, groups);
		for (unsigned i = 0; i < groups; i++) {
			assert_same(&found[i], &expected[i]);
			of_many += found[i].gaps > 1;
			scopes[found[i].scope]++;
		}
	}
	/* The cases must have events of all kinds. */
	assert_true(of_many > CASES);
	for (unsigned i = 0; i < SCOPES; i++)
		assert_true(scopes[i] > CASES / 20);
}
