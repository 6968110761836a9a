/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of gaps against sorting them all: order, causes, the longest N, rings that were full. */
#include "core/gaps/gaplist.h"
#include "core/gaps/longest.h"

#include "arch/aarch64/counters/attribution_levels.h"

#include "tests/unit/common/test.h"
#include "tests/unit/draw.h"

#include <stdlib.h>
#include <string.h>

#define CPUS_MAX 9
#define GAPS_MAX 40 /* per core */
#define RANDOM   600

static const struct evidence_context context = { .rules = &attribution_levels };
static struct cpu cpus[CPUS_MAX];
static struct gap slots[CPUS_MAX][GAPS_MAX];
static struct platform platform = { .cpu = cpus };
static struct gaplist_head heap[CPUS_MAX];

static void cores(uint32_t n)
{
	memset(cpus, 0, sizeof(cpus));
	platform.cpus = n;
	for (uint32_t i = 0; i < n; i++) {
		cpus[i].index = cpus[i].position = i;
		cpus[i].measured = true;
		cpus[i].context = &context;
		cpus[i].ring = (struct gap_ring){ .slot = slots[i], .capacity = GAPS_MAX };
	}
}

/* Add a gap at `time` on the common clock, as the core would keep it. */
static void gap(uint32_t cpu, uint64_t time, uint64_t ticks)
{
	struct cpu *c = &cpus[cpu];
	struct gap g = { .start = time + (uint64_t)c->tsc_offset, .ticks = ticks };

	if (ticks > c->worst.ticks)
		c->worst = g;
	if (c->ring.used < c->ring.capacity)
		c->ring.slot[c->ring.used++] = g;
	else
		c->ring.dropped++;
}

/* The reference: every gap held, sorted as asked. */
struct held {
	uint64_t time, ticks;
	uint32_t cpu;
};

static struct held all[CPUS_MAX * (GAPS_MAX + 1)];
static size_t held;

static void collect_one(uint32_t cpu, const struct gap *g)
{
	all[held++] = (struct held){ g->start - (uint64_t)cpus[cpu].tsc_offset, g->ticks, cpu };
}

