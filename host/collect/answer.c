/* SPDX-License-Identifier: BSD-2-Clause */
/* Only the method and the path of a request are looked at, and of a path only what is expected. */
#define _GNU_SOURCE /* asprintf */
#include "answer.h"

#include "host/fleet/status_show.h"
#include "host/lib/json_name.h"

#include "core/lib/uuid.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GET     "GET "
#define VERDICT "/verdict/"
#define HEALTH  "/healthz"
#define JSON    "application/json"

#define UNAVAILABLE "503 Service Unavailable"

static char *reply(const char *status, const char *type, const char *body, size_t *bytes)
{
	char *text;
	int n = asprintf(&text,
			 "HTTP/1.0 %s\r\nContent-Type: %s\r\n"
			 "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
			 status, type, strlen(body), body);

	*bytes = n < 0 ? 0 : (size_t)n;
	return n < 0 ? NULL : text;
}

/* Takes the object. */
static char *reply_json(const char *status, json_t *object, size_t *bytes)
{
	char *body = object ? json_dumps(object, JSON_COMPACT) : NULL;
	char *text = body ? reply(status, JSON, body, bytes) : NULL;

	free(body);
	json_decref(object);
	return text;
}

static char *reply_reason(const char *status, const char *reason, size_t *bytes)
{
	return reply_json(status, json_pack("{s:n, s:[s]}", "outcome", "reasons", reason), bytes);
}

static char *reply_unknown(const char *why, size_t *bytes)
{
	return reply_json(UNAVAILABLE,
			  json_pack("{s:n, s:[s+]}", "outcome", "reasons", "not known: ", why),
			  bytes);
}

static const char *name_of(struct maybe verdict)
{
	return verdict.known ? verdict_name((enum verdict)verdict.value) : NULL;
}

static char *reply_run(const struct answer_pages *p, const char *uuid, const struct nodes_run *run,
		       size_t *bytes)
{
	const struct maybe judged = { run->verdict, run->own.known };
	const struct maybe own = run->own.known ? run->own : (struct maybe){ run->verdict, true };
	uint64_t now = (uint64_t)time(NULL);
	enum verdict outcome = run->verdict;
	json_t *reasons = json_array();
	char why[STATUS_WHY];

	if (*run->reason && outcome != VERDICT_PASS)
		json_array_append_new(reasons, json_string(run->reason));
	if (status_has_expired(outcome, run->ended_s, p->max_age_ns, why)) {
		outcome = VERDICT_INCOMPLETE;
		json_array_append_new(reasons, json_string(why));
	}
	return reply_json(outcome == VERDICT_PASS ? "200 OK" : "409 Conflict",
			  json_pack("{s:s, s:s, s:o, s:I, s:s?, s:s, s:o}", "uuid", uuid, "outcome",
				    verdict_name(outcome), "run", json_sid(run->sid), "age_s",
				    (json_int_t)(now > run->ended_s ? now - run->ended_s : 0),
				    "policy_verdict", name_of(judged), "node_verdict", name_of(own),
				    "reasons", reasons),
			  bytes);
}

static char *reply_verdict(const struct answer_pages *p, const char *uuid, size_t *bytes)
{
	uint8_t parsed[UUID_BYTES];
	struct nodes_run run;
	const char *why;

	if (!uuid_parse(uuid, parsed))
		return reply_reason("400 Bad Request", "not a UUID; accepted: " VERDICT "UUID",
				    bytes);
	switch (verdicts_find(p->verdicts, uuid, &run, &why)) {
	case VERDICTS_FOUND:
		return reply_run(p, uuid, &run, bytes);
	case VERDICTS_NONE:
		return reply_reason("404 Not Found", "no run of this machine has ended", bytes);
	case VERDICTS_BUSY:
		return reply_reason(UNAVAILABLE "\r\nRetry-After: 1",
				    "not known yet: the index is being written", bytes);
	case VERDICTS_LACKS:
		break;
	}
	return reply_unknown(why, bytes);
}

static char *reply_page(struct answer_pages *p, bool is_health, size_t *bytes)
{
	char *answer;

	pthread_mutex_lock(&p->mutex);
	if (is_health)
		answer = reply(p->healthy ? "200 OK" : UNAVAILABLE, JSON,
			       p->health ? p->health : "{}", bytes);
	else
		answer = reply("200 OK", "text/plain; version=0.0.4", p->metrics ? p->metrics : "",
			       bytes);
	pthread_mutex_unlock(&p->mutex);
	return answer;
}

char *answer_make(struct answer_pages *p, const char *request, size_t *bytes)
{
	bool gets = strncmp(request, GET, strlen(GET)) == 0;
	char path[ANSWER_HEAD];

	request += strcspn(request, " \r\n");
	request += *request == ' ';
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(request, " \r\n"), request);
	if (!gets && (strncmp(path, VERDICT, strlen(VERDICT)) == 0 || strcmp(path, HEALTH) == 0))
		return reply_reason("405 Method Not Allowed", "accepted: GET", bytes);
	if (strncmp(path, VERDICT, strlen(VERDICT)) == 0)
		return reply_verdict(p, path + strlen(VERDICT), bytes);
	return reply_page(p, strcmp(path, HEALTH) == 0, bytes);
}
