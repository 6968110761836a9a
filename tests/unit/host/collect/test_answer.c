/* SPDX-License-Identifier: BSD-2-Clause */
/* What is answered over HTTP, whatever is asked. */
#include "tests/unit/common/test.h"
#include "tests/unit/some_records.h"

#include "host/collect/answer.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define ID    "11111111-2222-3333-4444-aaaaaaaaaaaa"
#define UPPER "11111111-2222-3333-4444-AAAAAAAAAAAA"
#define DAY   86400
#define OK    "HTTP/1.0 200 OK\r\n"

#define UNAVAILABLE "HTTP/1.0 503 Service Unavailable"

static struct verdicts verdicts;
static struct answer_pages pages;
static char metrics[] = "m 1\n", health[] = "{\"state\":\"ok\"}";

static int start(void **state)
{
	(void)state;
	pages = (struct answer_pages){ .verdicts = &verdicts,
				       .metrics = metrics,
				       .health = health,
				       .bytes = 4,
				       .healthy = true };
	return 0;
}

static int end(void **state)
{
	(void)state;
	nodes_free(&verdicts.nodes);
	return 0;
}

/* Received so many seconds ago. */
static void learn(const char *verdict, int64_t age_s, int judged)
{
	struct index_entry e = { .sid = 0xabc,
				 .at = (uint64_t)((int64_t)time(NULL) - age_s),
				 .from = "192.0.2.1" };

	strcpy(e.summary.uuid, UPPER);
	strcpy(e.summary.verdict, verdict);
	strcpy(e.summary.reason, "own");
	e.summary.ended = true;
	if (judged >= 0) {
		e.summary.judged.set = true;
		e.summary.judged.verdict = (enum verdict)judged;
		strcpy(e.summary.judged.reason, "by limit");
	}
	nodes_learn(&verdicts.nodes, &e, 1);
}

/* The answer begins so; its body, which is as long as it states. */
static char *ask(const char *request, const char *status)
{
	static char text[1000];
	size_t bytes;
	char *answer = answer_make(&pages, request, &bytes), *body;

	assert_non_null(answer);
	assert_int_equal(bytes, strlen(answer));
	assert_true(bytes < sizeof(text));
	strcpy(text, answer);
	free(answer);
	if (strncmp(text, status, strlen(status)) != 0)
		fail_msg("no `%s` in %s", status, text);
	body = strstr(text, "\r\n\r\n");
	assert_non_null(body);
	assert_int_equal(atoi(strstr(text, "Content-Length: ") + 16), strlen(body + 4));
	return body + 4;
}

static void assert_run(const char *status, const char *outcome, const char *policy,
		       const char *reason)
{
	json_t *o = json_loads(ask("GET /verdict/" ID " HTTP/1.1\r\n", status), 0, NULL);
	const char *by = json_string_value(json_object_get(o, "policy_verdict"));
	const char *why = json_string_value(json_array_get(json_object_get(o, "reasons"), 0));

	assert_non_null(o);
	assert_string_equal(json_string_value(json_object_get(o, "uuid")), ID);
	assert_string_equal(json_string_value(json_object_get(o, "run")), "0000000000000abc");
	assert_string_equal(json_string_value(json_object_get(o, "outcome")), outcome);
	assert_string_equal(by ? by : "", policy);
	assert_non_null(json_object_get(o, "node_verdict"));
	assert_string_equal(why ? why : "", reason);
	json_decref(o);
}

#define CONFLICT "HTTP/1.0 409 Conflict\r\n"

TEST_F(start, end, test_verdicts)
{
	assert_non_null(strstr(ask("GET /verdict/" ID " HTTP/1.1\r\n", "HTTP/1.0 404 Not Found"),
			       "no run of this machine has ended"));
	learn("pass", 10, -1);
	assert_run(OK, "pass", "", "");
	learn("fail", 10, -1);
	assert_run(CONFLICT, "fail", "", "own");
	learn("none", 10, -1);
	assert_run(CONFLICT, "none", "", "own");
	learn("fail", 10, VERDICT_PASS);
	assert_run(OK, "pass", "pass", "");
	learn("pass", 10, VERDICT_FAIL);
	assert_run(CONFLICT, "fail", "fail", "by limit");
}

