/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machines that are alike, and those among them that differ.
 *
 * Alike are those of one product and BIOS version, measured in the same stage. One of them
 * differs in a figure where it is further from their median than FLEET_FAR times the larger of
 * 1.4826 times the median of the distances (the usual robust estimate of a standard deviation,
 * Rousseeuw and Croux 1993) and a tenth of the median; and in a source that more than half
 * of them have and it has not, or the other way round. With less than FLEET_FEW alike nobody
 * is told from the others.
 */
#ifndef HOST_FLEET_LIKE_H
#define HOST_FLEET_LIKE_H

#include "fleet_node.h"

#include <stdio.h>

#define FLEET_FAR 6.0
#define FLEET_FEW 5

#define LIKE_SOURCES 64

struct like_source {
	struct fleet_source source; /* that of the first that has it */
	size_t nodes;
};

struct like {
	struct fleet_node **node; /* into the sorted fleet */
	size_t nodes;             /* all of them measured */
	size_t verdicts[4];       /* by exit code */
	size_t known[FIGURES];
	double median[FIGURES], spread[FIGURES], most[FIGURES];
	struct like_source source[LIKE_SOURCES];
	size_t sources;
};

/* Order of the fleet: those that are alike are neighbours. */
int like_order(const void *a, const void *b);

/* The first `count` of these are alike or the next one would be: how many are. */
size_t like_count(struct fleet_node *const *node, size_t count);

/* Fill in medians and sources. False when memory has run out. */
bool like_read(struct like *l, struct fleet_node **node, size_t nodes);

/* In what the node differs from its like, one call each. */
typedef void like_say(void *ctx, const struct fleet_node *node, const char *sentence);
size_t like_differs(const struct like *l, const struct fleet_node *node, like_say *say, void *ctx);

#endif
