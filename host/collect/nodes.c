/* SPDX-License-Identifier: BSD-2-Clause */
/* Each verdict is a series of its own, 1 or 0, so that a sum over the nodes counts them. */
#define _GNU_SOURCE /* open_memstream */
#include "nodes.h"

#include "host/lib/memory.h"
#include "host/lib/monotonic.h"
#include "host/lib/prom.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "noisefloor_collect_"

struct node {
	char uuid[SUMMARY_TEXT];
	enum verdict verdict, own;
	bool is_judged; /* by a policy: `own` is the node's */
	uint64_t ended_s, length_ns;
	const struct mode *mode;
};

struct list {
	struct node *at;
	size_t count;
	uint64_t left_out;
};

/* ---- Which ---- */

#define GOOD "verdict IN ('pass', 'none')"

/* The first of each host, then the second of each ... */
#define CHOSEN                                                                               \
	"WHERE run.id IN (SELECT id FROM (SELECT id, " GOOD " AS good, row_number() OVER "   \
	"(PARTITION BY network(host) ORDER BY " GOOD ", id DESC) AS turn FROM latest WHERE " \
	"uuid<>'') ORDER BY turn, good, id DESC LIMIT 10000)"

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

static int add(void *ctx, const struct store_run *run)
{
	struct list *l = ctx;
	struct node *list = memory_try_grow(l->at, l->count, sizeof(*list)), *node;

	if (!list)
		return ENOMEM;
	l->at = list;
	node = &list[l->count++];
	*node = (struct node){ .verdict = summary_outcome(&run->summary),
			       .own = summary_own_outcome(&run->summary),
			       .is_judged = run->summary.judged.set,
			       .ended_s = run->ended_s,
			       .length_ns = run->summary.length_ns,
			       .mode = run->summary.mode };
	memcpy(node->uuid, run->summary.uuid, sizeof(node->uuid));
	return 0;
}

static int read_list(struct nodes *nodes, struct list *l)
{
	uint64_t all;
	int error = store_number(nodes->store, "SELECT count(*) FROM run WHERE latest AND uuid<>''",
				 &all);

	if (!error)
		error = store_each(nodes->store,
				   all > NODES_MAX ? CHOSEN : "WHERE latest AND uuid<>''", NULL,
				   add, l);
	l->left_out = all > l->count ? all - l->count : 0;
	return error;
}

/* ---- As text ---- */

static struct prom_sample start(FILE *to, const char *name, const struct node *node)
{
	struct prom_sample sample = prom_open(to, name, "");

	prom_label(&sample, "uuid", node->uuid);
	return sample;
}

static void put_verdicts(FILE *to, const char *name, const struct node *node, enum verdict verdict)
{
	for (unsigned v = 0; v < VERDICTS; v++) {
		struct prom_sample sample = start(to, name, node);

		prom_label(&sample, "verdict", verdict_name((enum verdict)v));
		prom_number(&sample, verdict == (enum verdict)v);
	}
}

static void put_verdict(FILE *to, const char *name, const struct node *node)
{
	put_verdicts(to, name, node, node->verdict);
}

static void put_own(FILE *to, const char *name, const struct node *node)
{
	if (node->is_judged)
		put_verdicts(to, name, node, node->own);
}

static void put_length(FILE *to, const char *name, const struct node *node)
{
	struct prom_sample sample;

	if (!node->length_ns)
		return;
	sample = start(to, name, node);
	prom_seconds(&sample, node->length_ns);
}

static void put_ended(FILE *to, const char *name, const struct node *node)
{
	struct prom_sample sample = start(to, name, node);

	prom_number(&sample, node->ended_s);
}

/* Only where it is so: of a run whose begin has no configuration it is not known. */
static void put_stretch(FILE *to, const char *name, const struct node *node)
{
	struct prom_sample sample;

	if (node->mode != &mode_stretch)
		return;
	sample = start(to, name, node);
	prom_number(&sample, 1);
}

static const struct family {
	const char *name, *help;
	void (*put)(FILE *to, const char *name, const struct node *node);
} families[] = {
	{ PREFIX "node_verdict", "1 for the verdict of the node's latest run that ended, else 0.",
	  put_verdict },
	{ PREFIX "node_own_verdict", "With --policy: the same as the node itself judged.",
	  put_own },
	{ PREFIX "node_duration_seconds", "How long that run took.", put_length },
	{ PREFIX "node_ended_seconds", "When its end was received, s since 1970.", put_ended },
	{ PREFIX "node_stretch", "1 where that run was of mode=stretch.", put_stretch },
};

static void put_all(const struct list *l, FILE *to)
{
	struct prom_sample sample;

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]) && l->count; i++) {
		prom_family(to, families[i].name, "gauge", families[i].help);
		for (size_t n = 0; n < l->count; n++)
			families[i].put(to, families[i].name, &l->at[n]);
	}
	prom_family(to, PREFIX "nodes_left_out", "gauge", "Further nodes than those above.");
	sample = prom_open(to, PREFIX "nodes_left_out", "");
	prom_number(&sample, l->left_out);
}

static void refresh(struct nodes *nodes, uint64_t now)
{
	struct list l = { .count = 0 };
	size_t bytes;
	char *text = NULL;
	FILE *to = open_memstream(&text, &bytes);

	if (!to)
		return;
	/* What cannot be read is shown as it was. */
	if (read_list(nodes, &l) == 0)
		put_all(&l, to);
	else
		bytes = 0;
	free(l.at);
	if (fclose(to) == 0 && bytes) {
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
