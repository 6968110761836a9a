/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes shown in --metrics if there are more than places. */
#define _GNU_SOURCE /* open_memstream */
#include "tests/unit/stored.h"
#include "tests/unit/tree.h"

#include "host/collect/collect.h"

#include <stdlib.h>
#include <string.h>

#define FIRST "192.0.2.1"
#define OTHER "192.0.2.2"

static char *text;

static void end(void)
{
	free(text);
	text = NULL;
	stored_end();
}

static void learn(const char *host, unsigned id, const char *verdict)
{
	struct store_run run = stored_run(id, "", verdict);

	snprintf(run.host, sizeof(run.host), "%s", host);
	snprintf(run.summary.uuid, sizeof(run.summary.uuid), "%08u-machine", id);
	assert_int_equal(store_insert(stored, &run), 0);
}

static void learn_many(const char *host, unsigned first, unsigned count, const char *verdict)
{
	assert_int_equal(store_begin(stored), 0);
	for (unsigned i = 0; i < count; i++)
		learn(host, first + i, verdict);
	assert_int_equal(store_commit(stored), 0);
}

static void learn_one(const char *host, unsigned id, const char *verdict)
{
	learn_many(host, id, 1, verdict);
}

static void print(void)
{
	size_t bytes;
	FILE *to;

	free(text);
	to = open_memstream(&text, &bytes);
	assert_non_null(to);
	assert_int_equal(collect_metrics_nodes(stored, to), 0);
	fclose(to);
}

/* True if the run's series show this verdict. */
static bool has(unsigned id, const char *verdict)
{
	char line[128];

	snprintf(line, sizeof(line), "node_verdict{uuid=\"%08u-machine\",verdict=\"%s\"} 1\n", id,
		 verdict);
	return strstr(text, line) != NULL;
}

TEST_F(stored_start, end, test_all_have_places)
{
	learn_many(FIRST, 0, COLLECT_NODES_MAX - 1, "pass");
	learn_one(FIRST, 20000, "fail");
	print();
	assert_true(has(20000, "fail"));
	assert_true(has(0, "pass"));
	assert_non_null(strstr(text, "nodes_left_out 0\n"));
}

/* A host with many nodes takes no place from another host, whatever its nodes report. */
TEST_F(stored_start, end, test_one_host_takes_not_all)
{
	learn_one(OTHER, 20000, "pass");
	learn_one(OTHER, 20001, "none");
	learn_many(FIRST, 0, COLLECT_NODES_MAX, "fail");
	print();
	assert_true(has(20000, "pass"));
	assert_true(has(20001, "none"));
	assert_non_null(strstr(text, "nodes_left_out 2\n"));
}

TEST_F(stored_start, end, test_bad_verdicts_come_first)
{
	learn_one(FIRST, 20000, "fail");
	learn_one(FIRST, 20001, "error");
	learn_one(FIRST, 20002, "pass");
	learn_many(FIRST, 0, COLLECT_NODES_MAX, "pass");
	print();
	assert_true(has(20000, "fail"));
	assert_true(has(20001, "error"));
	assert_false(has(20002, "pass"));
}

/* The 2^64 addresses of one network of IPv6 are one host. */
TEST_F(stored_start, end, test_networks)
{
	char host[STORE_HOST_MAX];

	learn_one("2001:db8:0:2::1", 20000, "pass");
	assert_int_equal(store_begin(stored), 0);
	for (unsigned i = 0; i < COLLECT_NODES_MAX; i++) {
		snprintf(host, sizeof(host), "2001:db8:0:1::%x", i + 1);
		learn(host, i, "fail");
	}
	assert_int_equal(store_commit(stored), 0);
	print();
	assert_true(has(20000, "pass"));
}
