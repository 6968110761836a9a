/* SPDX-License-Identifier: BSD-2-Clause */
/* Each verdict is a series of its own, 1 or 0, so that a sum over the nodes counts them. */
#define _GNU_SOURCE /* open_memstream, tdestroy, twalk_r */
#include "nodes.h"

#include "account.h"
#include "udp_queue.h"
#include "host/lib/monotonic.h"
#include "host/lib/prom.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PREFIX "noisefloor_collect_"

struct node {
	char uuid[SUMMARY_TEXT];
	struct nodes_run run;
	uint64_t order;
	struct maybe length_ns;
	const struct mode *mode;
	struct nodes_host *host;
	LIST_ENTRY(node) peers; /* of its host, as good or bad */
};

LIST_HEAD(node_list, node);

struct nodes_host {
	struct account_id address;
	size_t count;
	struct node_list good, bad;
	LIST_ENTRY(nodes_host) peers; /* of as many nodes */
};

static int by_uuid(const void *a, const void *b)
{
	return strcasecmp(((const struct node *)a)->uuid, ((const struct node *)b)->uuid);
}

static struct node *find(const struct nodes *nodes, const struct node *wanted)
{
	struct node *const *found = tfind(wanted, &nodes->tree, by_uuid);

	return found ? *found : NULL;
}

/* ---- Hosts ---- */

static int by_address(const void *a, const void *b)
{
	const struct nodes_host *x = a, *y = b;

	return memcmp(&x->address, &y->address, sizeof(x->address));
}

static struct account_id address_of(const struct index_entry *run)
{
	struct rx_address from;

	udp_queue_parse_address(run->from, &from);
	return account_host(&from);
}

static struct nodes_host *find_host(const struct nodes *nodes, const struct account_id *address)
{
	const struct nodes_host wanted = { .address = *address };
	struct nodes_host *const *found = tfind(&wanted, &nodes->hosts, by_address);

	return found ? *found : NULL;
}

/* NULL: memory has run out. */
static struct nodes_host *need_host(struct nodes *nodes, const struct account_id *address)
{
	struct nodes_host *host = find_host(nodes, address);

	if (host)
		return host;
	host = calloc(1, sizeof(*host));
	if (host)
		host->address = *address;
	if (host && tsearch(host, &nodes->hosts, by_address))
		return host;
	free(host);
	return NULL;
}

static bool is_bad(enum verdict verdict)
{
	return verdict != VERDICT_PASS && verdict != VERDICT_NONE;
}

/* Among those of as many nodes. */
static void rank_host(struct nodes *nodes, struct nodes_host *host)
{
	struct nodes_hosts *list = LIST_EMPTY(&host->good) ? nodes->all_bad : nodes->some_good;

	LIST_INSERT_HEAD(&list[host->count], host, peers);
	if (host->count > nodes->most)
		nodes->most = host->count;
}

static void enter(struct nodes *nodes, struct node *node, struct nodes_host *host)
{
	if (host->count++)
		LIST_REMOVE(host, peers);
	node->host = host;
	LIST_INSERT_HEAD(is_bad(node->run.verdict) ? &host->bad : &host->good, node, peers);
	rank_host(nodes, host);
}

static void leave(struct nodes *nodes, struct node *node)
{
	struct nodes_host *host = node->host;

	LIST_REMOVE(node, peers);
	LIST_REMOVE(host, peers);
	if (--host->count) {
		rank_host(nodes, host);
	} else {
		tdelete(host, &nodes->hosts, by_address);
		free(host);
	}
	while (nodes->most && LIST_EMPTY(&nodes->all_bad[nodes->most]) &&
	       LIST_EMPTY(&nodes->some_good[nodes->most]))
		nodes->most--;
}

/*
 * Whose place one more node of this host gets, NULL: of a host that has none yet. A host gives to
 * one that has less than it, and to a bad verdict where both then have the same. NULL: it gets
 * none.
 */
static struct node *find_place(const struct nodes *nodes, const struct nodes_host *host, bool bad)
{
	struct nodes_host *good_host = LIST_FIRST(&nodes->some_good[nodes->most]);
	struct nodes_host *bad_host = LIST_FIRST(&nodes->all_bad[nodes->most]);
	size_t count = host ? host->count : 0;

