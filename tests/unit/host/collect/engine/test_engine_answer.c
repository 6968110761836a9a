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

/* The rows of one more answer, of machines `first` to `last`. */
static const char *add_answer(struct engine_answer *a, size_t field, unsigned first, unsigned last)
{
	static const struct engine_answer_kind kind = { .label = { "uuid" },
							.field = { "lines", "lost" } };
	json_t *result = json_array(), *answer;
	const char *why;

	for (unsigned n = first; n <= last; n++)
		json_array_append_new(result, json_pack("{s:{s:o}, s:[i, s]}", "metric", "uuid",
							json_sprintf("%u", n), "value", 0, "1"));
	answer = json_pack("{s:{s:s, s:o}}", "data", "resultType", "vector", "result", result);
	assert_non_null(answer);
	why = engine_answer_victoria(a, &kind, field, answer);
	json_decref(answer);
	return why;
}

/* Answers about the same machines are no more rows; those about others are, up to a bound. */
TEST(test_rows_of_many_answers)
{
	struct engine_answer a = { 0 };

	for (size_t field = 0; field < 2; field++) {
		assert_null(add_answer(&a, field, 1, 4));
		assert_null(engine_answer_join(&a, 4));
		assert_int_equal(a.count, 4);
	}
	assert_true(a.row[0].value[0] == 1 && a.row[0].value[1] == 1);
	assert_null(add_answer(&a, 0, 4, 5));
	assert_string_equal(engine_answer_join(&a, 4), "the answers have too many rows");
	assert_null(engine_answer_join(&a, 5));
	assert_int_equal(a.count, 5);
	engine_answer_free(&a);
}
