/* SPDX-License-Identifier: BSD-2-Clause */
/* The library parses requests; what is longer than its buffer, or malformed, it refuses itself. */
#include "collect.h"

#include "service/service.h"

#include "host/fleet/runs.h"
#include "host/lib/json_name.h"
#include "host/lib/monotonic.h"

#include "core/lib/uuid.h"

#include <fcntl.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <jansson.h>
#include <time.h>

#define VERDICT "/verdict/"
#define HEALTH  "/healthz"
#define TEXT    "text/plain; version=0.0.4"
#define JSON    "application/json"

#define REQUEST_MAX 8192 /* bytes, of which a request's line and headers get half */
#define CLOSING     64   /* connections that were given up and are not closed yet */

struct client {
	int fd;
	uint64_t until_ns;
};

struct web {
	struct MHD_Daemon *daemon;
	struct store *store; /* the answering thread's */
	uint64_t max_age_ns;
	pthread_mutex_t mutex; /* for what follows */
	struct MHD_Response *metrics, *health;
	bool is_healthy;
	struct client client[WEB_CLIENTS]; /* active clients, the oldest first */
	size_t count;
};

/* Takes the text. NULL: memory has run out. */
static struct MHD_Response *respond(const char *type, char *text)
{
	struct MHD_Response *r = text ? MHD_create_response_from_buffer(strlen(text), text,
									MHD_RESPMEM_MUST_FREE)
				      : NULL;

	if (!r) {
		free(text);
		return NULL;
	}
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
	return r;
}

/* ---- Clients ---- */

static void remove_client(struct web *web, size_t n)
{
	web->count--;
	memmove(&web->client[n], &web->client[n + 1], (web->count - n) * sizeof(web->client[0]));
}

/* The library sees the end of the connection, and closes it. */
static void give_up_oldest(struct web *web)
{
	shutdown(web->client[0].fd, SHUT_RDWR);
	remove_client(web, 0);
}

static void on_connection(void *ctx, struct MHD_Connection *connection, void **unused,
			  enum MHD_ConnectionNotificationCode what)
{
	struct web *web = ctx;
	int fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	size_t n = 0;

	(void)unused;
	pthread_mutex_lock(&web->mutex);
	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		if (web->count == WEB_CLIENTS)
			give_up_oldest(web);
		web->client[web->count++] = (struct client){ fd, monotonic_ns() + WEB_CLIENT_NS };
	} else {
		while (n < web->count && web->client[n].fd != fd)
			n++;
		if (n < web->count)
			remove_client(web, n);
	}
	pthread_mutex_unlock(&web->mutex);
}

/* ---- Verdicts as JSON: one object, whatever is known ---- */

/* Takes the object. */
static char *dump(json_t *object)
{
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;

	json_decref(object);
	return text;
}

static char *answer_reason(const char *reason)
{
	return dump(json_pack("{s:n, s:[s]}", "outcome", "reasons", reason));
}

static char *answer_run(uint64_t max_age_ns, const char *uuid, const struct store_run *run,
			unsigned *status)
{
	enum verdict outcome = summary_outcome(&run->summary);
	const char *judged = run->summary.judged.set ? verdict_name(outcome) : NULL;
	const char *own = verdict_name(summary_own_outcome(&run->summary));
	const char *reason = summary_reason(&run->summary);
	uint64_t now = (uint64_t)time(NULL);
	json_t *reasons = json_array();
	char why[RUNS_WHY];

	if (*reason && outcome != VERDICT_PASS)
		json_array_append_new(reasons, json_string(reason));
	if (runs_has_expired(outcome, run->ended_s, max_age_ns, why)) {
		outcome = VERDICT_INCOMPLETE;
		json_array_append_new(reasons, json_string(why));
	}
	*status = outcome == VERDICT_PASS ? 200 : 409;
	return dump(json_pack("{s:s, s:s, s:o, s:I, s:s?, s:s, s:o}", "uuid", uuid, "outcome",
			      verdict_name(outcome), "run", json_sid(run->sid), "age_s",
			      (json_int_t)(now > run->ended_s ? now - run->ended_s : 0),
			      "policy_verdict", judged, "node_verdict", own, "reasons", reasons));
}

static int copy_run(void *ctx, const struct store_run *run)
{
	*(struct store_run *)ctx = *run;
	return 0;
}

