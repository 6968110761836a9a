/* SPDX-License-Identifier: BSD-2-Clause */
/* Which nodes have a place in --metrics when there are more than places. */
#define _GNU_SOURCE /* open_memstream */
#include "tests/unit/common/test.h"

#include "host/collect/nodes.h"

#include <stdlib.h>
#include <string.h>

#define FIRST "192.0.2.1"
#define OTHER "192.0.2.2"

static struct nodes nodes;

static int end(void **state)
{
	(void)state;
	nodes_free(&nodes);
	assert_null(nodes.hosts);
	return 0;
}

static struct index_entry run_of(const char *host, unsigned id, const char *verdict)
{
	struct index_entry e = { .sid = id, .at = 1, .summary.ended = true };

	snprintf(e.from, sizeof(e.from), "%s", host);
	snprintf(e.summary.uuid, sizeof(e.summary.uuid), "%08u-machine", id);
	snprintf(e.summary.verdict, sizeof(e.summary.verdict), "%s", verdict);
	return e;
}

static void learn(const char *host, unsigned id, const char *verdict)
{
	struct index_entry e = run_of(host, id, verdict);

	nodes_learn(&nodes, &e, id);
}

static void learn_many(const char *host, unsigned first, const char *verdict)
{
	for (unsigned i = 0; i < NODES_MAX; i++)
		learn(host, first + i, verdict);
}

/* One of a host of its own each. */
static void learn_hosts(const char *verdict)
{
	char host[INDEX_FROM_MAX];

	for (unsigned i = 0; i < NODES_MAX; i++) {
		snprintf(host, sizeof(host), "10.0.%u.%u", i / 256, i % 256);
		learn(host, i, verdict);
	}
}

/* As its series have it. */
static bool has(unsigned id, const char *verdict)
{
	char line[128], *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);
	bool found;

	assert_non_null(to);
	nodes.due_ns = 0;
	nodes_print(&nodes, to);
	fclose(to);
	snprintf(line, sizeof(line), "node_verdict{uuid=\"%08u-machine\",verdict=\"%s\"} 1\n", id,
		 verdict);
	found = strstr(text, line) != NULL;
	free(text);
	return found;
}

TEST_F(NULL, end, test_all_have_places)
{
	learn_many(FIRST, 0, "pass");
	learn(FIRST, 7, "fail");
	assert_int_equal(nodes.count, NODES_MAX);
	assert_int_equal(nodes.left_out, 0);
	assert_true(has(7, "fail"));
	assert_true(has(NODES_MAX - 1, "pass"));
}

TEST_F(NULL, end, test_one_host_takes_not_all)
{
	learn_many(FIRST, 0, "pass");
	learn(OTHER, 20000, "fail");
	learn(OTHER, 20001, "pass");
	assert_true(has(20000, "fail"));
	assert_true(has(20001, "pass"));
	assert_int_equal(nodes.count, NODES_MAX);
	assert_int_equal(nodes.left_out, 2);
	/* The host that has most gets none, whatever it reports now. */
	learn_many(FIRST, 30000, "pass");
	learn_many(FIRST, 50000, "fail");
	assert_true(has(20000, "fail"));
	assert_true(has(20001, "pass"));
	learn(OTHER, 20001, "incomplete");
	assert_true(has(20001, "incomplete"));
	assert_int_equal(nodes.count, NODES_MAX);
}

/* All of them bad, and the other has none. */
TEST_F(NULL, end, test_invented_failures)
{
	learn_many(FIRST, 0, "fail");
	learn(OTHER, 20000, "none");
	learn(OTHER, 20001, "error");
	assert_true(has(20000, "none"));
	assert_true(has(20001, "error"));
}

TEST_F(NULL, end, test_bad_verdicts_come_first)
{
	learn_many(FIRST, 0, "pass");
	learn(FIRST, 20000, "pass");
	assert_false(has(20000, "pass"));
	learn(FIRST, 20000, "fail");
	learn(FIRST, 20001, "error");
	assert_true(has(20000, "fail"));
	assert_true(has(20001, "error"));
	assert_int_equal(nodes.left_out, 3);
}

TEST_F(NULL, end, test_hosts_with_one_each)
{
	learn_hosts("pass");
	learn(OTHER, 20000, "pass");
	assert_false(has(20000, "pass"));
	learn(OTHER, 20000, "none");
	assert_false(has(20000, "none"));
	learn(OTHER, 20000, "fail");
	assert_true(has(20000, "fail"));
	/* It has as many as the others now. */
	learn(OTHER, 20001, "fail");
	assert_false(has(20001, "fail"));
	assert_int_equal(nodes.count, NODES_MAX);
	/* Where all are bad, none is worse than they. */
	learn_hosts("fail");
	learn(FIRST, 20002, "fail");
	assert_false(has(20002, "fail"));
}

/* An address that the index has lost is a host, too; a node that moves is its new host's. */
TEST_F(NULL, end, test_hosts_that_change)
{
	learn_many("", 0, "pass");
	learn(FIRST, 20000, "pass");
	assert_true(has(20000, "pass"));
	learn_many(OTHER, 0, "pass");
	learn("", 20001, "pass");
	assert_true(has(20001, "pass"));
	assert_int_equal(nodes.count, NODES_MAX);
}

TEST_F(NULL, end, test_forgotten)
{
	learn_many(FIRST, 0, "pass");
	for (unsigned i = 0; i < NODES_MAX; i++) {
		struct index_entry e = run_of(FIRST, i, "pass");

		nodes_forget(&nodes, e.summary.uuid, e.sid);
	}
	assert_int_equal(nodes.count, 0);
	assert_int_equal(nodes.most, 0);
	assert_null(nodes.hosts);
	learn(FIRST, 1, "fail");
	assert_true(has(1, "fail"));
}

/* The latest of each, once. */
TEST_F(NULL, end, test_runs)
{
	struct index_entry later = run_of(FIRST, 2, "pass");
	unsigned seen[200] = { 0 };
	uint64_t *sid;
	size_t count;

	assert_null(nodes_runs(&nodes, &count));
	assert_int_equal(count, 0);
	for (unsigned id = 1; id < 100; id++)
		learn(FIRST, id, "fail");
	later.sid = 150;
	nodes_learn(&nodes, &later, 150);
	sid = nodes_runs(&nodes, &count);
	assert_int_equal(count, 99);
	for (size_t i = 0; i < count; i++)
		seen[sid[i]]++;
	for (unsigned id = 1; id < 100; id++)
		assert_int_equal(seen[id == 2 ? 150 : id], 1);
	free(sid);
}
