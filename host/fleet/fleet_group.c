/* SPDX-License-Identifier: BSD-2-Clause */
/* Medians of peers, and the distance of each machine from them. */
#include "fleet_group.h"

#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TO_SIGMA   1.4826
#define AT_LEAST   0.1
#define SAME_RATIO 0.01 /* periods as close as this are one source */

static int compare_kinds(const struct store_run *x, const struct store_run *y)
{
	return strcmp(x->summary.product, y->summary.product)
		       ?: strcmp(x->summary.bios, y->summary.bios)
		       ?: strcmp(x->summary.figures.stage, y->summary.figures.stage);
}

int fleet_group_order(const void *a, const void *b)
{
	const struct store_run *x = *(struct store_run *const *)a;
	const struct store_run *y = *(struct store_run *const *)b;

	return compare_kinds(x, y) ?: strcmp(x->summary.uuid, y->summary.uuid)
					      ?: ORDER(x->sid, y->sid);
}

size_t fleet_group_count(struct store_run *const *node, size_t count)
{
	size_t n = 1;

	while (n < count && compare_kinds(node[0], node[n]) == 0)
		n++;
	return n;
}

static ORDER_NUMBERS(by_value, double);

static double median_of(double *value, size_t count)
{
	qsort(value, count, sizeof(*value), by_value);
	return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

static void read_figure(struct fleet_group *l, enum figure figure, double *room)
{
	size_t count = 0;

	for (size_t i = 0; i < l->nodes; i++) {
		if (l->node[i]->summary.figures.known[figure])
			room[count++] = l->node[i]->summary.figures.value[figure];
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

static bool same_source(const struct figures_source *a, const struct figures_source *b)
{
	double larger = fmax((double)a->period_ns, (double)b->period_ns);

	return strcmp(a->cause, b->cause) == 0 &&
	       fabs((double)a->period_ns - (double)b->period_ns) <= SAME_RATIO * larger;
}

static bool has_source(const struct store_run *n, const struct figures_source *source)
{
	for (size_t i = 0; i < n->summary.figures.sources; i++) {
		if (same_source(&n->summary.figures.source[i], source))
			return true;
	}
	return false;
}

static void add_source(struct fleet_group *l, const struct figures_source *source)
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
		for (size_t j = 0; j < l->node[i]->summary.figures.sources; j++)
			add_source(l, &l->node[i]->summary.figures.source[j]);
	for (size_t s = 0; s < l->sources; s++)
		for (size_t i = 0; i < l->nodes; i++)
			l->source[s].nodes += has_source(l->node[i], &l->source[s].source);
}

void fleet_group_read(struct fleet_group *l, struct store_run **node, size_t nodes)
{
	double *room = memory_new(nodes, sizeof(*room));

	*l = (struct fleet_group){ .node = node, .nodes = nodes };
	for (size_t i = 0; i < nodes; i++) {
		const struct summary *s = &node[i]->summary;

		l->verdicts[summary_outcome(s)]++;
		l->remarks += *summary_remark(s) != '\0';
	}
	for (unsigned f = 0; f < FIGURES; f++)
		read_figure(l, (enum figure)f, room);
	read_sources(l);
	free(room);
}

static bool figure_differs(const struct fleet_group *l, const struct store_run *n, enum figure f)
{
	return n->summary.figures.known[f] && l->known[f] >= FLEET_FEW &&
	       fabs(n->summary.figures.value[f] - l->median[f]) > FLEET_FAR * l->spread[f];
}

size_t fleet_group_differs(const struct fleet_group *l, const struct store_run *node,
			   fleet_group_report *report, void *ctx)
{
	size_t differs = 0;

	for (unsigned f = 0; f < FIGURES; f++) {
		const struct fleet_difference d = {
			.node = node,
			.peers = l,
			.figure = figures_kind((enum figure)f),
			.value = node->summary.figures.value[f],
			.median = l->median[f],
		};

		if (!figure_differs(l, node, (enum figure)f))
			continue;
		report(ctx, &d);
		differs++;
	}
	for (size_t s = 0; s < l->sources && l->nodes >= FLEET_FEW; s++) {
		const struct fleet_difference d = {
			.node = node,
			.peers = l,
			.source = &l->source[s],
			.has_source = has_source(node, &l->source[s].source),
		};

		if (d.has_source == (2 * l->source[s].nodes > l->nodes))
			continue;
		report(ctx, &d);
		differs++;
	}
	return differs;
}

const char *fleet_figure_text(double value, const struct figures_kind *kind, char buf[32])
{
	value *= kind->scale;
	snprintf(buf, 32, value >= 1000 ? "%.0f" : "%.4g", value);
	return buf;
}

void fleet_difference_text(struct text *t, const struct fleet_difference *d)
{
	char value[32], median[32];

	if (d->figure) {
		text_add(t, "%s %s %s, the median of its peers %s", d->figure->words,
			 fleet_figure_text(d->value, d->figure, value), d->figure->unit,
			 fleet_figure_text(d->median, d->figure, median));
		return;
	}
	text_add(t, "%s source of ", d->has_source ? "a" : "no");
	text_duration(t, d->source->source.period_ns);
	text_add(t, " (%s), which %zu of %zu have", d->source->source.cause, d->source->nodes,
		 d->peers->nodes);
}
