/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs that --keep removes, and times when it trusts the clock. */
#include "tests/unit/stored.h"
#include "tests/unit/tree.h"

#include "host/collect/retention.h"

#include <sqlite3.h>
#include <stdlib.h>

#define DAY UINT64_C(86400)
#define NOW (UINT64_C(1000) * DAY)
#define MIB (UINT64_C(1) << 20)

/* Add a run that was heard of so many seconds ago. */
static void add(uint64_t sid, const char *uuid, const char *verdict, uint64_t ago_s)
{
	struct store_run run = stored_run(sid, uuid, verdict);

	run.heard_s = NOW - ago_s;
	run.bytes = MIB;
	stored_insert(stored, &run);
}

static int take_sid(void *sids, struct sqlite3_stmt *row)
{
	const char *sid = (const char *)sqlite3_column_text(row, 0);
	char digit[] = { (char)('0' + strtoull(sid, NULL, 16)), '\0' };

	strcat(sids, digit);
	return 0;
}

/* Returns the sids of the chosen runs, one digit each, in the order of removal. */
static const char *choose(struct retention_limits limits, bool must_forward)
{
	struct retention r = { .limits = limits, .must_forward = must_forward };
	static char sids[80];

	*sids = '\0';
	assert_int_equal(retention_choose(&r, stored, NOW), 0);
	assert_int_equal(
		store_ask(stored, "SELECT sid FROM going ORDER BY id", NULL, take_sid, sids), 0);
	return sids;
}

static const char *aged(uint64_t days)
{
	return choose((struct retention_limits){ .age_s = days * DAY }, false);
}

/* Add one run a day, so that no time between two is a quarter of the limit. */
static void add_days(const char *uuid)
{
	for (uint64_t sid = 1; sid <= 9; sid++)
		add(sid, uuid, "pass", (9 - sid) * DAY + 3 * 3600);
}

TEST_F(stored_start, stored_end, test_the_oldest_go)
{
	add_days("box");
	assert_string_equal(aged(6), "123");
	assert_string_equal(aged(100), "");
	assert_string_equal(choose((struct retention_limits){ .bytes = 7 * MIB }, false), "12");
	assert_string_equal(choose((struct retention_limits){ .bytes = 9 * MIB }, false), "");
	/* The last is the latest of its machine. */
	assert_string_equal(choose((struct retention_limits){ .bytes = 1 }, false), "12345678");
}

TEST_F(stored_start, stored_end, test_the_latest_of_a_machine_stays)
{
	add(10, "other", "fail", 900 * DAY);
	add_days("box");
	assert_string_equal(choose((struct retention_limits){ .bytes = 1 }, false), "12345678");
}

/*
 * No run was received for a long time: the clock may have jumped, so a quarter of the limit
 * applies.
 */
TEST_F(stored_start, stored_end, test_a_clock_that_jumped)
{
	add(1, "box", "pass", 500 * DAY + 1);
	add(2, "box", "pass", 500 * DAY);
	add(3, "box", "pass", 3 * 3600);
	assert_string_equal(aged(4), "");
	/* Four such times are the limit. */
	add(4, "a", "pass", 400 * DAY);
	add(5, "b", "pass", 300 * DAY);
	add(6, "c", "pass", 200 * DAY);
	assert_string_equal(aged(4), "12");
}

/* A run without an end is removed after a day of silence, but for the latest of a machine. */
TEST_F(stored_start, stored_end, test_without_an_end)
{
	add_days("box");
	add(10, "", "", 8 * DAY);
	add(11, "", "", RETENTION_UNENDED_S - 1);
	add(12, "box", "", 8 * DAY);
	add(13, "box", "", 8 * DAY);
	assert_string_equal(choose((struct retention_limits){ .age_s = 6 * DAY }, false), "123:<");
	assert_string_equal(choose((struct retention_limits){ .bytes = 1 }, false), "12345678:<");
}

/*
 * The latest quote of each key, here of runs 1 and 2, stays: late arrivals of older ones are
 * refused by it.
 */
