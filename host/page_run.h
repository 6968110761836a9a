/* SPDX-License-Identifier: BSD-2-Clause */
/* One run on a report's page. */
#ifndef HOST_PAGE_RUN_H
#define HOST_PAGE_RUN_H

#include "plot_split.h"
#include "reader.h"

#include "core/preset.h"

#include <stddef.h>
#include <stdio.h>

/* What came with the run from elsewhere. */
struct page_options {
	const struct preset *preset; /* to judge by; NULL: none */
	/* Noise seen from inside an OS on the same machine; none for 0. */
	const struct split_bar *bar;
	size_t bars;
	const char *bars_from; /* what measured it, for the caption */
};

/* Write the run, which was kept whole, as the page's next section. */
void page_run(FILE *f, const char *file, struct reader_run *run, const struct page_options *o);

#endif
