/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector makes the text once a second; a separate thread serves it, so that no client delays
 * the collector, and none another.
 */
#define _GNU_SOURCE /* asprintf, open_memstream */
#include "collect.h"

#include "answer.h"
#include "service/listen.h"
#include "service/service.h"
#include "host/lib/output_file.h"
#include "host/lib/prom.h"
#include "host/lib/signals.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "noisefloor_collect_"

#define POLL_MS     200
#define CLIENTS     128 /* a further one takes the place of the oldest */
#define READERS     8   /* of them, that have asked and not yet read it all */
#define REQUEST_MAX 4096

struct client {
	char head[ANSWER_HEAD]; /* of its request */
	size_t got;
	char *reply; /* NULL: it has not asked */
	size_t bytes, sent;
};

/* The first is the socket that listens, the oldest client follows. */
struct clients {
	struct pollfd at[1 + CLIENTS];
	struct client client[1 + CLIENTS];
	nfds_t count;
};

struct metrics {
	char *file, *fresh; /* NULL: over HTTP */
	int fd;
	bool failed;
	pthread_t thread;
	_Atomic bool stop;
	struct answer_pages pages; /* its texts are ours */
};

static void put(FILE *to, const char *name, const char *type, const char *help, uint64_t value)
{
	struct prom_sample sample;

	prom_family(to, name, type, help);
	sample = prom_open(to, name, "");
	prom_number(&sample, value);
}

static void put_datagrams(FILE *to, const struct receiver_counts *n)
{
	static const char name[] = PREFIX "datagrams_total";

	prom_family(to, name, "counter", "Datagrams by result.");
	for (unsigned i = 0; i < RECEIVER_RESULTS; i++) {
		struct prom_sample sample = prom_open(to, name, "");

		prom_label(&sample, "result", receiver_result_name((enum receiver_result)i));
		prom_number(&sample, n->result[i]);
	}
}

static void put_all(FILE *to, struct collector *c)
{
	const struct receiver_counts *n = receiver_counts(c->receiver);
	struct forward_counts forwarded;

	put_datagrams(to, n);
	put(to, PREFIX "lines_total", "counter", "Record lines made durable.", n->lines);
	put(to, PREFIX "bytes_total", "counter", "Bytes of record lines made durable.", n->bytes);
	put(to, PREFIX "unwritten_lines_total", "counter", "Lines refused because of the disk.",
	    n->lines_unwritten);
	put(to, PREFIX "commits_total", "counter", "Group commits.", n->commits);
	put(to, PREFIX "acks_total", "counter", "Acknowledgements sent.", n->acks);
	put(to, PREFIX "runs_begun_total", "counter", "Runs whose file was created.",
	    n->runs_begun);
	put(to, PREFIX "runs_ended_total", "counter", "Runs whose end was received.",
	    n->runs_ended);
	put(to, PREFIX "runs_incomplete_total", "counter", "Ended runs with lost lines.",
	    n->runs_incomplete);
	put(to, PREFIX "runs", "gauge", "Runs with a file.", receiver_kept(c->receiver));
	put(to, PREFIX "runs_in_memory", "gauge", "Runs currently in memory.",
	    receiver_known(c->receiver));
	put(to, PREFIX "dropped_datagrams_total", "counter", "Datagrams that the system dropped.",
	    udp_queue_dropped(c->udp_queue));
	nodes_print(&c->verdicts.nodes, to);
	if (!c->forward)
		return;
	forwarded = forward_counts(c->forward);
	put(to, PREFIX "forward_waiting", "gauge",
	    "Ended runs waiting to be forwarded, for the first time or again.", forwarded.waiting);
	put(to, PREFIX "forwarded_total", "counter", "Runs accepted by the engine.",
	    forwarded.taken);
	put(to, PREFIX "forward_refused_total", "counter", "Runs rejected by the engine.",
	    forwarded.refused);
}

/* /healthz: a disk that takes no more is none. */
static char *health_of(struct collector *c, bool *healthy)
{
	const struct receiver_counts *n = receiver_counts(c->receiver);
	uint64_t oldest_s = c->forward ? forward_counts(c->forward).oldest_s : 0;
	uint64_t room = run_writer_room(&c->writer), now = (uint64_t)time(NULL);
	json_t *refused = json_object(), *page;
	char *text;

	*healthy = room > 0;
	for (unsigned i = RECEIVER_MALFORMED; i < RECEIVER_RESULTS; i++)
		if (i != RECEIVER_CHALLENGED)
			json_object_set_new(refused, receiver_result_name((enum receiver_result)i),
					    json_integer((json_int_t)n->result[i]));
	json_object_set_new(refused, "disk", json_integer((json_int_t)n->lines_unwritten));
	page = json_pack(
		"{s:s, s:I, s:I, s:o}", "state", *healthy ? "ok" : "disk full", "room_bytes",
		(json_int_t)(room > INT64_MAX ? INT64_MAX : room), "oldest_waiting_s",
		(json_int_t)(oldest_s && now > oldest_s ? now - oldest_s : 0), "refused", refused);
	text = json_dumps(page, JSON_COMPACT);
	json_decref(page);
	return text;
}

static void drop(struct clients *c, nfds_t i)
{
	nfds_t after = --c->count - i;

	close(c->at[i].fd);
	free(c->client[i].reply);
	memmove(&c->at[i], &c->at[i + 1], after * sizeof(*c->at));
	memmove(&c->client[i], &c->client[i + 1], after * sizeof(*c->client));
}

