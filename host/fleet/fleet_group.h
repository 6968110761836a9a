/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups of peers, and the machines among them that differ.
 *
 * Peers are machines of one product and BIOS version, measured in the same stage. One of them
 * differs in a figure if its distance from their median exceeds FLEET_FAR times the larger of
 * 1.4826 times the median of the distances (the usual robust estimate of a standard deviation,
 * Rousseeuw and Croux 1993) and a tenth of the median; and in a source that more than half of them
 * have and it does not, or the other way round. In groups of fewer than FLEET_FEW no machine
 * differs.
 */
#pragma once

#include "store/store.h"

#include "host/capture/summary.h"

#include "core/lib/text.h"

#include <stdbool.h>
#include <stddef.h>

#define FLEET_FAR 6.0
#define FLEET_FEW 5

#define FLEET_GROUP_SOURCES 64

struct fleet_group_source {
	struct figures_source source; /* that of the first machine that has it */
	size_t nodes;
};

struct fleet_group {
	struct store_run **node; /* into the sorted fleet */
	size_t nodes;            /* all of them measured */
	size_t verdicts[VERDICTS];
	size_t remarks; /* passes that are shorter than their preset requires */
	size_t known[FIGURES];
	double median[FIGURES], spread[FIGURES], most[FIGURES];
	struct fleet_group_source source[FLEET_GROUP_SOURCES];
	size_t sources;
};

/* Order of the fleet: peers are neighbours. */
int fleet_group_order(const void *a, const void *b);

/* The number of peers at the beginning of the sorted nodes. */
size_t fleet_group_count(struct store_run *const *node, size_t count);

/* Fill in medians and sources. Ends the program when memory has run out. */
void fleet_group_read(struct fleet_group *l, struct store_run **node, size_t nodes);

/* A figure far from the median, or a source that most have and the node has not, or vice versa. */
struct fleet_difference {
	const struct store_run *node;
	const struct fleet_group *peers;
	const struct figures_kind *figure; /* NULL: a source */
	double value, median;
	const struct fleet_group_source *source;
	bool has_source;
};

/* How the node differs from its peers, one call for each difference. */
typedef void fleet_group_report(void *ctx, const struct fleet_difference *d);
size_t fleet_group_differs(const struct fleet_group *l, const struct store_run *node,
			   fleet_group_report *report, void *ctx);

/* "longest gap 900 us, the median of its peers 10.1" */
void fleet_difference_text(struct text *t, const struct fleet_difference *d);

/* A figure in the unit for people: four digits, or as many as it has before the point. */
const char *fleet_figure_text(double value, const struct figures_kind *kind, char buf[32]);
