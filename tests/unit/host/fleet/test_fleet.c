/* SPDX-License-Identifier: BSD-2-Clause */
/* Who is alike and who differs, by the rule in host/fleet/fleet_group.h, computed by hand. */
#include "host/fleet/fleet_group.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define NODES 9

static struct {
	struct store_run node[NODES];
	struct store_run *at[NODES];
	struct fleet_group group;
	char printed[8][200];
	const struct store_run *of[8];
	size_t sentences;
} it;

static int start(void **state)
{
	(void)state;
	memset(&it, 0, sizeof(it));
	for (size_t i = 0; i < NODES; i++) {
		struct store_run *n = it.at[i] = &it.node[i];

		n->sid = i;
		strcpy(n->summary.product, "Box");
		strcpy(n->summary.bios, "1.0");
		strcpy(n->summary.figures.stage, "handoff");
		n->summary.figures.cores = 1;
	}
	return 0;
}

static void count_sentence(void *ctx, const struct fleet_difference *d)
{
	struct text t;

	(void)ctx;
	assert_true(it.sentences < 8);
	text_init(&t, it.printed[it.sentences], sizeof(it.printed[0]));
	fleet_difference_text(&t, d);
	it.of[it.sentences++] = d->node;
}

static void give(size_t node, enum figure figure, double value)
{
	it.node[node].summary.figures.known[figure] = true;
	it.node[node].summary.figures.value[figure] = value;
}

static void give_source(size_t node, uint64_t period_ns, const char *cause)
{
	struct figures_source *s =
		&it.node[node].summary.figures.source[it.node[node].summary.figures.sources++];

	s->period_ns = period_ns;
	strcpy(s->cause, cause);
}

static size_t ask(size_t nodes)
{
	size_t differ = 0;

	it.sentences = 0;
	fleet_group_read(&it.group, it.at, nodes);
	for (size_t i = 0; i < nodes; i++)
		differ += fleet_group_differs(&it.group, it.at[i], count_sentence, NULL) > 0;
	return differ;
}

/* Median 100; distances 0 1 1 2 2 3 3 4 x: their median 2, times 1.4826, is less than a tenth. */
TEST_F(start, NULL, test_a_tenth)
{
	static const double value[NODES] = { 100, 99, 101, 98, 102, 97, 103, 96, 160 };

	for (size_t i = 0; i < NODES; i++)
		give(i, FIGURE_LONGEST, value[i]);
	assert_int_equal(ask(NODES), 0);
	assert_true(it.group.median[FIGURE_LONGEST] == 100);
	assert_true(it.group.spread[FIGURE_LONGEST] == 10);
	assert_true(it.group.most[FIGURE_LONGEST] == 160);
	assert_int_equal(it.group.known[FIGURE_LONGEST], NODES);
	/* Six tenths are the limit. */
	give(8, FIGURE_LONGEST, 160.1);
	assert_int_equal(ask(NODES), 1);
	assert_ptr_equal(it.of[0], &it.node[8]);
	assert_string_equal(it.printed[0], "longest gap 0.1601 us, the median of its peers 0.1");
	/* On the other side, too; the median is 99 now. */
	give(8, FIGURE_LONGEST, 39.5);
	assert_int_equal(ask(NODES), 1);
	give(8, FIGURE_LONGEST, 39.7);
	assert_int_equal(ask(NODES), 0);
}

/* Median 50; distances 0 10 10 20 20 30 30 40 x: 20 times 1.4826 is the spread. */
TEST_F(start, NULL, test_spread)
{
	static const double value[NODES] = { 50, 40, 60, 30, 70, 20, 80, 10, 227 };

	for (size_t i = 0; i < NODES; i++)
		give(i, FIGURE_NOISE, value[i]);
	assert_int_equal(ask(NODES), 0);
	assert_true(it.group.spread[FIGURE_NOISE] == 20 * 1.4826);
	give(8, FIGURE_NOISE, 50 + 6 * 20 * 1.4826 + 0.1);
	assert_int_equal(ask(NODES), 1);
}

/* Too few show nothing; and about unknown figures nothing is printed. */
TEST_F(start, NULL, test_few)
{
	for (size_t i = 0; i < FLEET_FEW; i++)
		give(i, FIGURE_SMI, i ? 1 : 1000);
	assert_int_equal(ask(FLEET_FEW - 1), 0);
	assert_int_equal(ask(FLEET_FEW), 1);
	it.node[0].summary.figures.known[FIGURE_SMI] = false;
	assert_int_equal(ask(NODES), 0);
	assert_int_equal(it.group.known[FIGURE_SMI], FLEET_FEW - 1);
	assert_int_equal(it.group.known[FIGURE_NOISE], 0);
}