static void collect(void)
{
	held = 0;
	for (uint32_t i = 0; i < platform.cpus; i++) {
		const struct gap_ring *r = &cpus[i].ring;
		bool listed = !cpus[i].worst.ticks;

		for (size_t n = 0; n < r->used; n++) {
			collect_one(i, &r->slot[n]);
			listed |= r->slot[n].start == cpus[i].worst.start;
		}
		if (!listed)
			collect_one(i, &cpus[i].worst);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static int by_length(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->ticks != y->ticks)
		return x->ticks > y->ticks ? -1 : 1;
	return by_time(a, b);
}

/* The `limit` longest of the list are those of the reference. */
static void assert_list(uint64_t limit)
{
	uint64_t lengths[CPUS_MAX * (GAPS_MAX + 1)];
	struct longest longest = { .length = lengths };
	struct longest_choice choice;
	struct gaplist list;
	const struct gap *g;
	const struct cpu *cpu;
	size_t expected, n = 0;

	collect();
	longest.capacity = limit < held ? limit + (size_t)draw(held - limit) : held;
	expected = limit < held ? (size_t)limit : held;
	qsort(all, held, sizeof(all[0]), by_length);
	qsort(all, expected, sizeof(all[0]), by_time);
	gaplist_begin(&list, &platform, heap, GAPLIST_ALL);
	while (gaplist_next(&list, &g, &cpu))
		longest_add(&longest, g->ticks);
	choice = longest_choose(&longest, limit);
	assert_int_equal(choice.chosen, expected);
	gaplist_begin(&list, &platform, heap, GAPLIST_ALL);
	while (gaplist_next(&list, &g, &cpu)) {
		if (!longest_take(&choice, g->ticks))
			continue;
		assert_true(n < expected);
		assert_int_equal(cpu->index, all[n].cpu);
		assert_int_equal(gaplist_time(cpu, g), all[n].time);
		assert_int_equal(g->ticks, all[n++].ticks);
	}
	assert_int_equal(n, expected);
	assert_false(gaplist_next(&list, &g, &cpu));
}

TEST(test_nothing)
{
	cores(0);
	assert_list(10);
	cores(3);
	assert_list(10);
	assert_list(0);
	assert_int_equal(gaplist_complete_until(&platform), UINT64_MAX);
}

/* The second core's stamp is the smaller by far; its clock is behind, and its gap came later. */
TEST(test_offsets_order_the_cores)
{
	struct gaplist list;
	const struct gap *g;
	const struct cpu *cpu;

	cores(2);
	cpus[1].tsc_offset = -5000;
	cpus[0].ring.slot[cpus[0].ring.used++] = (struct gap){ .start = 10000, .ticks = 3 };
	cpus[1].ring.slot[cpus[1].ring.used++] = (struct gap){ .start = 5001, .ticks = 4 };
	gaplist_begin(&list, &platform, heap, GAPLIST_ALL);
	assert_true(gaplist_next(&list, &g, &cpu));
	assert_int_equal(cpu->index, 0);
	assert_int_equal(gaplist_time(cpu, g), 10000);
	assert_true(gaplist_next(&list, &g, &cpu));
	assert_int_equal(cpu->index, 1);
	assert_int_equal(gaplist_time(cpu, g), 10001);
}

/* Only gaps of the causes that are asked for are listed, each core's longest too. */
TEST(test_causes)
{
	static const enum cause of[] = { CAUSE_SMI, CAUSE_NMI, CAUSE_UNKNOWN, CAUSE_SMI };
	static const uint64_t listed[] = { 100, 200, 900 };
	struct gaplist list;
	const struct gap *g;
	const struct cpu *cpu;

	cores(2);
	for (uint32_t n = 0; n < 4; n++) {
		gap(n % 2, 100 * n, 10);
		slots[n % 2][n / 2].cause = (uint8_t)of[n];
	}
	cpus[1].ring.capacity = 2;
	gap(1, 900, 20);
	cpus[1].worst.cause = CAUSE_NMI;
	gaplist_begin(&list, &platform, heap, 1u << CAUSE_NMI | 1u << CAUSE_UNKNOWN);
	for (uint32_t n = 0; n < 3; n++) {
		assert_true(gaplist_next(&list, &g, &cpu));
		assert_int_equal(g->start, listed[n]);
	}
	assert_false(gaplist_next(&list, &g, &cpu));
}

/* A gap's stored attribution is read back complete, with the gap's counts. */
TEST(test_why)
{
	static const struct attribution is = { .part = { [PART_SMM] = 7, [PART_STOPPED] = 9 },
					       .tsc_step = -5,
					       .retired = 11,
					       .missing = EVIDENCE(STEAL),
					       .rest = CAUSE_STALL,
					       .row = 3,
					       .hypervisor = HYPERVISOR_KVM };
	union gap_detail detail[1];
	struct attribution why, want = is;

	cores(1);
	cpus[0].ring.detail = detail;
	attribution_keep(&is, &detail[0].why);
	gap(0, 100, 20);
	slots[0][0].holds = GAP_WHY;
	slots[0][0].cause = CAUSE_EL3;
	slots[0][0].evidence = (struct gap_evidence){ .smi = 1, .nmi = 2, .mce = 3 };
	assert_true(gaplist_why(&cpus[0], &slots[0][0], &why));
	want.rules = &attribution_levels;
	want.counted.smi = 1;
	want.counted.nmi = 2;
	want.counted.mce = 3;
	want.cause = CAUSE_EL3;
	assert_memory_equal(&why, &want, sizeof(why));
}

/* A gap that found the ring full is in the list, but not in the ring. */
TEST(test_why_after_the_ring_was_full)
{
	union gap_detail detail[2] = { { .why = { .retired = 3 } } };
	struct attribution why;

	cores(1);
	cpus[0].ring.capacity = 2;
	cpus[0].ring.detail = detail;
	for (uint32_t n = 1; n <= 3; n++)
		gap(0, n * 100, n * 10);
	slots[0][0].holds = GAP_WHY;
	slots[0][1].holds = GAP_NOTHING;
	assert_true(gaplist_why(&cpus[0], &slots[0][0], &why));
	assert_int_equal(why.retired, 3);
	assert_true(gaplist_why(&cpus[0], &slots[0][1], &why));
	assert_int_equal(why.retired, 0);
	assert_false(gaplist_why(&cpus[0], &cpus[0].worst, &why));
	/* Without counters that measure, any gap has an attribution by its counts. */
	cpus[0].ring.detail = NULL;
	assert_true(gaplist_why(&cpus[0], &cpus[0].worst, &why));
	cpus[0].context = NULL;
	assert_false(gaplist_why(&cpus[0], &cpus[0].worst, &why));
}

/* The list is complete up to the end of the last gap of the ring that was full first. */
TEST(test_complete_until)
{
	cores(3);
	cpus[0].ring.capacity = cpus[1].ring.capacity = 1;
	cpus[1].tsc_offset = 1000;
	gap(0, 500, 20);
	gap(1, 300, 30);
	gap(2, 100, 10);
	assert_int_equal(gaplist_complete_until(&platform), UINT64_MAX);
	gap(0, 600, 20);
	assert_int_equal(gaplist_complete_until(&platform), 520);
	gap(1, 700, 20);
	assert_int_equal(gaplist_complete_until(&platform), 330);
	gap(0, 800, 20);
	assert_int_equal(gaplist_complete_until(&platform), 330);
	cpus[1].tsc_offset = 800; /* 500 to 530, past the first core's */
	assert_int_equal(gaplist_complete_until(&platform), 520);
	cores(1);
	cpus[0].ring.capacity = 0;
	gap(0, 100, 5);
	assert_int_equal(gaplist_complete_until(&platform), 0);
}

TEST(test_uncertainty)
{
	cores(4);
	assert_int_equal(gaplist_uncertainty(&platform), 0);
	for (uint32_t i = 0; i < 4; i++)
		cpus[i].tsc_offset_bound = (struct maybe){ 10 + i, true };
	assert_int_equal(gaplist_uncertainty(&platform), 25);
	cpus[3].measured = false;
	assert_int_equal(gaplist_uncertainty(&platform), 23);
	cpus[0].tsc_offset_bound.value = 100;
	assert_int_equal(gaplist_uncertainty(&platform), 112);
	cpus[2].tsc_offset_bound.value = 5;
	assert_int_equal(gaplist_uncertainty(&platform), 111);
	cpus[0].tsc_offset_bound.known = false;
	assert_int_equal(gaplist_uncertainty(&platform), 16);
}

/* A TSC that stepped back breaks the order, and nothing else. */
TEST(test_disorder_loses_nothing)
{
	struct gaplist list;
	const struct gap *g;
	const struct cpu *cpu;
	uint64_t sum = 0;
	unsigned n = 0;

	cores(2);
	gap(0, 1000, 1);
	gap(0, 500, 2);
	gap(0, 1500, 4);
	gap(1, 700, 8);
	gap(1, 1200, 16);
	gaplist_begin(&list, &platform, heap, GAPLIST_ALL);
	for (; gaplist_next(&list, &g, &cpu); n++)
		sum += g->ticks;
	assert_int_equal(n, 5);
	assert_int_equal(sum, 31);
}

static void random_cores(void)
{
	bool few = draw(2);

	cores(1 + (uint32_t)draw(CPUS_MAX));
	for (uint32_t i = 0; i < platform.cpus; i++) {
		uint64_t gaps = draw(GAPS_MAX + 20), time = draw(200);

		cpus[i].tsc_offset = (int64_t)draw(2000) - 100;
		cpus[i].ring.capacity = draw(3) ? GAPS_MAX : (size_t)draw(GAPS_MAX);
		for (uint64_t n = 0; n < gaps; n++) {
			time += 101 + draw(draw(2) ? 3 : 1000);
			gap(i, time, few ? 1 + draw(4) : UINT64_MAX >> draw(64));
		}
	}
}

TEST(test_random)
{
	for (uint64_t round = 1; round <= RANDOM; round++) {
		draw_seed = round;
		random_cores();
		assert_list(UINT64_MAX);
		assert_list(draw(20));
		assert_list(draw(CPUS_MAX * GAPS_MAX));
	}
}
