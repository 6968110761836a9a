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

	if (!uuid_parse(uuid, parsed))
		return reply_reason("400 Bad Request", "not a UUID; accepted: " VERDICT "UUID",
				    bytes);
	if (nodes_find(p->nodes, uuid, &run))
		return reply_run(p, uuid, &run, bytes);
	if (nodes_is_full(p->nodes))
		return reply_reason("503 Service Unavailable",
				    "not known: there are more machines than places", bytes);
	return reply_reason("404 Not Found", "no run of this machine has ended", bytes);
}

char *answer_make(const struct answer_pages *p, const char *request, size_t *bytes)
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
	if (strcmp(path, HEALTH) == 0)
		return reply(p->healthy ? "200 OK" : "503 Service Unavailable", JSON,
			     p->health ? p->health : "{}", bytes);
	return reply("200 OK", "text/plain; version=0.0.4", p->metrics ? p->metrics : "", bytes);
}
