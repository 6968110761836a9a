/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics of the collector and of its nodes. The collector makes their text; another thread serves
 * it, so that no client delays the collector.
 */
#define _GNU_SOURCE /* asprintf, open_memstream */
#include "collect.h"

#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PREFIX "noisefloor_collect_"

/* ---- Prometheus' text format: families, each followed by its samples ---- */

static void put_family(FILE *to, const char *name, const char *type, const char *help)
{
	fprintf(to, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Quotes and backslashes are escaped, and control characters become '?'. NULL: no such label. */
static void put_label(FILE *to, char *before, const char *name, const char *value)
{
	char *clean = value ? memory_text(value) : NULL;

	if (!clean)
		return;
	fprintf(to, "%c%s=\"", *before, name);
	*before = ',';
	text_sanitize(clean);
	for (const char *at = clean; *at; at++) {
		if (*at == '"' || *at == '\\')
			fputc('\\', to);
		fputc(*at, to);
	}
	fputc('"', to);
	free(clean);
}

/* The beginning of a sample's line, with up to two labels. */
static void put_name(FILE *to, const char *name, const char *label, const char *value,
		     const char *other, const char *other_value)
{
	char before = '{';

	fputs(name, to);
	put_label(to, &before, label, value);
	put_label(to, &before, other, other_value);
	fputs(before == ',' ? "} " : " ", to);
}

/* ---- Nodes: each verdict is a series of its own, 1 or 0, so that a sum counts them ---- */

#define GOOD "verdict IN ('pass', 'none')"

/* Choose the nodes to show: the first of each host, then the second of each, and so on. */
#define CHOOSE                                                                                   \
	"DROP TABLE IF EXISTS temp.shown; CREATE TEMP TABLE shown AS SELECT * FROM (SELECT "     \
	"id, uuid, verdict, own_verdict, policy_verdict, length_ns, ended_s, mode, " GOOD " AS " \
	"good, row_number() OVER (PARTITION BY network(host) ORDER BY " GOOD ", id DESC) AS "    \
	"turn FROM latest WHERE uuid<>'') ORDER BY turn, good, id DESC LIMIT 10000"

#define VERDICTS_OF(column)                                                                 \
	"SELECT uuid, " column "=column1, column1 FROM shown CROSS JOIN (VALUES ('none'), " \
	"('pass'), ('fail'), ('incomplete'), ('error'))"

/* A query's rows have a UUID or NULL, a value, and a verdict or NULL. */
static const struct family {
	const char *name, *help, *query;
	bool is_ns; /* the value is ns, printed as seconds */
} families[] = {
	{ PREFIX "node_verdict", "1 for the verdict of the node's latest run that ended, else 0.",
	  VERDICTS_OF("verdict"), false },
	{ PREFIX "node_own_verdict", "With --policy: the same as the node itself judged.",
	  VERDICTS_OF("own_verdict") " WHERE policy_verdict IS NOT NULL", false },
	{ PREFIX "node_duration_seconds", "How long that run took.",
	  "SELECT uuid, length_ns, NULL FROM shown WHERE length_ns", true },
	{ PREFIX "node_ended_seconds", "When its end was received, s since 1970.",
	  "SELECT uuid, ended_s, NULL FROM shown", false },
	{ PREFIX "node_stretch", "1 where that run was of mode=stretch.",
	  "SELECT uuid, 1, NULL FROM shown WHERE mode='stretch'", false },
	{ PREFIX "nodes_left_out", "Further nodes than those above.",
	  "SELECT NULL, count(*) - (SELECT count(*) FROM shown), NULL FROM run WHERE latest AND "
	  "uuid<>''",
	  false },
};

/* SQL function network(host): an IPv4 address as it is; of an IPv6 address the first 64 bits. */
static void network(sqlite3_context *context, int count, sqlite3_value **values)
{
	const char *host = (const char *)sqlite3_value_text(values[0]);
	char text[INET6_ADDRSTRLEN];
	struct in6_addr address;

	(void)count;
	if (host && inet_pton(AF_INET6, host, &address) == 1) {
		memset(address.s6_addr + 8, 0, 8);
		host = inet_ntop(AF_INET6, &address, text, sizeof(text));
	}
	sqlite3_result_text(context, host, -1, SQLITE_TRANSIENT);
}

struct printing {
	FILE *to;
	const struct family *family;
};

static int put_sample(void *ctx, sqlite3_stmt *row)
{
	struct printing *p = ctx;
	const char *uuid = (const char *)sqlite3_column_text(row, 0);
	const char *verdict = (const char *)sqlite3_column_text(row, 2);
	uint64_t value = (uint64_t)sqlite3_column_int64(row, 1);

	put_name(p->to, p->family->name, "uuid", uuid, "verdict", verdict);
	if (p->family->is_ns)
		fprintf(p->to, "%.9f\n", (double)value / NS_PER_S);
	else
		fprintf(p->to, "%" PRIu64 "\n", value);
	return 0;
}

int collect_metrics_nodes(struct store *s, FILE *to)
{
	int error = sqlite3_create_function(store_sql(s), "network", 1,
					    SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, network, NULL,
					    NULL) == SQLITE_OK
			    ? store_run_sql(s, CHOOSE)
			    : ENOMEM;

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]) && !error; i++) {
		struct printing p = { to, &families[i] };

		put_family(to, families[i].name, "gauge", families[i].help);
		error = store_ask(s, families[i].query, NULL, put_sample, &p);
	}
	return error;
}

