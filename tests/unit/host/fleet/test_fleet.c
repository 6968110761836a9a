/* SPDX-License-Identifier: BSD-2-Clause */
/* Peers and outliers, by the rule in host/fleet/fleet_list.c, computed by hand. */
#include "host/fleet/fleet.h"

#include "tests/unit/command.h"
#include "tests/unit/common/test.h"
#include "tests/unit/stored.h"
#include "tests/unit/tree.h"

#include <string.h>

#define LIST(...) RUN(&fleet_list, "list", __VA_ARGS__)

#define NODES 9

static struct store_run node[NODES];

/* Machines n1 to n9, without figures. */
static void begin(void)
{
	memset(node, 0, sizeof(node));
	for (size_t i = 0; i < NODES; i++) {
		char uuid[] = "n1";

		uuid[1] = (char)(uuid[1] + i);
		node[i] = stored_run(i + 1, uuid, "pass");
		strcpy(node[i].summary.product, "Box");
		strcpy(node[i].summary.bios, "1.0");
		strcpy(node[i].summary.figures.stage, "handoff");
		node[i].summary.figures.cores = 1;
	}
	tree_make();
}

static void give(size_t n, enum figure figure, double value)
{
	node[n].summary.figures.known[figure] = true;
	node[n].summary.figures.value[figure] = value;
}

static void give_all(enum figure figure, const double value[NODES])
{
	for (size_t i = 0; i < NODES; i++)
		give(i, figure, value[i]);
}

static void give_source(size_t n, uint64_t period_ns, const char *cause)
{
	struct figures *f = &node[n].summary.figures;

	f->source[f->sources].period_ns = period_ns;
	strcpy(f->source[f->sources++].cause, cause);
}

/* Have `fleet list` compare the first of the machines; that many of them differ. */
static void compare(size_t nodes, unsigned differ)
{
	struct store *s = stored_open(tree, STORE_HOLD);
	char wanted[80];

	assert_int_equal(store_run_sql(s, "DELETE FROM run; DELETE FROM progress"), 0);
	for (size_t i = 0; i < nodes; i++)
		stored_insert(s, &node[i]);
	store_close(s);
	assert_exit(LIST(tree), differ > 0);
	snprintf(wanted, sizeof(wanted), "\n%u of %zu machines differ\n", differ, nodes);
	assert_in(out, wanted);
}

/* Median 100; distances 0 1 1 2 2 3 3 4 x: their median 2, times 1.4826, is less than a tenth. */
TEST_F(begin, tree_remove, test_a_tenth)
{
	give_all(FIGURE_LONGEST, (double[]){ 100, 99, 101, 98, 102, 97, 103, 96, 160 });
	compare(NODES, 0);
	assert_in(out, "\n  longest gap: median 0.1 us, most 0.16\n");
	/* Six tenths are the limit. */
	give(8, FIGURE_LONGEST, 160.1);
	compare(NODES, 1);
	assert_in(out, "  n9 0000000000000009: longest gap 0.1601 us, the median of its peers "
		       "0.1\n");
	/* Below the median, too, which is 99 now. */
	give(8, FIGURE_LONGEST, 39.5);
	compare(NODES, 1);
	give(8, FIGURE_LONGEST, 39.7);
	compare(NODES, 0);
}

/* Median 50; distances 0 10 10 20 20 30 30 40 x: 20 times 1.4826 is the spread. */
TEST_F(begin, tree_remove, test_spread)
{
	give_all(FIGURE_NOISE, (double[]){ 50, 40, 60, 30, 70, 20, 80, 10, 227 });
	compare(NODES, 0);
	give(8, FIGURE_NOISE, 50 + 6 * 20 * 1.4826 + 0.1);
	compare(NODES, 1);
}

/* Too few machines show nothing, and unknown figures are not printed. */
TEST_F(begin, tree_remove, test_few)
{
	for (size_t i = 0; i < 5; i++)
		give(i, FIGURE_SMI, i ? 1 : 1000);
	compare(4, 0);
	compare(5, 1);
	node[0].summary.figures.known[FIGURE_SMI] = false;
	compare(NODES, 0);
	assert_in(out, "\n  noise: n/a\n  SMIs: median 1 an hour, most 1\n");
}

/* All figures are equal, and all are 0: the median and the spread are 0. */
TEST_F(begin, tree_remove, test_zero)
{
	give_all(FIGURE_SMI, (double[NODES]){ 0 });
	compare(NODES, 0);
	give(4, FIGURE_SMI, 0.5);
	compare(NODES, 1);
}

/* All digits before the point, at least four in all. */
TEST_F(begin, tree_remove, test_numbers)
{
	give_all(FIGURE_LONGEST,
		 (double[]){ 12345, 12345, 12345, 12345, 12345, 12345, 12345, 999900, 180000000 });
	compare(NODES, 2);
	assert_in(out, "gap 180000 us, the median of its peers 12.35\n");
	assert_in(out, "gap 999.9 us, ");
}

