/* SPDX-License-Identifier: BSD-2-Clause */
/* The library parses requests; what is longer than its buffer, or malformed, it refuses itself. */
#include "web.h"

#include "host/lib/monotonic.h"
#include "host/fleet/runs.h"
#include "host/lib/json_name.h"
#include "core/lib/uuid.h"

#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
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
	uint64_t since_ns;
	bool is_listed; /* not given up */
	TAILQ_ENTRY(client) ages;
};

struct web {
	struct MHD_Daemon *daemon;
	struct store *store; /* of the thread that answers */
	uint64_t max_age_ns;
	pthread_mutex_t mutex; /* for what follows */
	struct MHD_Response *metrics, *health;
	bool is_healthy;
	size_t count;
	TAILQ_HEAD(, client) clients; /* the oldest first */
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

/* The library sees the end of the connection, and closes it. */
static void give_up(struct web *web, struct client *client)
{
	TAILQ_REMOVE(&web->clients, client, ages);
	client->is_listed = false;
	web->count--;
	shutdown(client->fd, SHUT_RDWR);
}

static void add_client(struct web *web, struct client *client, int fd)
{
	*client = (struct client){ .fd = fd, .since_ns = monotonic_ns(), .is_listed = true };
	TAILQ_INSERT_TAIL(&web->clients, client, ages);
	if (++web->count > WEB_CLIENTS)
		give_up(web, TAILQ_FIRST(&web->clients));
}

static void on_connection(void *ctx, struct MHD_Connection *connection, void **client,
			  enum MHD_ConnectionNotificationCode what)
{
	struct web *web = ctx;
	struct client *c = *client;
	int fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;

	pthread_mutex_lock(&web->mutex);
	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		*client = c = malloc(sizeof(*c));
		if (c)
			add_client(web, c, fd);
		else
			shutdown(fd, SHUT_RDWR);
	} else {
		if (c && c->is_listed) {
			TAILQ_REMOVE(&web->clients, c, ages);
			web->count--;
		}
		free(c);
		*client = NULL;
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

static const char *name_of(struct maybe verdict)
{
	return verdict.known ? verdict_name((enum verdict)verdict.value) : NULL;
}

static char *answer_run(uint64_t max_age_ns, const char *uuid, const struct store_run *run,
			unsigned *status)
{
	enum verdict outcome = summary_outcome(&run->summary);
	const struct maybe judged = { outcome, run->summary.judged.set };
	const struct maybe own = { summary_own_outcome(&run->summary), true };
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
			      "policy_verdict", name_of(judged), "node_verdict", name_of(own),
			      "reasons", reasons));
}

static int copy_run(void *ctx, const struct store_run *run)
{
	*(struct store_run *)ctx = *run;
	return 0;
}

char *web_verdict(struct store *store, uint64_t max_age_ns, const char *uuid, unsigned *status)
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
	char *text = uuid ? web_verdict(web->store, web->max_age_ns, uuid, &status)
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

/* Once the headers are there. MHD_NO closes the connection. */
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

/* Its thread takes no signals. */
static struct MHD_Daemon *start_daemon(struct web *web, int fd)
{
	sigset_t all, before;
	struct MHD_Daemon *daemon;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	daemon = MHD_start_daemon(MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL,
				  on_request, web, MHD_OPTION_LISTEN_SOCKET, fd,
				  MHD_OPTION_CONNECTION_LIMIT, (unsigned)(WEB_CLIENTS + CLOSING),
				  MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_MAX,
				  MHD_OPTION_NOTIFY_CONNECTION, on_connection, web, MHD_OPTION_END);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return daemon;
}

struct web *web_start(int fd, const char *folder, uint64_t max_age_ns)
{
	struct web *web = calloc(1, sizeof(*web));
	char why[STORE_WHY];

	if (!web)
		return NULL;
	web->store = store_open(folder, STORE_READ, why);
	web->max_age_ns = max_age_ns;
	pthread_mutex_init(&web->mutex, NULL);
	TAILQ_INIT(&web->clients);
	/* A client may be gone before it is accepted. */
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	web->daemon = web->store ? start_daemon(web, fd) : NULL;
	if (web->daemon)
		return web;
	store_close(web->store);
	free(web);
	return NULL;
}

void web_show(struct web *web, char *metrics, char *health, bool is_healthy)
{
	struct MHD_Response *fresh[] = { respond(TEXT, metrics), respond(JSON, health) }, *old[2];
	struct client *client;
	uint64_t now = monotonic_ns();

	pthread_mutex_lock(&web->mutex);
	old[0] = web->metrics;
	old[1] = web->health;
	web->metrics = fresh[0];
	web->health = fresh[1];
	web->is_healthy = is_healthy;
	while ((client = TAILQ_FIRST(&web->clients)) && now - client->since_ns > WEB_CLIENT_NS)
		give_up(web, client);
	pthread_mutex_unlock(&web->mutex);
	for (unsigned i = 0; i < 2; i++)
		if (old[i])
			MHD_destroy_response(old[i]);
}

void web_stop(struct web *web)
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
