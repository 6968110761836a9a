/* SPDX-License-Identifier: BSD-2-Clause */
/* InfluxDB answers with JSON, VictoriaMetrics with plain text. */
#include "engine_answer.h"

#include "host/lib/text_sanitize.h"

#include "core/lib/arith.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define UNKNOWN_FORM "the answer has no reason that can be read"

static const char *error_of(const json_t *answer)
{
	const json_t *error = json_object_get(answer, "error");

	return error ? json_is_string(error) ? json_string_value(error) : UNKNOWN_FORM : NULL;
}

/* Of an answer that is not JSON: VictoriaMetrics reports so. NULL: none for people. */
static const char *plain_text(const struct http_answer *http)
{
	return *http->body && !strchr("<{[", *http->body) ? http->body : NULL;
}

void engine_answer_why(const struct http_answer *http, char why[ENGINE_ANSWER_WHY])
{
	json_t *answer = json_loadb(http->body, http->bytes, 0, NULL);
	const char *error = answer ? error_of(answer) : NULL;

	error = error ? error : plain_text(http);
	if (!http->status)
		snprintf(why, ENGINE_ANSWER_WHY, "%s", http->why);
	else if (http->status >= 300 && http->status < 400)
		snprintf(why, ENGINE_ANSWER_WHY, "HTTP status %d: redirects are not followed",
			 http->status);
	else if (error)
		snprintf(why, ENGINE_ANSWER_WHY, "HTTP status %d: %.*s", http->status,
			 (int)arith_min(150, strcspn(error, "\r\n")), error);
	else
		snprintf(why, ENGINE_ANSWER_WHY, "HTTP status %d", http->status);
	text_sanitize(why);
	json_decref(answer);
}
