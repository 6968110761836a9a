/* SPDX-License-Identifier: BSD-2-Clause */
/* Each verdict is a series of its own, 1 or 0, so that a sum over the nodes counts them. */
#define _GNU_SOURCE /* open_memstream */
#include "nodes.h"

#include "host/lib/monotonic.h"
#include "host/lib/prom.h"

#include <arpa/inet.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "noisefloor_collect_"

#define GOOD "verdict IN ('pass', 'none')"

/* The first of each host, then the second of each ... */
#define CHOOSE                                                                                   \
	"DROP TABLE IF EXISTS temp.shown; CREATE TEMP TABLE shown AS SELECT * FROM (SELECT "     \
	"id, uuid, verdict, own_verdict, policy_verdict, length_ns, ended_s, mode, " GOOD " AS " \
	"good, row_number() OVER (PARTITION BY network(host) ORDER BY " GOOD ", id DESC) AS "    \
	"turn FROM latest WHERE uuid<>'') ORDER BY turn, good, id DESC LIMIT 10000"

#define LEFT_OUT "SELECT count(*) - (SELECT count(*) FROM shown) FROM run WHERE latest AND uuid<>''"

#define VERDICTS_OF(column)                                                                 \
	"SELECT uuid, " column "=column1, column1 FROM shown CROSS JOIN (VALUES ('none'), " \
	"('pass'), ('fail'), ('incomplete'), ('error'))"

/* Each has the UUID, a value, and perhaps a verdict. */
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
};

/* "192.0.2.1" and "2001:db8::". */
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

bool nodes_open(struct nodes *nodes, const char *folder, char why[STORE_WHY])
{
	*nodes = (struct nodes){ .store = store_open(folder, STORE_READ, why) };
	return nodes->store && sqlite3_create_function(store_sql(nodes->store), "network", 1,
						       SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
						       network, NULL, NULL) == SQLITE_OK;
}

void nodes_close(struct nodes *nodes)
{
	store_close(nodes->store);
	free(nodes->text);
}

struct printing {
	FILE *to;
	const struct family *family;
};

static int put_sample(void *ctx, sqlite3_stmt *row)
{
	const struct printing *p = ctx;
	const char *uuid = (const char *)sqlite3_column_text(row, 0);
	const char *verdict = (const char *)sqlite3_column_text(row, 2);
	uint64_t value = (uint64_t)sqlite3_column_int64(row, 1);
	struct prom_sample sample = prom_open(p->to, p->family->name, "");

	prom_label(&sample, "uuid", uuid ? uuid : "");
	if (verdict)
		prom_label(&sample, "verdict", verdict);
	if (p->family->is_ns)
		prom_seconds(&sample, value);
	else
		prom_number(&sample, value);
	return 0;
}

static int put_all(struct store *s, FILE *to)
{
	struct prom_sample sample;
	uint64_t shown, left_out;
	int error = store_run_sql(s, CHOOSE);

	error = error ? error : store_number(s, "SELECT count(*) FROM shown", &shown);
	error = error ? error : store_number(s, LEFT_OUT, &left_out);
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]) && !error && shown; i++) {
		struct printing p = { to, &families[i] };

		prom_family(to, families[i].name, "gauge", families[i].help);
		error = store_ask(s, families[i].query, NULL, put_sample, &p);
	}
	if (error)
		return error;
	prom_family(to, PREFIX "nodes_left_out", "gauge", "Further nodes than those above.");
	sample = prom_open(to, PREFIX "nodes_left_out", "");
	prom_number(&sample, left_out);
	return 0;
}

static void refresh(struct nodes *nodes, uint64_t now)
{
	size_t bytes;
	char *text = NULL;
	FILE *to = open_memstream(&text, &bytes);
	int error;

	if (!to)
		return;
	error = put_all(nodes->store, to);
	/* What cannot be read is shown as it was. */
	if (fclose(to) == 0 && !error) {
		free(nodes->text);
		nodes->text = text;
		nodes->bytes = bytes;
	} else {
		free(text);
	}
	nodes->changed = false;
	nodes->due_ns = now + 20 * (monotonic_ns() - now);
}

void nodes_print(struct nodes *nodes, FILE *to)
{
	uint64_t now = monotonic_ns();

	if (!nodes->text || (nodes->changed && now >= nodes->due_ns))
		refresh(nodes, now);
	if (nodes->text)
		fwrite(nodes->text, 1, nodes->bytes, to);
}
