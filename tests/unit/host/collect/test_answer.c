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

static struct verdicts verdicts;
static uint64_t max_age_ns;

static int start(void **state)
{
	(void)state;
	max_age_ns = 0;
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

/* What is answered with this status. */
static char *ask(const char *uuid, unsigned status)
{
	static char text[1000];
	unsigned answered;
	char *answer = answer_verdict(&verdicts, max_age_ns, uuid, &answered);

	assert_non_null(answer);
	assert_int_equal(answered, status);
	assert_true(strlen(answer) < sizeof(text));
	strcpy(text, answer);
	free(answer);
	return text;
}

static void assert_run(unsigned status, const char *outcome, const char *policy, const char *reason)
{
	json_t *o = json_loads(ask(ID, status), 0, NULL);
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

#define OK          200u
#define CONFLICT    409u
#define UNAVAILABLE 503u

TEST_F(start, end, test_verdicts)
{
	assert_non_null(strstr(ask(ID, 404), "no run of this machine has ended"));
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
	max_age_ns = 7 * DAY * UINT64_C(1000000000);
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
	assert_non_null(strstr(ask(ID, UNAVAILABLE), "the index is being written"));
	learn("pass", 10, -1);
	assert_run(OK, "pass", "", "");
}

TEST_F(start, end, test_no_uuid)
{
	static const char *const none[] = { "", ID "/", ID " ", "../healthz", "%31" };

	learn("pass", 10, -1);
	ask(UPPER, OK);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_non_null(strstr(ask(none[i], 400), "not a UUID"));
}

/* A UUID that is not quite one is none. */
TEST_F(start, end, test_any_uuid)
{
	struct some dice;

	some_start(&dice, 3);
	learn("pass", 10, -1);
	for (unsigned round = 0; round < 20000; round++) {
		char uuid[] = ID;
		unsigned status;
		char *answer;

		uuid[some_bits(&dice) % strlen(ID)] = (char)some_bits(&dice);
		answer = answer_verdict(&verdicts, 0, uuid, &status);
		assert_non_null(answer);
		assert_int_equal(status == OK, strcasecmp(uuid, ID) == 0);
		free(answer);
	}
}
