/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers over HTTP to any request. */
#include "tests/unit/stored.h"
#include "tests/unit/tree.h"

#include "host/collect/collect.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ID    "11111111-2222-3333-4444-aaaaaaaaaaaa"
#define UPPER "11111111-2222-3333-4444-AAAAAAAAAAAA"
#define DAY   86400

static struct store *reader;
static uint64_t runs;
static uint64_t max_age_ns;

static void start(void)
{
	stored_start();
	max_age_ns = runs = 0;
	reader = stored_open(tree, STORE_READ);
}

static void end(void)
{
	store_close(reader);
	stored_end();
}

/* Store a run, received so many seconds ago, as the latest of the machine. */
static void learn(const char *verdict, int64_t age_s, int judged)
{
	struct store_run run = stored_run(0xabc + runs++, UPPER, verdict);

	run.ended_s = (uint64_t)((int64_t)time(NULL) - age_s);
	strcpy(run.summary.reason, "own");
	if (judged >= 0) {
		run.summary.judged.set = true;
		run.summary.judged.verdict = (enum verdict)judged;
		strcpy(run.summary.judged.reason, "by limit");
	}
	stored_insert(stored, &run);
}

/* The answer to a request, which has this status. */
static char *ask(const char *uuid, unsigned status)
{
	static char text[1000];
	unsigned answered;
	char *answer = collect_web_verdict(reader, max_age_ns, uuid, &answered);

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
	char sid[STORE_SID];

	assert_non_null(o);
	assert_string_equal(json_string_value(json_object_get(o, "uuid")), ID);
	snprintf(sid, sizeof(sid), "%016llx", 0xabcULL + runs - 1);
	assert_string_equal(json_string_value(json_object_get(o, "run")), sid);
	assert_string_equal(json_string_value(json_object_get(o, "outcome")), outcome);
	assert_string_equal(by ? by : "", policy);
	assert_non_null(json_object_get(o, "node_verdict"));
	assert_string_equal(why ? why : "", reason);
	json_decref(o);
}

#define OK       200u
#define CONFLICT 409u

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

/* A pass as old as the limit still counts; a fail always does. */
TEST_F(start, end, test_age)
{
	max_age_ns = 7 * DAY * UINT64_C(1000000000);
	learn("pass", 7 * DAY - 60, -1);
	assert_run(OK, "pass", "", "");
	learn("pass", 7 * DAY + 60, -1);
	assert_run(CONFLICT, "incomplete", "", "pass, but too old: received 168 h ago, at most 7d");
	learn("fail", 8 * DAY, -1);
	assert_run(CONFLICT, "fail", "", "own");
	learn("fail", 8 * DAY, VERDICT_PASS);
	assert_run(CONFLICT, "incomplete", "pass",
		   "pass, but too old: received 192 h ago, at most 7d");
	learn("pass", -2 * DAY, -1);
	assert_run(CONFLICT, "incomplete", "", "pass, but of the future: received in 48 h");
}

TEST_F(start, end, test_no_uuid)
{
	static const char *const none[] = { "", ID "/", ID " ", "../healthz", "%31" };

	learn("pass", 10, -1);
	ask(UPPER, OK);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_non_null(strstr(ask(none[i], 400), "not a UUID"));
}