/* ---- The collector ---- */

static void put_datagrams(FILE *to, const struct receiver_counts *n)
{
	static const char name[] = PREFIX "datagrams_total";

	put_family(to, name, "counter", "Datagrams by result.");
	for (unsigned i = 0; i < RECEIVER_RESULTS; i++) {
		put_name(to, name, "result", receiver_result_name((enum receiver_result)i), NULL,
			 NULL);
		fprintf(to, "%" PRIu64 "\n", n->result[i]);
	}
}

static void put_all(FILE *to, struct collector *c)
{
	const struct receiver_counts *n = &c->receiver->counts;
	const struct forward_counts f = c->forward ? forward_counts(c->forward, c->reader)
						   : (struct forward_counts){ 0 };
	/* The last three are of a collector that forwards. */
	const struct {
		const char *name, *type, *help;
		uint64_t value;
	} all[] = {
		{ PREFIX "lines_total", "counter", "Record lines made durable.", n->lines },
		{ PREFIX "bytes_total", "counter", "Bytes of record lines made durable.",
		  n->bytes },
		{ PREFIX "unwritten_lines_total", "counter", "Lines refused because of the disk.",
		  n->lines_unwritten },
		{ PREFIX "runs_begun_total", "counter", "Runs that were begun.", n->runs_begun },
		{ PREFIX "runs_ended_total", "counter", "Runs whose end was received.",
		  n->runs_ended },
		{ PREFIX "runs_incomplete_total", "counter", "Ended runs with lost lines.",
		  n->runs_incomplete },
		{ PREFIX "runs", "gauge", "Runs that are stored.", c->receiver->runs_kept },
		{ PREFIX "wal_bytes", "gauge", "Bytes of the store's log that hold commits.",
		  c->wal_bytes },
		{ PREFIX "dropped_datagrams_total", "counter", "Datagrams that the system dropped.",
		  udp_socket_dropped(c->udp) },
		{ PREFIX "forward_waiting", "gauge",
		  "Ended runs waiting to be forwarded, for the first time or again.", f.waiting },
		{ PREFIX "forwarded_total", "counter", "Runs accepted by the engine.", f.taken },
		{ PREFIX "forward_refused_total", "counter", "Runs rejected by the engine.",
		  f.refused },
	};

	put_datagrams(to, n);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) - (c->forward ? 0 : 3); i++) {
		put_family(to, all[i].name, all[i].type, all[i].help);
		fprintf(to, "%s %" PRIu64 "\n", all[i].name, all[i].value);
	}
}

/* The page /healthz: a collector whose disk has no room is not healthy. */
static char *health_of(struct collector *c, bool *healthy)
{
	uint64_t oldest_s = c->forward ? forward_counts(c->forward, c->reader).oldest_s : 0;
	uint64_t room = collector_room(c), now = (uint64_t)time(NULL);
	char *text;

	*healthy = room > 0;
	if (asprintf(&text,
		     "{\"state\":\"%s\",\"room_bytes\":%" PRIu64 ",\"oldest_waiting_s\":%" PRIu64
		     "}",
		     *healthy ? "ok" : "disk full", arith_min(room, INT64_MAX),
		     oldest_s && now > oldest_s ? now - oldest_s : 0) < 0)
		return NULL;
	return text;
}

void collect_metrics_show(struct web *web, struct collector *c)
{
	char *text = NULL, *health;
	size_t bytes = 0;
	FILE *to = web ? open_memstream(&text, &bytes) : NULL;
	bool is_whole, is_healthy;

	if (!to)
		return;
	put_all(to, c);
	is_whole = collect_metrics_nodes(c->reader, to) == 0;
	if (fclose(to) != 0 || !is_whole) {
		free(text);
		text = NULL;
	}
	health = health_of(c, &is_healthy);
	collect_web_show(web, text, health, is_healthy);
}