TEST_F(stored_start, stored_end, test_the_latest_quote_stays)
{
	add_days("box");
	assert_int_equal(store_run_sql(stored, "UPDATE run SET attest_state='good', "
					       "attest_key=id%2, attest_resets=7, "
					       "attest_clock_ms=10-id WHERE id<5"),
			 0);
	assert_string_equal(choose((struct retention_limits){ .bytes = 1 }, false), "345678");
}

TEST_F(stored_start, stored_end, test_what_waits_stays)
{
	add_days("box");
	store_run_sql(stored, "UPDATE run SET forward_state='accepted' WHERE id=1");
	store_run_sql(stored, "UPDATE run SET forward_state='refused' WHERE id=3");
	assert_string_equal(choose((struct retention_limits){ .bytes = 1 }, true), "13");
}

TEST_F(stored_start, stored_end, test_what_is_new_stays)
{
	add(1, "box", "pass", RETENTION_LEAST_S);
	add(2, "box", "pass", RETENTION_LEAST_S - 1);
	add(3, "box", "pass", 0);
	assert_string_equal(choose((struct retention_limits){ .bytes = 1 }, false), "1");
}

static uint64_t count(const char *query)
{
	uint64_t number;

	assert_int_equal(store_number(stored, query, &number), 0);
	return number;
}

/*
 * Rows are removed at once, and lines step by step. A run that gets a line after it was chosen
 * stays.
 */
TEST_F(stored_start, stored_end, test_steps)
{
	struct retention r = { .limits.bytes = 1 };
	struct store_lines lines = { .lines = 1, .text = "x\n", .bytes = 2 };
	char sids[80] = "";

	add_days("box");
	assert_int_equal(store_begin(stored), 0);
	for (; lines.seq < 200; lines.seq++)
		assert_int_equal(store_append(stored, 2, &lines), 0);
	assert_int_equal(store_commit(stored), 0);
	assert_int_equal(retention_choose(&r, stored, NOW), 0);
	assert_int_equal(store_run_sql(stored, "UPDATE progress SET bytes=bytes+1 WHERE run=1"), 0);
	retention_work(&r, stored);
	assert_true(r.has_removed);
	assert_int_equal(
		store_ask(stored, "SELECT sid FROM (" RETENTION_GONE ")", NULL, take_sid, sids), 0);
	assert_string_equal(sids, "2345678");
	assert_int_equal(count("SELECT count(*) FROM run"), 2);
	assert_int_equal(count("SELECT count(*) FROM progress"), 2);
	assert_int_equal(count("SELECT count(*) FROM chunk"), 200);
	r.due_ns = UINT64_MAX;
	for (unsigned n = 0; retention_is_due(&r); n++) {
		assert_true(n < 20);
		retention_work(&r, stored);
		assert_false(r.has_removed);
	}
	assert_int_equal(count("SELECT count(*) FROM chunk"), 0);
	assert_int_equal(count("SELECT count(*) FROM removed"), 0);
}

/* A clock that was set by a minute or more is not believed for two hours. */
TEST(test_clock)
{
	struct retention_clock clock = { .is_known = false };

	assert_true(retention_believes(&clock, 1000000, 100));
	assert_true(retention_believes(&clock, 1000600, 700));
	assert_true(retention_believes(&clock, 1000659, 700));
	assert_true(retention_believes(&clock, 1000600, 700));
	assert_false(retention_believes(&clock, 2000000, 800));
	assert_false(retention_believes(&clock, 2007199, 7999));
	assert_true(retention_believes(&clock, 2007200, 8000));
	assert_false(retention_believes(&clock, 2007140, 8000));
}

TEST(test_limits)
{
	static const char *const wrong[] = { "",   "1",   "1h",     "d",
					     "0G", "-1d", "1x",     "99999999999T",
					     "G",  "1GG", "400000d" };
	struct retention_limits limits = { .age_s = 0 };

	assert_true(retention_parse("90d", &limits));
	assert_true(retention_parse("50G", &limits));
	assert_int_equal(limits.age_s, 90 * DAY);
	assert_int_equal(limits.bytes, UINT64_C(50) << 30);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(retention_parse(wrong[i], &limits));
}
