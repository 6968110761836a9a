/* SPDX-License-Identifier: BSD-2-Clause */
/* What an answer may take of memory, however short its text is. */
#include "host/collect/engine/engine_answer.h"

#include "tests/unit/common/test.h"

#include <stdlib.h>
#include <string.h>

/* Does an answer of `count` times `piece` between these load? */
static json_t *load(const char *before, const char *piece, size_t count, const char *after,
		    char why[ENGINE_ANSWER_WHY])
{
	size_t bytes = strlen(piece), room = strlen(before) + count * bytes + strlen(after) + 1;
	struct http_answer http = { .status = 200, .body = malloc(room) };
	char *at;
	json_t *answer;

	assert_non_null(http.body);
	at = stpcpy(http.body, before);
	for (size_t i = 0; i < count; i++)
		at = stpcpy(at, piece);
	at = stpcpy(at, after);
	http.bytes = (size_t)(at - http.body);
	answer = engine_answer_load(&http, why);
	free(http.body);
	return answer;
}

static void assert_too_many(const char *piece, size_t count)
{
	char why[ENGINE_ANSWER_WHY] = "";

	assert_null(load("{\"results\":[", piece, count, "0]}", why));
	assert_string_equal(why, "the answer has too many values");
}

static void assert_loads(const char *before, const char *piece, size_t count, const char *after)
{
	char why[ENGINE_ANSWER_WHY] = "";
	json_t *answer = load(before, piece, count, after, why);

	assert_string_equal(why, "");
	assert_non_null(answer);
	json_decref(answer);
}

TEST(test_too_many_values)
{
	assert_too_many("[],", 4 * ENGINE_ANSWER_MACHINES);
	assert_too_many("{},", 4 * ENGINE_ANSWER_MACHINES);
	assert_too_many("1,", 21 * ENGINE_ANSWER_MACHINES);
}

/* What is within strings is none, and a good many machines are not too many. */
TEST(test_not_too_many_values)
{
	assert_loads("{\"a\":\"", ",:[{", 6 * ENGINE_ANSWER_MACHINES, "\"}");
	assert_loads("{\"a\":\"\\\"", ",:[{", 6 * ENGINE_ANSWER_MACHINES, "\"}");
	assert_loads("{\"results\":[", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18],", 50000,
		     "0]}");
}