	if (good_host && nodes->most >= count + (bad ? 1 : 2))
		return LIST_FIRST(&good_host->good);
	if (bad_host && nodes->most >= count + 2)
		return LIST_FIRST(&bad_host->bad);
	return bad && host ? LIST_FIRST(&host->good) : NULL;
}

/* ---- Nodes ---- */

/* Of no host any more. */
static void drop(struct nodes *nodes, struct node *node)
{
	tdelete(node, &nodes->tree, by_uuid);
	free(node);
	nodes->count--;
	nodes->changed = true;
}

/* Of no host yet. NULL: there is no place for it. */
static struct node *add(struct nodes *nodes, const struct node *fresh,
			const struct account_id *address)
{
	struct node *node, *other;

	if (nodes->count == NODES_MAX) {
		other = find_place(nodes, find_host(nodes, address), is_bad(fresh->run.verdict));
		if (!other)
			return NULL;
		leave(nodes, other);
		drop(nodes, other);
		nodes->left_out++;
	}
	node = malloc(sizeof(*node));
	if (node)
		*node = *fresh;
	if (node && tsearch(node, &nodes->tree, by_uuid)) {
		nodes->count++;
		return node;
	}
	free(node);
	return NULL;
}

static void put(struct nodes *nodes, const struct node *fresh, const struct account_id *address)
{
	struct node *node = find(nodes, fresh);
	struct nodes_host *host;

	if (node && fresh->order < node->order)
		return;
	if (node)
		leave(nodes, node);
	else
		node = add(nodes, fresh, address);
	host = node ? need_host(nodes, address) : NULL;
	if (host) {
		*node = *fresh;
		enter(nodes, node, host);
	} else if (node) {
		drop(nodes, node);
	}
	nodes->left_out += !host;
	nodes->changed = true;
}

struct nodes_run nodes_run_of(const struct index_entry *run)
{
	const struct summary *s = &run->summary;
	struct nodes_run of = { .sid = run->sid,
				.ended_s = run->at,
				.verdict = summary_outcome(s),
				.own = { summary_own_outcome(s), s->judged.set } };

	snprintf(of.reason, sizeof(of.reason), "%s", summary_reason(s));
	return of;
}

static struct node node_of(const struct index_entry *run, uint64_t order)
{
	const struct summary *s = &run->summary;
	struct node fresh = { .run = nodes_run_of(run),
			      .order = order,
			      .length_ns = { s->length_ns, s->length_ns > 0 },
			      .mode = s->mode };

	memcpy(fresh.uuid, s->uuid, sizeof(fresh.uuid));
	return fresh;
}

void nodes_learn(struct nodes *nodes, const struct index_entry *run, uint64_t order)
{
	const struct node fresh = node_of(run, order);
	const struct account_id address = address_of(run);

	if (!run->summary.ended || !*fresh.uuid)
		return;
	pthread_mutex_lock(&nodes->mutex);
	put(nodes, &fresh, &address);
	pthread_mutex_unlock(&nodes->mutex);
}

void nodes_judge(struct nodes *nodes, const struct index_entry *run)
{
	struct node fresh = node_of(run, 0);
	const struct node *node;
	struct account_id address;

	pthread_mutex_lock(&nodes->mutex);
	node = find(nodes, &fresh);
	if (node && node->run.sid == run->sid) {
		fresh.order = node->order;
		fresh.run.ended_s = node->run.ended_s;
		fresh.length_ns = node->length_ns;
		address = node->host->address;
		put(nodes, &fresh, &address);
	}
	pthread_mutex_unlock(&nodes->mutex);
}

struct runs {
	uint64_t *sid;
	size_t count;
};

static void add_run(const void *node, VISIT which, void *ctx)
{
	struct runs *r = ctx;

	if (which == postorder || which == leaf)
		r->sid[r->count++] = (*(const struct node *const *)node)->run.sid;
}

uint64_t *nodes_runs(struct nodes *nodes, size_t *count)
{
	struct runs runs = { .count = 0 };

	pthread_mutex_lock(&nodes->mutex);
	runs.sid = nodes->count ? malloc(nodes->count * sizeof(*runs.sid)) : NULL;
	if (runs.sid)
		twalk_r(nodes->tree, add_run, &runs);
	pthread_mutex_unlock(&nodes->mutex);
	*count = runs.count;
	return runs.sid;
}