/* Some of it; true when there is nothing left to do. */
static bool send_reply(struct client *c, struct pollfd *at)
{
	ssize_t n = send(at->fd, c->reply + c->sent, c->bytes - c->sent,
			 MSG_NOSIGNAL | MSG_DONTWAIT);

	c->sent += n > 0 ? (size_t)n : 0;
	at->events = POLLOUT;
	if (c->sent < c->bytes)
		return n < 0 && errno != EAGAIN && errno != EINTR;
	shutdown(at->fd, SHUT_WR);
	return true;
}

/* True when there is nothing left to do for it. */
static bool answer(struct metrics *m, struct client *c, struct pollfd *at)
{
	char request[REQUEST_MAX];
	size_t room = sizeof(c->head) - 1 - c->got;
	ssize_t n;

	if (c->reply)
		return send_reply(c, at);
	n = recv(at->fd, request, sizeof(request), MSG_DONTWAIT);
	if (n <= 0)
		return true;
	/* What follows the first line is of no interest. No zero ends it sooner. */
	for (size_t i = 0; i < (size_t)n && i < room; i++)
		c->head[c->got++] = request[i] ? request[i] : '?';
	if (!memchr(c->head, '\n', c->got) && c->got < sizeof(c->head) - 1)
		return false;
	c->reply = answer_make(&m->pages, c->head, &c->bytes);
	return !c->reply || send_reply(c, at);
}

static void take_client(struct clients *c)
{
	int client = accept4(c->at[0].fd, NULL, NULL, SOCK_CLOEXEC);

	if (client < 0)
		return;
	if (c->count > CLIENTS)
		drop(c, 1);
	c->at[c->count] = (struct pollfd){ .fd = client, .events = POLLIN };
	c->client[c->count++] = (struct client){ .reply = NULL };
}

/* Who reads slowly does not hold memory for long. */
static void limit_readers(struct clients *c)
{
	unsigned readers = 0;

	for (nfds_t i = c->count - 1; i; i--) {
		if (c->client[i].reply && ++readers > READERS)
			drop(c, i);
	}
}

static void *serve_all(void *ctx)
{
	struct metrics *m = ctx;
	struct clients c = { .at = { { .fd = m->fd, .events = POLLIN } }, .count = 1 };

	signals_block();
	while (!atomic_load(&m->stop)) {
		if (poll(c.at, c.count, POLL_MS) <= 0)
			continue;
		for (nfds_t i = c.count - 1; i; i--) {
			if (c.at[i].revents && answer(m, &c.client[i], &c.at[i]))
				drop(&c, i);
		}
		limit_readers(&c);
		if (c.at[0].revents)
			take_client(&c);
	}
	while (c.count > 1)
		drop(&c, c.count - 1);
	return NULL;
}

static bool start_server(struct metrics *m, const char *where)
{
	char why[160];

	if (where)
		m->fd = listen_open(where, SOCK_STREAM, why, sizeof(why));
	if (m->fd < 0) {
		service_log(LOG_ERR, "--metrics %s: %s", where, why);
		return false;
	}
	if (pthread_create(&m->thread, NULL, serve_all, m) == 0)
		return true;
	service_log(LOG_ERR, "metrics: no thread available");
	close(m->fd);
	return false;
}

bool collect_metrics_is_address(const char *where)
{
	return strchr(where, ':') && !strchr(where, '/');
}

struct metrics *collect_metrics_start(const char *where, int fd, struct verdicts *verdicts,
				      uint64_t max_age_ns)
{
	struct metrics *m = calloc(1, sizeof(*m));
	bool well;

	if (!m)
		return NULL;
	m->fd = fd;
	m->pages = (struct answer_pages){ .verdicts = verdicts, .max_age_ns = max_age_ns };
	pthread_mutex_init(&m->pages.mutex, NULL);
	if (!where || collect_metrics_is_address(where)) {
		well = start_server(m, where);
	} else {
		m->file = strdup(where);
		well = m->file && asprintf(&m->fresh, "%s" OUTPUT_FILE_PART, where) > 0;
	}
	if (well)
		return m;
	free(m->file);
	free(m);
	return NULL;
}

/* Readers see the old text or the new one, never a part. */
static void write_file(struct metrics *m)
{
	FILE *f = output_file_new(m->fresh, 0644);
	bool well = f && fwrite(m->pages.metrics, 1, m->pages.bytes, f) == m->pages.bytes;

	if (f && fclose(f) != 0)
		well = false;
	if (well && rename(m->fresh, m->file) == 0) {
		m->failed = false;
		return;
	}
	if (!m->failed)
		service_log(LOG_ERR, "--metrics %s: %s", m->file, strerror(errno));
	m->failed = true;
}

void collect_metrics_show(struct metrics *m, struct collector *c)
{
	char *text = NULL, *health;
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);
	bool healthy;

	if (!to)
		return;
	put_all(to, c);
	if (fclose(to) != 0) {
		free(text);
		return;
	}
	health = health_of(c, &healthy);
	pthread_mutex_lock(&m->pages.mutex);
	free(m->pages.metrics);
	free(m->pages.health);
	m->pages.metrics = text;
	m->pages.bytes = bytes;
	m->pages.health = health;
	m->pages.healthy = healthy;
	pthread_mutex_unlock(&m->pages.mutex);
	if (m->file)
		write_file(m);
}

void collect_metrics_stop(struct metrics *m)
{
	if (!m)
		return;
	if (m->fd >= 0) {
		atomic_store(&m->stop, true);
		pthread_join(m->thread, NULL);
		close(m->fd);
	}
	free(m->file);
	free(m->fresh);
	free(m->pages.metrics);
	free(m->pages.health);
	free(m);
}