/* At the limit it counts; a fail always does. */
TEST_F(start, end, test_age)
{
	pages.max_age_ns = 7 * DAY * UINT64_C(1000000000);
	learn("pass", 7 * DAY - 5, -1);
	assert_run(OK, "pass", "", "");
	learn("pass", 7 * DAY + 5, -1);
	assert_run(CONFLICT, "incomplete", "", "pass, but too old: received 168 h ago, at most 7d");
	learn("fail", 8 * DAY, -1);
	assert_run(CONFLICT, "fail", "", "own");
	learn("fail", 8 * DAY, VERDICT_PASS);
	assert_run(CONFLICT, "incomplete", "pass",
		   "pass, but too old: received 192 h ago, at most 7d");
	learn("pass", -2 * DAY, -1);
	assert_run(CONFLICT, "incomplete", "", "pass, but of the future: received in 48 h");
}

/* One that has no place may have failed. */
TEST_F(start, end, test_too_many)
{
	verdicts.nodes.left_out = 1;
	verdicts.dir = -1;
	assert_non_null(strstr(
		ask("GET /verdict/" ID " HTTP/1.1\r\n", UNAVAILABLE "\r\nRetry-After: 1\r\n"),
		"the index is being written"));
	learn("pass", 10, -1);
	assert_run(OK, "pass", "", "");
}

static const struct {
	const char *request, *status;
} requests[] = {
	{ "GET /verdict/" UPPER "\r\n", OK },
	{ "GET /verdict/" ID "/ HTTP/1.1\r\n", "HTTP/1.0 400 " },
	{ "GET /verdict/" ID "? HTTP/1.1\r\n", "HTTP/1.0 400 " },
	{ "GET /verdict/../healthz HTTP/1.1\r\n", "HTTP/1.0 400 " },
	{ "GET /verdict/%31 HTTP/1.1\r\n", "HTTP/1.0 400 " },
	{ "GET /verdict/ HTTP/1.1\r\n", "HTTP/1.0 400 " },
	{ "GET /verdict/\r\n", "HTTP/1.0 400 " },
	{ "POST /verdict/" ID " HTTP/1.1\r\n", "HTTP/1.0 405 " },
	{ "GET /healthz HTTP/1.1\r\n", OK },
	{ "PUT /healthz HTTP/1.1\r\n", "HTTP/1.0 405 " },
	{ "GET /metrics HTTP/1.1\r\n", OK },
	{ "GET / HTTP/1.0\r\n", OK },
	{ "\r\n", OK },
	{ "", OK },
};

TEST_F(start, end, test_requests)
{
	learn("pass", 10, -1);
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		ask(requests[i].request, requests[i].status);
	assert_string_equal(ask("GET /metrics HTTP/1.1\r\n", OK), metrics);
	assert_string_equal(ask("GET /healthz HTTP/1.1\r\n", OK), health);
	pages.healthy = false;
	ask("GET /healthz HTTP/1.1\r\n", "HTTP/1.0 503 ");
	/* Before there is any. */
	pages.metrics = pages.health = NULL;
	assert_string_equal(ask("GET /metrics HTTP/1.1\r\n", OK), "");
	assert_string_equal(ask("GET /healthz HTTP/1.1\r\n", "HTTP/1.0 503 "), "{}");
}

/* A UUID that is not quite one is none. */
TEST_F(start, end, test_any_uuid)
{
	const size_t uuid = strlen("GET /verdict/");
	struct some dice;

	some_start(&dice, 3);
	learn("pass", 10, -1);
	for (unsigned round = 0; round < 20000; round++) {
		char request[ANSWER_HEAD] = "GET /verdict/" ID " HTTP/1.1\r\n";

		request[uuid + some_bits(&dice) % strlen(ID)] = (char)some_bits(&dice);
		if (strncasecmp(request + uuid, ID, strlen(ID)) != 0)
			ask(request, "HTTP/1.0 40");
	}
}
