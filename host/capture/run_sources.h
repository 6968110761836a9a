/* SPDX-License-Identifier: BSD-2-Clause */
/* All sources of a stage: what the probe found, and what the search here adds to it. */
#pragma once

#include "run.h"

#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run_source {
	struct record_source source; /* its strings live as long as the run */
	bool by_probe;               /* else by the search alone */
};

struct run_sources {
	struct run_source *at;
	size_t count;
	bool searched;     /* for any period */
	char why_not[200]; /* what a search lacks */
	uint64_t gaps;     /* searched */
	uint64_t span_ns;  /* from the first window to the last; 0 where that is not known */
};

/* Sorts the stage's gaps and windows. Ends the program when memory has run out. */
void run_sources_read(struct run_sources *f, const struct run *run, struct run_stage *stage);
void run_sources_free(struct run_sources *f);

/* The same cause, and periods within 1 %, as the searches distinguish them. */
bool run_sources_same(const struct record_source *a, const struct record_source *b);

/* The source of `f` that is the same; NULL for none. */
const struct run_source *run_sources_in(const struct run_sources *f,
					const struct record_source *source);
