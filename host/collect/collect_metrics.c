/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector makes the text once a second. A thread of its own serves it, so that no client
 * delays the collector.
 */
#define _GNU_SOURCE /* open_memstream */
#include "collect.h"

#include "service/listen.h"
#include "service/service.h"

#include "host/lib/prom.h"

#include <errno.h>
#include <jansson.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "noisefloor_collect_"

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
	put(to, PREFIX "runs_begun_total", "counter", "Runs that were begun.", n->runs_begun);
	put(to, PREFIX "runs_ended_total", "counter", "Runs whose end was received.",
	    n->runs_ended);
	put(to, PREFIX "runs_incomplete_total", "counter", "Ended runs with lost lines.",
	    n->runs_incomplete);
	put(to, PREFIX "runs", "gauge", "Runs that are stored.", receiver_kept(c->receiver));
	put(to, PREFIX "runs_in_memory", "gauge", "Runs currently in memory.",
	    receiver_known(c->receiver));
	put(to, PREFIX "wal_bytes", "gauge", "Bytes of the store's log that hold commits.",
	    atomic_load(&c->sink.wal_bytes));
	put(to, PREFIX "dropped_datagrams_total", "counter", "Datagrams that the system dropped.",
	    udp_socket_dropped(c->udp));
	nodes_print(&c->nodes, to);
	if (!c->forward)
		return;
	forwarded = forward_counts(c->forward, c->nodes.store);
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
	uint64_t oldest_s = c->forward ? forward_counts(c->forward, c->nodes.store).oldest_s : 0;
	uint64_t room = sink_room(&c->sink), now = (uint64_t)time(NULL);
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

struct web *collect_metrics_start(const char *where, int fd, const char *folder,
				  uint64_t max_age_ns)
{
	struct web *web;
	char why[160];

	if (where)
		fd = listen_open(where, SOCK_STREAM, why, sizeof(why));
	if (fd < 0) {
		service_log(LOG_ERR, "--metrics %s: %s", where, why);
		return NULL;
	}
	web = web_start(fd, folder, max_age_ns);
	if (web)
		return web;
	service_log(LOG_ERR, "metrics: %s", strerror(errno));
	close(fd);
	return NULL;
}

void collect_metrics_show(struct web *web, struct collector *c)
{
	char *text = NULL, *health;
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);
	bool healthy;

	if (!to)
		return;
	put_all(to, c);
	if (fclose(to) == 0) {
		health = health_of(c, &healthy);
		web_show(web, text, health, healthy);
	} else {
		free(text);
	}
}