char *collect_web_verdict(struct store *store, uint64_t max_age_ns, const char *uuid,
			  unsigned *status)
{
	struct store_run run = { .id = 0 };
	uint8_t parsed[UUID_BYTES];
	int error;

	*status = 400;
	if (!uuid_parse(uuid, parsed))
		return answer_reason("not a UUID; accepted: /verdict/UUID");
	error = store_each(store, "WHERE latest AND uuid<>'' AND uuid=?1", uuid, copy_run, &run);
	if (!error && run.id)
		return answer_run(max_age_ns, uuid, &run, status);
	*status = error ? 503 : 404;
	if (!error)
		return answer_reason("no run of this machine has ended");
	return dump(
		json_pack("{s:n, s:[s+]}", "outcome", "reasons", "not known: ", store_why(error)));
}

/* ---- Answers ---- */

static enum MHD_Result send_page(struct web *web, struct MHD_Connection *connection, bool is_health)
{
	enum MHD_Result result = MHD_NO;

	pthread_mutex_lock(&web->mutex);
	if (is_health && web->health)
		result = MHD_queue_response(connection, web->is_healthy ? 200 : 503, web->health);
	else if (!is_health && web->metrics)
		result = MHD_queue_response(connection, 200, web->metrics);
	pthread_mutex_unlock(&web->mutex);
	return result;
}

static enum MHD_Result send_verdict(struct web *web, struct MHD_Connection *connection,
				    const char *uuid)
{
	unsigned status = 405;
	char *text = uuid ? collect_web_verdict(web->store, web->max_age_ns, uuid, &status)
			  : answer_reason("accepted: GET");
	struct MHD_Response *r = respond(JSON, text);
	enum MHD_Result result;

	if (!r)
		return MHD_NO;
	if (status == 503)
		MHD_add_response_header(r, MHD_HTTP_HEADER_RETRY_AFTER, "1");
	result = MHD_queue_response(connection, status, r);
	MHD_destroy_response(r);
	return result;
}

/* Called when the headers are there. MHD_NO closes the connection. */
static enum MHD_Result on_request(void *ctx, struct MHD_Connection *connection, const char *path,
				  const char *method, const char *version, const char *body,
				  size_t *bytes, void **state)
{
	(void)version, (void)body, (void)bytes, (void)state;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return send_verdict(ctx, connection, NULL);
	if (strncmp(path, VERDICT, strlen(VERDICT)) == 0)
		return send_verdict(ctx, connection, path + strlen(VERDICT));
	return send_page(ctx, connection, strcmp(path, HEALTH) == 0);
}

/* ---- The server ---- */

struct web *collect_web_start(int fd, const char *folder, uint64_t max_age_ns)
{
	struct web *web = calloc(1, sizeof(*web));
	char why[STORE_WHY];

	if (!web)
		return NULL;
	web->store = store_open(folder, STORE_READ, why);
	web->max_age_ns = max_age_ns;
	pthread_mutex_init(&web->mutex, NULL);
	/* A client may be gone before it is accepted. */
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	if (web->store)
		web->daemon = MHD_start_daemon(
			MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, on_request,
			web, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
			(unsigned)(WEB_CLIENTS + CLOSING), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
			(size_t)REQUEST_MAX, MHD_OPTION_NOTIFY_CONNECTION, on_connection, web,
			MHD_OPTION_END);
	if (web->daemon)
		return web;
	service_log(LOG_ERR, "metrics: %s", web->store ? "HTTP cannot be served" : why);
	store_close(web->store);
	free(web);
	return NULL;
}

/* Takes a page's new answer, and releases the one before; NULL: that stays. */
static void web_replace(struct MHD_Response **page, struct MHD_Response *fresh)
{
	if (fresh && *page)
		MHD_destroy_response(*page);
	if (fresh)
		*page = fresh;
}

void collect_web_show(struct web *web, char *metrics, char *health, bool is_healthy)
{
	uint64_t now = monotonic_ns();

	pthread_mutex_lock(&web->mutex);
	web_replace(&web->metrics, respond(TEXT, metrics));
	web_replace(&web->health, respond(JSON, health));
	web->is_healthy = is_healthy;
	while (web->count && now >= web->client[0].until_ns)
		give_up_oldest(web);
	pthread_mutex_unlock(&web->mutex);
}

void collect_web_stop(struct web *web)
{
	if (!web)
		return;
	MHD_stop_daemon(web->daemon);
	if (web->metrics)
		MHD_destroy_response(web->metrics);
	if (web->health)
		MHD_destroy_response(web->health);
	store_close(web->store);
	free(web);
}
