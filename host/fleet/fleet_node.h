/* SPDX-License-Identifier: BSD-2-Clause */
/* One machine of a fleet: its latest run, in a few figures. */
#pragma once

#include "host/fleet/collect/index.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLEET_SOURCES 8 /* of one machine; further ones are ignored */

/* The figures that are compared. */
enum fleet_figure { FIGURE_LONGEST, FIGURE_NOISE, FIGURE_SMI, FIGURES };

struct fleet_figure_kind {
	const char *name; /* in JSON */
	const char *words;
	const char *unit;
	double scale; /* of the unit, for people */
};

const struct fleet_figure_kind *fleet_figure_kind(enum fleet_figure figure);

struct fleet_source {
	uint64_t period_ns;
	char cause[16];
};

struct fleet_node {
	struct index_entry run;
	unsigned runs;  /* of this UUID */
	bool measured;  /* there are records of cores */
	char stage[24]; /* the last one measured: the figures are of it */
	bool known[FIGURES];
	double figure[FIGURES]; /* ns; parts per million; per hour */
	struct fleet_source source[FLEET_SOURCES];
	size_t sources;
};

/* Fill it in from the run's file. 0 or an errno; unreadable parts of the file are left out. */
int fleet_node_read(struct fleet_node *n, int dir);
