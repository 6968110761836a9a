/* SPDX-License-Identifier: BSD-2-Clause */
/* A run in a few figures, those of its last stage: what machines of a fleet are compared by. */
#pragma once

#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIGURES_SOURCES 8 /* of one run; further ones are ignored */

/* The figures that are compared. */
enum figure { FIGURE_LONGEST, FIGURE_NOISE, FIGURE_SMI, FIGURES };

/* In an engine's point, behind a bit for each figure that is known: */
#define FIGURES_BEGAN (1u << FIGURES)       /* the wall time is known */
#define FIGURES_SHORT (1u << (FIGURES + 2)) /* the verdict has a remark */
/* The n-th mode, which has none of them; not the first. */
#define FIGURES_MODE(n) (1u << (FIGURES + (n) + ((n) > 1)))

struct figures_kind {
	const char *name; /* in JSON, and of a point's field */
	const char *words;
	const char *unit;
	double scale; /* of the unit, for people */
};

const struct figures_kind *figures_kind(enum figure figure);

struct figures_source {
	uint64_t period_ns;
	char cause[16];
};

struct figures {
	uint64_t cores; /* records of cores, of all stages; 0: nothing was measured */
	char stage[24]; /* the last one measured: the rest is of it */
	bool known[FIGURES];
	double value[FIGURES];          /* ns; parts per million; per hour */
	uint64_t exposure_ns, noise_ns; /* of all its cores */
	struct figures_source source[FIGURES_SOURCES];
	uint64_t sources;
};

struct result;

/* Of a run that has a stage. */
void figures_read(struct figures *f, const struct result *run);

/* The same record by record, of a struct that is all zero at first. A stage begins anew. */
void figures_add_cpu(struct figures *f, const struct record_cpu *cpu);
void figures_add_source(struct figures *f, const struct record_source *source);
