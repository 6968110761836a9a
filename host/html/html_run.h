/* SPDX-License-Identifier: BSD-2-Clause */
/* One run on a report's page, and its sections that have files of their own. */
#pragma once

#include "host/capture/result.h"
#include "host/compare/split.h"

#include "core/config/config.h"
#include "core/config/preset.h"
#include "core/lib/text.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What other files add to the run. */
struct html_options {
	size_t number;               /* of the run, on the page */
	const struct preset *preset; /* to judge by; NULL: none */
	/* Comparisons of the run with what an OS measured on the same machine. */
	const struct split_result *split;
	size_t splits;
};

/* Write the run, with all records kept, as the page's next section. */
void html_run(FILE *f, const char *file, const struct result *run, const struct html_options *o);

/* One stage of the run: what each kind has of it. Limits are drawn. */
void html_stage(FILE *f, const struct result *run, struct result_stage *stage,
		const struct config *limits);

/* "Acme X, 2025-01-31T12:34:56Z: fail"; without what is not known. Its exit code. */
int html_run_title(const struct result *run, const struct preset *preset, struct text *t);

/* Floor versus OS: bars, figures and their reservations, one comparison after another. */
void html_split(FILE *f, const struct split_result *split, size_t count);

/* Parts of the noise seen from inside: what the probe measured without an OS, causes, the rest. */
enum html_split_part {
	PLOT_FLOOR,
	PLOT_CAUSES,
	PLOT_UNEXPLAINED = PLOT_CAUSES + SPLIT_CAUSES,
	PLOT_PARTS
};

struct html_split_bar {
	char name[32];        /* "cpu 3", "all" */
	uint64_t exposure_ns; /* measured from inside */
	struct range noise_ns;
	struct {
		uint64_t sure, more; /* at least, and what may be added to it */
	} part_ns[PLOT_PARTS];
};

/*
 * Floor versus OS: a bar per core, in ppm of its exposure, divided by cause, with a legend. What is
 * between two bounds is hatched. Nothing if there are none.
 */
void html_split_bars(FILE *f, const struct html_split_bar *bar, size_t count);
