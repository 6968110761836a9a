/* SPDX-License-Identifier: BSD-2-Clause */
/* Each verdict is a series of its own, 1 or 0, so that a sum over the nodes counts them. */
#define _GNU_SOURCE /* open_memstream, tdestroy, twalk_r */
#include "nodes.h"

#include "host/lib/monotonic.h"
#include "host/lib/prom.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PREFIX "noisefloor_collect_"

struct node {
	char uuid[SUMMARY_TEXT];
	uint64_t sid, order, ended_s;
	struct maybe length_ns;
	enum verdict verdict;
	const struct mode *mode;
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

static struct node *add(struct nodes *nodes, const struct node *fresh)
{
	struct node *node = nodes->count < NODES_MAX ? malloc(sizeof(*node)) : NULL;

	if (node)
		memcpy(node->uuid, fresh->uuid, sizeof(node->uuid));
	if (node && tsearch(node, &nodes->tree, by_uuid)) {
		nodes->count++;
		return node;
	}
	free(node);
	nodes->left_out++;
	return NULL;
}

void nodes_learn(struct nodes *nodes, const struct index_entry *run, uint64_t order)
{
	const struct summary *s = &run->summary;
	struct node fresh = { .sid = run->sid,
			      .order = order,
			      .ended_s = run->at,
			      .length_ns = { s->length_ns, s->length_ns > 0 },
			      .verdict = summary_outcome(s),
			      .mode = s->mode };
	struct node *node;

	if (!s->ended || !*s->uuid)
		return;
	memcpy(fresh.uuid, s->uuid, sizeof(fresh.uuid));
	node = find(nodes, &fresh);
	if (node && order < node->order)
		return;
	if (!node)
		node = add(nodes, &fresh);
	if (node)
		*node = fresh;
	nodes->changed = true;
}

void nodes_forget(struct nodes *nodes, const struct index_entry *run)
{
	struct node wanted, *node;

	memcpy(wanted.uuid, run->summary.uuid, sizeof(wanted.uuid));
	node = find(nodes, &wanted);
	if (!node || node->sid != run->sid)
		return;
	tdelete(node, &nodes->tree, by_uuid);
	free(node);
	nodes->count--;
	nodes->changed = true;
}

static struct prom_sample start(FILE *to, const char *name, const struct node *node)
{
	struct prom_sample sample = prom_open(to, name, "");

	prom_label(&sample, "uuid", node->uuid);
	return sample;
}

static void put_verdict(FILE *to, const char *name, const struct node *node)
{
	for (unsigned v = 0; v < VERDICTS; v++) {
		struct prom_sample sample = start(to, name, node);

		prom_label(&sample, "verdict", verdict_name((enum verdict)v));
		prom_number(&sample, node->verdict == (enum verdict)v);
	}
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
		    "Runs of further nodes than those above.");
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
	free(nodes->text);
	*nodes = (struct nodes){ .tree = NULL };
}
