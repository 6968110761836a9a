/* SPDX-License-Identifier: BSD-2-Clause */
/* Attested runs that were held back until a later one of their key had been received. */
#include "host/fleet/runs.h"

#include "tests/unit/common/test.h"
#include "tests/unit/stored.h"
#include "tests/unit/tree.h"

/* A run that ended at `ended_s`, with a quote by the key `key`. */
static struct store_run quoted(uint64_t sid, uint64_t ended_s, uint8_t key, uint32_t resets,
			       uint32_t restarts, uint64_t clock_ms)
{
	struct store_run run = stored_run(sid, "Box-1", "pass");
	struct facts_attest *f = &run.summary.facts.attest;

	run.ended_s = ended_s;
	f->state = FACTS_ATTEST_GOOD;
	memset(f->key, key, sizeof(f->key));
	f->resets = resets;
	f->restarts = restarts;
	f->clock_ms = clock_ms;
	return run;
}

TEST_F(tree_make, tree_remove, test_overtaken)
{
	static const struct {
		uint64_t ended_s;
		uint8_t key;
		uint32_t resets, restarts;
		uint64_t clock_ms;
		bool is_overtaken;
	} rows[] = {
		{ 200, 1, 5, 2, 1000, false }, /* the quote that is there */
		{ 200, 1, 5, 2, 1001, false },
		{ 200, 1, 5, 3, 0, false },
		{ 200, 1, 6, 0, 0, false },
		{ 200, 1, 5, 2, 999, true },
		{ 200, 1, 5, 1, 9000, true },
		{ 200, 1, 4, 9, 9000, true },
		{ 100, 1, 4, 9, 9000, false }, /* received in the same second */
		{ 99, 1, 4, 9, 9000, false },
		{ 200, 2, 4, 9, 9000, false },
		{ 200, 1, UINT32_MAX, UINT32_MAX, INT64_MAX, false },
	};
	struct store_run there = quoted(1, 100, 1, 5, 2, 1000), bad = quoted(2, 100, 2, 9, 9, 9);
	struct store *s = stored_open(tree, STORE_HOLD);

	bad.summary.facts.attest.state = FACTS_ATTEST_BAD;
	stored_insert(s, &there);
	stored_insert(s, &bad);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct store_run run = quoted(3 + i, rows[i].ended_s, rows[i].key, rows[i].resets,
					      rows[i].restarts, rows[i].clock_ms);

		runs_judge(NULL, s, &run);
		assert_int_equal(run.summary.facts.attest.is_overtaken, rows[i].is_overtaken);
	}
	store_close(s);
}