/*
 * One machine lacks a source that most have. Periods within one in a hundred are the same source.
 */
TEST_F(begin, tree_remove, test_sources)
{
	for (size_t i = 1; i < NODES; i++)
		give_source(i, 64000000 + (i - 1) * 600000, "smi");
	compare(NODES, 1);
	assert_in(out, "\n  source of 66.1 ms (smi): 8 of 9\n");
	assert_in(out, "  n1 0000000000000001: no source of 66.1 ms (smi), which 8 of 9 have\n");
	give_source(0, 63500000, "smi");
	compare(NODES, 0);
	/* A source that only one machine has: of another period, or another cause. */
	give_source(3, 8000000, "smi");
	give_source(3, 8020000, "smi");
	give_source(5, 64000000, "nmi");
	compare(NODES, 2);
	assert_in(out, ":\n  n4 0000000000000004: a source of 8.01 ms (smi), which 1 of 9 have\n  "
		       "n6 0000000000000006: a source of 64.0 ms (nmi), which 1 of 9 have\n2 of");
	/* Too few machines show nothing. */
	compare(4, 0);
}

/* Each machine has sources of its own, except for the first four, which share theirs. */
TEST_F(begin, tree_remove, test_many_sources)
{
	uint64_t period = 100000;

	for (size_t i = 0; i < NODES; i++)
		for (size_t n = 0; n < FIGURES_SOURCES; n++, period += period / 20)
			give_source(i, i < 4 ? UINT64_C(1000) << n : period, "smi");
	compare(NODES, NODES);
	assert_in(out, "\n  source of 1.00 us (smi): 4 of 9\n  source of 2.00 us (smi): 4 of 9\n");
	assert_in(out, "a source of 128 us (smi), which 4 of 9 have\n");
}

TEST_F(begin, tree_remove, test_who_is_alike)
{
	strcpy(node[1].summary.bios, "2.0");
	strcpy(node[4].summary.product, "Can");
	strcpy(node[7].summary.figures.stage, "bare");
	strcpy(node[8].summary.bios, "2.0");
	*node[2].summary.uuid = '\0';
	compare(NODES, 0);
	assert_in(out, "\n\nBox, BIOS 1.0, stage bare\n  1 machines: ");
	assert_in(out, "\nBox, BIOS 1.0, stage handoff\n  5 machines: ");
	assert_in(out, "\nBox, BIOS 2.0, stage handoff\n  2 machines: ");
	assert_in(out, "\nCan, BIOS 1.0, stage handoff\n  1 machines: ");
}

/* Lines were lost, or no end has come: the run is incomplete. */
TEST_F(begin, tree_remove, test_verdicts)
{
	static const char *const verdict[] = { "pass", "none", "fail", "error", "odd", "pass", "" };

	for (size_t i = 0; i < 7; i++) {
		strcpy(node[i].summary.verdict, verdict[i]);
		node[i].summary.ended = *verdict[i];
	}
	node[5].summary.lost = 1;
	compare(7, 0);
	assert_in(out, "  7 machines: 1 none, 1 pass, 1 fail, 2 incomplete, 2 error\n");
}

/* Strings that another program has put into the database reach no terminal. */
TEST_F(begin, tree_remove, test_hostile_store)
{
	compare(NODES, 0);
	stored_change(tree, "UPDATE run SET bios=char(27) || ']0;x', sources='[[1]]'");
	assert_int_equal(LIST(tree), 0);
	assert_in(out, "Box, BIOS ?]0;x, stage handoff\n  9 machines: 9 pass\n");
	stored_change(tree, "UPDATE run SET bios=CAST(x'ff' AS TEXT)");
	assert_int_equal(LIST(tree), 2);
	assert_in(err, "/runs.sqlite: the database is damaged");
	stored_change(tree, "UPDATE run SET bios='', sources='rubbish'");
	assert_int_equal(LIST(tree), 2);
	assert_in(err, "/runs.sqlite: the database is damaged");
}

/* A line that a node has sent with a correct checksum may be several values of an array. */
TEST_F(begin, tree_remove, test_hostile_line)
{
	static const char text[] = "{\"type\":\"service\",\"stage\":\"handoff\",\"service\":"
				   "\"rtc\",\"p50_ns\":1000},\"x\",{\"crc\":\"0\"}\n";
	struct store *s = stored_open(tree, STORE_HOLD);

	stored_insert(s, &node[0]);
	stored_append(s, node[0].id, (struct store_lines){ 0, 1, text, sizeof(text) - 1 });
	store_close(s);
	stored_change(tree, "UPDATE run SET mode='services'");
	assert_int_equal(LIST(tree), 0);
	assert_in(out, "stage handoff, rtc: 1 machines, stops others on 0; median 1.00 us");
}

TEST_GROUP(make_folder, remove_folder);