bool nodes_find(struct nodes *nodes, const char *uuid, struct nodes_run *run)
{
	const struct node *node;
	struct node wanted;

	snprintf(wanted.uuid, sizeof(wanted.uuid), "%s", uuid);
	pthread_mutex_lock(&nodes->mutex);
	node = find(nodes, &wanted);
	if (node)
		*run = node->run;
	pthread_mutex_unlock(&nodes->mutex);
	return node != NULL;
}

bool nodes_is_full(struct nodes *nodes)
{
	bool full;

	pthread_mutex_lock(&nodes->mutex);
	full = nodes->left_out > 0;
	pthread_mutex_unlock(&nodes->mutex);
	return full;
}

void nodes_forget(struct nodes *nodes, const char *uuid, uint64_t sid)
{
	struct node wanted, *node;

	snprintf(wanted.uuid, sizeof(wanted.uuid), "%s", uuid);
	pthread_mutex_lock(&nodes->mutex);
	node = find(nodes, &wanted);
	if (node && node->run.sid == sid) {
		leave(nodes, node);
		drop(nodes, node);
	}
	pthread_mutex_unlock(&nodes->mutex);
}

static struct prom_sample start(FILE *to, const char *name, const struct node *node)
{
	struct prom_sample sample = prom_open(to, name, "");

	prom_label(&sample, "uuid", node->uuid);
	return sample;
}

static void put_verdicts(FILE *to, const char *name, const struct node *node, uint64_t verdict)
{
	for (unsigned v = 0; v < VERDICTS; v++) {
		struct prom_sample sample = start(to, name, node);

		prom_label(&sample, "verdict", verdict_name((enum verdict)v));
		prom_number(&sample, verdict == v);
	}
}

static void put_verdict(FILE *to, const char *name, const struct node *node)
{
	put_verdicts(to, name, node, node->run.verdict);
}

static void put_own(FILE *to, const char *name, const struct node *node)
{
	if (node->run.own.known)
		put_verdicts(to, name, node, node->run.own.value);
}

static void put_length(FILE *to, const char *name, const struct node *node)
{
	struct prom_sample sample;

	if (!node->length_ns.known)
		return;
	sample = start(to, name, node);
	prom_seconds(&sample, node->length_ns.value);
}

static void put_ended(FILE *to, const char *name, const struct node *node)
{
	struct prom_sample sample = start(to, name, node);

	prom_number(&sample, node->run.ended_s);
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

struct walk {
	FILE *to;
	const struct family *family;
};

static void visit(const void *at, VISIT visit, void *closure)
{
	const struct walk *w = closure;

	if (visit == postorder || visit == leaf)
		w->family->put(w->to, w->family->name, *(const struct node *const *)at);
}

static void put_all(const struct nodes *nodes, FILE *to)
{
	struct prom_sample sample;

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]) && nodes->count; i++) {
		struct walk w = { to, &families[i] };

		prom_family(to, w.family->name, "gauge", w.family->help);
		twalk_r(nodes->tree, visit, &w);
	}
	prom_family(to, PREFIX "nodes_left_out_total", "counter",
		    "Runs of further nodes than those above, and nodes that gave way to them.");
	sample = prom_open(to, PREFIX "nodes_left_out_total", "");
	prom_number(&sample, nodes->left_out);
}

static void refresh(struct nodes *nodes, uint64_t now)
{
	size_t bytes;
	char *text = NULL;
	FILE *to = open_memstream(&text, &bytes);

	if (!to)
		return;
	put_all(nodes, to);
	if (fclose(to) != 0) {
		free(text);
		return;
	}
	free(nodes->text);
	nodes->text = text;
	nodes->bytes = bytes;
	nodes->changed = false;
	nodes->due_ns = now + 20 * (monotonic_ns() - now);
}

void nodes_print(struct nodes *nodes, FILE *to)
{
	uint64_t now = monotonic_ns();

	if (!nodes->text || (nodes->changed && now >= nodes->due_ns))
		refresh(nodes, now);
	fwrite(nodes->text ? nodes->text : "", 1, nodes->bytes, to);
}

void nodes_free(struct nodes *nodes)
{
	tdestroy(nodes->tree, free);
	tdestroy(nodes->hosts, free);
	free(nodes->text);
	*nodes = (struct nodes){ .tree = NULL };
}