/* All are equal, and none: the median and the spread are 0. */
TEST_F(start, NULL, test_zero)
{
	for (size_t i = 0; i < NODES; i++)
		give(i, FIGURE_SMI, 0);
	assert_int_equal(ask(NODES), 0);
	give(4, FIGURE_SMI, 0.5);
	assert_int_equal(ask(NODES), 1);
}

TEST_F(start, NULL, test_sources)
{
	/* A source of most that one has not; within one in a hundred it is the same. */
	for (size_t i = 1; i < NODES; i++)
		give_source(i, 64000000 + i * 70000, "smi");
	assert_int_equal(ask(NODES), 1);
	assert_ptr_equal(it.of[0], &it.node[0]);
	assert_string_equal(it.printed[0], "no source of 64.1 ms (smi), which 8 of 9 have");
	give_source(0, 64000000, "smi");
	assert_int_equal(ask(NODES), 0);
	/* One that one alone has: of another period, or another cause. */
	give_source(3, 8000000, "smi");
	give_source(5, 64000000, "nmi");
	assert_int_equal(ask(NODES), 2);
	assert_string_equal(it.printed[0], "a source of 8.00 ms (smi), which 1 of 9 have");
	assert_string_equal(it.printed[1], "a source of 64.0 ms (nmi), which 1 of 9 have");
}

/* More sources than there is room for are left out, not written past the end. */
TEST_F(start, NULL, test_many_sources)
{
	uint64_t period = 100000;

	for (size_t i = 0; i < NODES; i++) {
		for (size_t n = 0; n < FIGURES_SOURCES; n++, period += period / 20)
			give_source(i, period, "smi");
	}
	fleet_group_read(&it.group, it.at, NODES);
	assert_int_equal(it.group.sources, FLEET_GROUP_SOURCES);
}

TEST_F(start, NULL, test_who_is_alike)
{
	size_t at = 0, groups = 0;

	strcpy(it.node[1].summary.bios, "2.0");
	strcpy(it.node[4].summary.product, "Can");
	strcpy(it.node[7].summary.figures.stage, "bare");
	strcpy(it.node[8].summary.bios, "2.0");
	qsort(it.at, NODES, sizeof(it.at[0]), fleet_group_order);
	for (; at < NODES; groups++) {
		size_t count = fleet_group_count(it.at + at, NODES - at);

		assert_true(count > 0 && at + count <= NODES);
		for (size_t i = 1; i < count; i++) {
			const struct store_run *a = it.at[at], *b = it.at[at + i];

			assert_string_equal(a->summary.product, b->summary.product);
			assert_string_equal(a->summary.bios, b->summary.bios);
			assert_string_equal(a->summary.figures.stage, b->summary.figures.stage);
		}
		at += count;
	}
	/* Box 1.0 bare, Box 1.0 handoff, Box 2.0, Can. */
	assert_int_equal(groups, 4);
}

TEST_F(start, NULL, test_verdicts)
{
	static const char *const verdict[] = { "pass", "none", "fail", "error", "odd", "pass" };

	for (size_t i = 0; i < 6; i++) {
		strcpy(it.node[i].summary.verdict, verdict[i]);
		it.node[i].summary.ended = true;
	}
	it.node[5].summary.lost = 1;
	fleet_group_read(&it.group, it.at, 7);
	assert_int_equal(it.group.verdicts[VERDICT_PASS], 1);
	assert_int_equal(it.group.verdicts[VERDICT_NONE], 1);
	assert_int_equal(it.group.verdicts[VERDICT_FAIL], 1);
	assert_int_equal(it.group.verdicts[VERDICT_ERROR], 2);
	/* Lines were lost; no end has come. */
	assert_int_equal(it.group.verdicts[VERDICT_INCOMPLETE], 2);
}

/* All digits before the point, at least four in all. */
TEST_F(start, NULL, test_numbers)
{
	static const struct figures_kind kind = { .scale = 1e-3 };
	char buf[32];

	assert_string_equal(fleet_figure_text(180000000, &kind, buf), "180000");
	assert_string_equal(fleet_figure_text(12345, &kind, buf), "12.35");
	assert_string_equal(fleet_figure_text(999900, &kind, buf), "999.9");
	assert_string_equal(fleet_figure_text(0, &kind, buf), "0");
}
