/* SPDX-License-Identifier: BSD-2-Clause */
/* Medians of peers, and the distance of each machine from them. */
#include "fleet_group.h"

#include "host/lib/memory.h"

#include "core/lib/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TO_SIGMA   1.4826
#define AT_LEAST   0.1
#define SAME_RATIO 0.01 /* periods as close as this are one source */
#define SENTENCE   200

int fleet_group_order(const void *a, const void *b)
{
	const struct fleet_node *x = *(struct fleet_node *const *)a;
	const struct fleet_node *y = *(struct fleet_node *const *)b;
	int order = strcmp(x->run.summary.product, y->run.summary.product);

	if (!order)
		order = strcmp(x->run.summary.bios, y->run.summary.bios);
	if (!order)
		order = strcmp(x->stage, y->stage);
	if (!order)
		order = strcmp(x->run.summary.uuid, y->run.summary.uuid);
	return order ? order : x->run.sid < y->run.sid ? -1 : x->run.sid > y->run.sid;
}

static bool are_alike(const struct fleet_node *x, const struct fleet_node *y)
{
	return strcmp(x->run.summary.product, y->run.summary.product) == 0 &&
	       strcmp(x->run.summary.bios, y->run.summary.bios) == 0 &&
	       strcmp(x->stage, y->stage) == 0;
}

size_t fleet_group_count(struct fleet_node *const *node, size_t count)
{
	size_t n = 1;

	while (n < count && are_alike(node[0], node[n]))
		n++;
	return n;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median_of(double *value, size_t count)
{
	qsort(value, count, sizeof(*value), by_value);
	return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

static void read_figure(struct fleet_group *l, enum fleet_figure figure, double *room)
{
	size_t count = 0;

	for (size_t i = 0; i < l->nodes; i++) {
		if (l->node[i]->known[figure])
			room[count++] = l->node[i]->figure[figure];
	}
	l->known[figure] = count;
	if (!count)
		return;
	l->median[figure] = median_of(room, count);
	l->most[figure] = room[count - 1];
	for (size_t i = 0; i < count; i++)
		room[i] = fabs(room[i] - l->median[figure]);
	l->spread[figure] = fmax(TO_SIGMA * median_of(room, count), AT_LEAST * l->median[figure]);
}

static bool same_source(const struct fleet_source *a, const struct fleet_source *b)
{
	double larger = fmax((double)a->period_ns, (double)b->period_ns);

	return strcmp(a->cause, b->cause) == 0 &&
	       fabs((double)a->period_ns - (double)b->period_ns) <= SAME_RATIO * larger;
}

static bool has_source(const struct fleet_node *n, const struct fleet_source *source)
{
	for (size_t i = 0; i < n->sources; i++) {
		if (same_source(&n->source[i], source))
			return true;
	}
	return false;
}

static void add_source(struct fleet_group *l, const struct fleet_source *source)
{
	for (size_t i = 0; i < l->sources; i++) {
		if (same_source(&l->source[i].source, source))
			return;
	}
	if (l->sources == FLEET_GROUP_SOURCES)
		return;
	l->source[l->sources++] = (struct fleet_group_source){ .source = *source };
}

static void read_sources(struct fleet_group *l)
{
	for (size_t i = 0; i < l->nodes; i++)
		for (size_t j = 0; j < l->node[i]->sources; j++)
			add_source(l, &l->node[i]->source[j]);
	for (size_t s = 0; s < l->sources; s++)
		for (size_t i = 0; i < l->nodes; i++)
			l->source[s].nodes += has_source(l->node[i], &l->source[s].source);
}

void fleet_group_read(struct fleet_group *l, struct fleet_node **node, size_t nodes)
{
	double *room = memory_new(nodes, sizeof(*room));

	*l = (struct fleet_group){ .node = node, .nodes = nodes };
	for (size_t i = 0; i < nodes; i++)
		l->verdicts[summary_exit_code(&node[i]->run.summary) & 3]++;
	for (unsigned f = 0; f < FIGURES; f++)
		read_figure(l, (enum fleet_figure)f, room);
	read_sources(l);
	free(room);
}

static bool figure_differs(const struct fleet_group *l, const struct fleet_node *n,
			   enum fleet_figure f)
{
	return n->known[f] && l->known[f] >= FLEET_FEW &&
	       fabs(n->figure[f] - l->median[f]) > FLEET_FAR * l->spread[f];
}

static void put_source(struct text *t, const struct fleet_source *source)
{
	text_add(t, "source of ");
	text_duration(t, source->period_ns);
	text_add(t, " (%s)", source->cause);
}

size_t fleet_group_differs(const struct fleet_group *l, const struct fleet_node *node,
			   fleet_group_report *report, void *ctx)
{
	char sentence[SENTENCE];
	size_t differs = 0;
	struct text t;

	for (unsigned f = 0; f < FIGURES; f++) {
		const struct fleet_figure_kind *kind = fleet_figure_kind((enum fleet_figure)f);

		if (!figure_differs(l, node, (enum fleet_figure)f))
			continue;
		snprintf(sentence, sizeof(sentence), "%s %.4g %s, the median of its peers %.4g",
			 kind->words, node->figure[f] * kind->scale, kind->unit,
			 l->median[f] * kind->scale);
		report(ctx, node, sentence);
		differs++;
	}
	for (size_t s = 0; s < l->sources && l->nodes >= FLEET_FEW; s++) {
		bool has = has_source(node, &l->source[s].source);
		bool most = 2 * l->source[s].nodes > l->nodes;

		if (has == most)
			continue;
		text_init(&t, sentence, sizeof(sentence));
		text_add(&t, "%s ", has ? "a" : "no");
		put_source(&t, &l->source[s].source);
		text_add(&t, ", which %zu of %zu have", l->source[s].nodes, l->nodes);
		report(ctx, node, sentence);
		differs++;
	}
	return differs;
}
