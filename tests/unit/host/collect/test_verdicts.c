/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine without a place among the nodes is answered by the index, or not at all. */
#include "tests/unit/common/test.h"
#include "tests/unit/tree.h"

#include "host/collect/index/index_db.h"
#include "host/collect/index/index_whole.h"
#include "host/collect/verdicts.h"

#include <fcntl.h>
#include <string.h>

#define ID    "11111111-2222-3333-4444-aaaaaaaaaaaa"
#define UPPER "11111111-2222-3333-4444-AAAAAAAAAAAA"
#define OTHER "11111111-2222-3333-4444-bbbbbbbbbbbb"

static struct verdicts verdicts;
static struct nodes_run run;
static const char *why;
static int lock;
static bool has_facts; /* what policies ask for */

static int start(void **state)
{
	if (tree_open(state) != 0)
		return -1;
	lock = openat(tree_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	index_whole_claim(lock, true);
	verdicts = (struct verdicts){ .dir = tree_fd, .nodes.left_out = 1 };
	why = NULL;
	return lock < 0 ? -1 : 0;
}

static int end(void **state)
{
	nodes_free(&verdicts.nodes);
	close(lock);
	return tree_close(state);
}

static struct index_entry entry(uint64_t sid, const char *uuid, const char *verdict)
{
	struct index_entry e = { .sid = sid, .at = 1000 + sid };

	strcpy(e.summary.uuid, uuid);
	strcpy(e.summary.verdict, verdict);
	strcpy(e.summary.reason, "own");
	strcpy(e.summary.facts.version, "1.1.0");
	e.summary.ended = *verdict;
	e.summary.facts.known = has_facts;
	return e;
}

/* "" has not ended. */
static void put(uint64_t sid, const char *uuid, const char *verdict)
{
	struct index_db_change change = { .what = INDEX_DB_PUT,
					  .entry = entry(sid, uuid, verdict) };
	struct index_db_changes changes = STAILQ_HEAD_INITIALIZER(changes);
	struct index_db *db;

	STAILQ_INSERT_TAIL(&changes, &change, next);
	assert_int_equal(index_db_open(tree_fd, false, &db), 0);
	assert_int_equal(index_db_write(db, &changes), 0);
	index_db_close(db);
}

static enum verdicts_result find(const char *uuid)
{
	return verdicts_find(&verdicts, uuid, &run, &why);
}

static void assert_found(uint64_t sid, enum verdict verdict)
{
	assert_int_equal(find(ID), VERDICTS_FOUND);
	assert_int_equal(run.sid, sid);
	assert_int_equal(run.ended_s, 1000 + sid);
	assert_int_equal(run.verdict, verdict);
}

/* In the order in which they began, whatever their numbers; what has not ended does not count. */
TEST_F(start, end, test_latest)
{
	put(7, OTHER, "pass");
	assert_int_equal(find(ID), VERDICTS_NONE);
	put(9, ID, "");
	assert_int_equal(find(ID), VERDICTS_NONE);
	put(5, UPPER, "pass");
	assert_found(5, VERDICT_PASS);
	assert_string_equal(run.reason, "own");
	put(3, ID, "fail");
	put(8, OTHER, "pass");
	put(2, ID, "");
	assert_found(3, VERDICT_FAIL);
	put(9, ID, "pass"); /* it began first */
	assert_found(3, VERDICT_FAIL);
}

/* Where every machine has a place, the index is not asked; nor for one that has. */
TEST_F(start, end, test_places)
{
	struct index_entry e = entry(4, ID, "fail");

	put(5, ID, "pass");
	verdicts.nodes.left_out = 0;
	assert_int_equal(find(ID), VERDICTS_NONE);
	nodes_learn(&verdicts.nodes, &e, 1);
	verdicts.nodes.left_out = 1;
	assert_found(4, VERDICT_FAIL);
}

/* Something was received that it does not have yet: neither a pass nor "none" is certain. */
TEST_F(start, end, test_behind)
{
	put(5, ID, "pass");
	index_whole_claim(lock, false);
	assert_int_equal(find(ID), VERDICTS_BUSY);
	assert_int_equal(find(OTHER), VERDICTS_BUSY);
	index_whole_claim(lock, true);
	assert_found(5, VERDICT_PASS);
	assert_int_equal(find(OTHER), VERDICTS_NONE);
}

TEST_F(start, end, test_damaged)
{
	put(5, ID, "pass");
	tree_write(INDEX_NAME, "no index");
	assert_int_equal(find(ID), VERDICTS_LACKS);
	assert_string_equal(why, "damaged, or not a collector's index");
	assert_int_equal(unlinkat(tree_fd, INDEX_NAME, 0), 0);
	assert_int_equal(find(ID), VERDICTS_LACKS);
	assert_string_equal(why, "No such file or directory");
}

static struct policy *policy_of(const char *text)
{
	struct policy *p;

	tree_write("policy.conf", text);
	p = policy_read("test", tree_path("policy.conf"));
	assert_non_null(p);
	return p;
}

/* By the one in force, of what the index has; the run's file is not read. */
TEST_F(start, end, test_policy)
{
	struct policy *p = policy_of("[default]\nversion = 1.2.0\n"), *other;

	has_facts = false;
	put(4, ID, "pass");
	verdicts_set_policy(&verdicts, p);
	assert_int_equal(find(ID), VERDICTS_LACKS);
	assert_non_null(strstr(why, "lacks what the policy asks for"));
	has_facts = true;
	put(5, ID, "pass");
	assert_found(5, VERDICT_FAIL);
	assert_true(run.own.known);
	assert_int_equal(run.own.value, VERDICT_PASS);
	other = policy_of("[product Other]\nversion = 1.2.0\n");
	verdicts_set_policy(&verdicts, other);
	policy_free(p);
	assert_found(5, VERDICT_NONE);
	verdicts_set_policy(&verdicts, NULL);
	policy_free(other);
	assert_found(5, VERDICT_PASS);
	assert_false(run.own.known);
}
